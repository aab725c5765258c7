//! Compares vectors with those of the model's reference implementation, and installs the package
//! that contains the weights.
//!
//! The expected numbers were computed once in double precision from the weights before they were
//! rounded to 8 bits, so vectors may deviate a little.

use std::fs;
use std::path::{Path, PathBuf};

use hobnob_embed::{
    EmbedError, Embedder as _, InstallOutcome, InstallProgress, MiniLm, ModelSource, Vector,
    install, install_from_disk, installed, model_named,
};

use crate::wheel::Wheel;

/// The model, from the folder of the unpacked package.
fn open() -> Option<MiniLm> {
    Some(MiniLm::open(&Wheel::find()?.folder).unwrap())
}

async fn embed(model: &MiniLm, text: &str) -> Vector {
    let [vector] = embed_all(model, &[text]).await.try_into().unwrap();
    vector
}

async fn embed_all(model: &MiniLm, texts: &[&str]) -> Vec<Vector> {
    model.embed(texts.iter().map(|text| (*text).to_owned()).collect()).await.unwrap()
}

fn cosine(one: &Vector, other: &Vector) -> f32 {
    one.as_slice().iter().zip(other.as_slice()).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn texts_are_as_near_as_the_model_means() {
    let Some(model) = open() else { return };
    assert_eq!((model.model().as_str(), model.dimensions()), ("all-MiniLM-L6-v2", Some(384)));
    for (one, other, expected) in [
        ("The new movie is awesome", "The new movie is so great", 0.89390),
        ("movie is awesome", "movie is so great", 0.80259),
        (
            "share session state across replicas?",
            "replicas coordinate sessions through Redis",
            0.55446,
        ),
        ("the token expires after an hour", "refresh the token every hour", 0.71040),
        ("fn main() { println!(\"hi\"); }", "a Rust program that prints a greeting", 0.42574),
        ("北京", "Beijing", 0.53421),
        ("The cat sleeps on the sofa", "Quarterly revenue grew by four percent", -0.00660),
    ] {
        let vectors = embed_all(&model, &[one, other]).await;
        let found = cosine(&vectors[0], &vectors[1]);
        assert!((found - expected).abs() < 0.015, "{one:?} and {other:?}: {found}");
    }
}

#[tokio::test]
async fn numbers_are_those_of_the_reference() {
    let Some(model) = open() else { return };
    for (text, expected) in [
        ("", [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951, 0.010292]),
        ("hello", [-0.062772, 0.054959, 0.052165, 0.085790, -0.082749, -0.074573]),
        (
            "Héllo Wörld, naïve café 北京 😀 getUserName() — 100%",
            [0.027956, 0.027701, 0.024034, -0.061922, -0.024156, -0.059456],
        ),
        (&"memory ".repeat(200), [-0.026820, -0.032543, -0.000885, -0.068699, -0.054820, 0.062064]),
    ] {
        let vector = embed(&model, text).await;
        for (found, expected) in vector.as_slice().iter().zip(expected) {
            assert!((found - expected).abs() < 0.012, "{text:?}: {:?}", &vector.as_slice()[..6]);
        }
    }
}

#[tokio::test]
async fn company_does_not_change_a_vector() {
    let Some(model) = open() else { return };
    // The short texts share a batch, the long ones need more than one.
    let long = "a longer note about several things ".repeat(90);
    let texts = ["one", "", "two words", &long, "\u{0}\u{fffd}", &long[..900], "the end", "one"];
    let together = embed_all(&model, &texts).await;
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&embed(&model, text).await, vector, "{text:?}");
    }
    assert_eq!(embed_all(&model, &texts).await, together);
    assert_eq!(model.embed(vec![]).await.unwrap(), []);
}

#[tokio::test]
async fn spelling_that_the_model_does_not_see_changes_nothing() {
    let Some(model) = open() else { return };
    for (one, other) in [
        ("Crème Brûlée", "creme brulee"),
        ("e\u{301}te\u{301}", "été"),
        ("zero\u{200b}width", "zerowidth"),
        ("  a\t\nb\r\n", "a b"),
        ("x,y", "x , y"),
        ("東京", "東 京"),
    ] {
        assert_eq!(embed(&model, one).await, embed(&model, other).await, "{one:?} {other:?}");
    }
}

