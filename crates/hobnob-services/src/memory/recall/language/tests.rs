//! Sentences of every language of the multilingual model, and texts without a language.

use super::{ENGLISH, OTHER, is_foreign};

#[test]
fn other_languages_are_recognised() {
    for text in [
        "Wo liegt der Schlüssel zum Keller?",
        "Wann wird die Papiertonne geleert?",
        "Quand finit la garantie de la machine ?",
        "La abuela guarda las recetas en una caja",
        "Il treno parte dal binario nove, non dal quattro",
        "O código do alarme é mudado",
        "Het zolderraam lekt als het hard waait",
        "Kiedy przecieka okno na strychu?",
        "Asansörün bakımı her ayın on beşinde yapılıyor",
        "Кто знает пароль?",
        "مفتاح السيارة في درج المطبخ",
        "奶奶每天早上打太极拳",
        "祖父の盆栽",
        "할머니의 김치",
        "กุญแจสำรองของบ้าน",
    ] {
        assert!(is_foreign(text), "{text}");
    }
}

#[test]
fn english_and_code_are_not() {
    for text in [
        "",
        "Where is the key to the boiler room?",
        "Priya: The amateur orchestra plays Dvořák on 26 April in the old town hall",
        "I will show you the café that we liked",
        "tile cache eviction policy",
        "`parse_geo_header(lat: f64)` -> Result<()>",
        "E-1047",
    ] {
        assert!(!is_foreign(text), "{text}");
    }
}

#[test]
fn the_lists_are_sorted_and_share_no_word() {
    assert!(ENGLISH.is_sorted() && OTHER.is_sorted());
    assert!(ENGLISH.iter().all(|word| OTHER.binary_search(word).is_err()));
}