#[tokio::test]
async fn a_long_text_lies_between_its_parts() {
    let Some(model) = open() else { return };
    let words = |word: &str, count| format!("{word} ").repeat(count);
    // 300 pieces make two sequences of 150.
    let (first, second) = (words("river", 150), words("keyboard", 150));
    let parts = embed_all(&model, &[&first, &second]).await;
    let sums = parts[0].as_slice().iter().zip(parts[1].as_slice()).map(|(one, other)| one + other);
    let between = Vector::from_raw(sums.collect()).unwrap();
    let whole = embed(&model, &format!("{first}{second}")).await;
    assert!(0.99999 < cosine(&whole, &between), "{}", cosine(&whole, &between));
    assert!(cosine(&whole, &parts[0]) < 0.95);

    // 254 pieces are one sequence, 255 are two.
    let (one, two) = (words("river", 254), words("river", 255));
    assert_ne!(embed(&model, &one).await, embed(&model, &two).await);

    // Pieces after the fourth sequence are ignored.
    let most = words("river", 1016);
    let more = format!("{most}{}", words("keyboard", 500));
    assert_eq!(embed(&model, &most).await, embed(&model, &more).await);
    assert_ne!(embed(&model, &words("river", 1015)).await, embed(&model, &most).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_ask_at_once_and_give_up() {
    let Some(model) = open() else { return };
    let model = std::sync::Arc::new(model);
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..12 {
        let model = std::sync::Arc::clone(&model);
        asking.spawn(async move {
            // This many texts would take minutes, so the next caller must not wait for them.
            let mut given_up = model.embed(vec!["note".into(); 50_000]);
            std::future::poll_fn(|context| {
                let _begun = given_up.as_mut().poll(context);
                std::task::Poll::Ready(())
            })
            .await;
            drop(given_up);
            let text = format!("note number {number}");
            (embed(&model, &text).await, text)
        });
    }
    while let Some(asked) = asking.join_next().await {
        let (vector, text) = asked.unwrap();
        assert_eq!(vector, embed(&model, &text).await, "{text}");
    }
}

#[tokio::test]
async fn files_that_are_not_the_models_are_found_out() {
    let Some(wheel) = Wheel::find() else { return };
    let home = fresh("damaged");
    let open = || MiniLm::open(&home);
    assert!(matches!(open(), Err(EmbedError::Incomplete { file: "model-int8.safetensors", .. })));
    fs::hard_link(wheel.folder.join("model.safetensors"), home.join("model.safetensors"))
        .or_else(|_| {
            fs::copy(wheel.folder.join("model.safetensors"), home.join("model.safetensors"))
                .map(drop)
        })
        .unwrap();
    assert!(matches!(open(), Err(EmbedError::Incomplete { .. })));
    let vocabulary = fs::read_to_string(wheel.folder.join("vocab.txt")).unwrap();
    fs::write(home.join("vocab.txt"), vocabulary.replacen("\nriver\n", "\nreviv\n", 1)).unwrap();
    let error = open().unwrap().embed(vec!["river".into()]).await.unwrap_err();
    assert!(matches!(error, EmbedError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("its checksum is wrong"), "{error}");
    fs::remove_dir_all(home).unwrap();
}

#[tokio::test]
async fn the_package_is_installed_once() {
    let Some(wheel) = Wheel::find() else { return };
    let (models, model) = (fresh("models"), model_named("minilm").unwrap());
    assert_eq!(installed(&models), None);
    let source = ModelSource::parse(wheel.file.to_str().unwrap()).unwrap();
    let mut last = None;
    let mut watch = |progress: InstallProgress| last = Some(progress);
    let first = install(model, &source, &models, &mut watch).await.unwrap();
    assert_eq!(first.outcome, InstallOutcome::Fresh);
    assert_eq!(installed(&models), Some(first.folder.clone()));
    let second = install(model, &source, &models, &mut watch).await.unwrap();
    assert_eq!((second.outcome, &second.folder), (InstallOutcome::Already, &first.folder));
    assert!(last.is_some_and(|progress| progress.total == Some(progress.done)), "{last:?}");

    let bytes = fs::metadata(first.folder.join("model-int8.safetensors")).unwrap().len();
    assert!(bytes < 24_000_000 && !first.folder.join("model.safetensors").exists(), "{bytes}");
    let model = MiniLm::open(&first.folder).unwrap();
    let unpacked = MiniLm::open(&wheel.folder).unwrap();
    assert_eq!(embed(&model, "same").await, embed(&unpacked, "same").await);
    fs::remove_dir_all(models).unwrap();
}

#[tokio::test]
async fn the_files_of_older_versions_are_converted() {
    let Some(wheel) = Wheel::find() else { return };
    let (models, model) = (fresh("older"), model_named("minilm").unwrap());
    let folder = models.join("all-MiniLM-L6-v2");
    fs::create_dir(&folder).unwrap();
    for name in ["model.safetensors", "vocab.txt"] {
        fs::copy(wheel.folder.join(name), folder.join(name)).unwrap();
    }
    assert_eq!(installed(&models), Some(folder.clone()));
    let before = embed(&MiniLm::open(&folder).unwrap(), "the same vector").await;

    let mut watch = |_progress: InstallProgress| ();
    let done = install_from_disk(model, &models, &mut watch).await.unwrap().unwrap();
    assert_eq!((done.outcome, &done.folder), (InstallOutcome::Converted, &folder));
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["model-int8.safetensors", "vocab.txt"]);
    assert_eq!(embed(&MiniLm::open(&folder).unwrap(), "the same vector").await, before);

    // A changed byte is found out, and no source is read without a question.
    let path = folder.join("model-int8.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[12_000_000] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(install_from_disk(model, &models, &mut watch).await.unwrap(), None);
    let error = MiniLm::open(&folder).unwrap().embed(vec!["text".into()]).await.unwrap_err();
    assert!(error.to_string().contains("its checksum is wrong"), "{error}");
    fs::remove_dir_all(models).unwrap();
}

/// Creates an empty folder.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("embed-{name}"));
    let _there_from_last_time = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}
