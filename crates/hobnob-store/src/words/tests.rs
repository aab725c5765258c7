//! Texts and the terms they become, as data.

use super::{day_words, each_word, query_terms, spell_dates};
use crate::time::Time;

fn terms(text: &str) -> String {
    let mut terms = Vec::new();
    each_word(text, |word| terms.push(word.term.to_owned()));
    terms.join(" ")
}

#[test]
fn texts_become_comparable_words() {
    let cases = [
        ("", ""),
        ("  \t—…", ""),
        ("Replicas coordinate sessions", "replica coordin session"),
        ("getUserById", "get user by id getuserbyid"),
        ("HTTPServer", "http server httpserver"),
        ("max_retry_count", "max retri count maxretrycount"),
        ("kebab-case-name", "kebab case name kebabcasename"),
        ("std::fs::read_to_string", "std fs read to string readtostring"),
        ("src/sqlite/index.rs", "src sqlite index rs indexrs"),
        ("serde_json.Value", "serd json valu serdejsonvalue"),
        ("utf8 10ms 5GB", "utf 8 utf8 10 ms 10ms 5 gb 5gb"),
        ("v1.2.3", "v 1 v1 2 3 v1·2·3"),
        ("1.23 12.3", "1 23 1·23 12 3 12·3"),
        ("10,000 rows, then 7,5", "10000 row then 75"),
        ("Ada's can't don’t o'Brien they'll", "ada o brien obrien thei"),
        ("2026-03-14", "2026 3 14 20260314"),
        ("the 3rd of March", "the 3 of march"),
        ("a3f9c2d1e8b7", "a3f9c2d1e8b7"),
        ("Crème brûlée à la Łódź, Straße", "creme brule a la lodz strass"),
        ("went, bought and took", "go bui and take"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("検索エンジン", "検索 索エ エン ンシ\u{3099} シ\u{3099}ン"),
        ("한국어 GPU드라이버", "한국 국어 gpu 드라 라이 이버"),
        ("👍🏽 ok\0nul", "ok nul"),
        ("\"quoted\" (AND) NEAR* ^x", "quot and near x"),
        ("___ - . a_ _b", "a b"),
    ];
    for (text, expected) in cases {
        assert_eq!(terms(text), expected, "{text:?}");
    }
}

#[test]
fn endings_are_taken_off_as_published() {
    let cases = [
        ("caresses ponies cats", "caress poni cat"),
        ("agreed plastered motoring sing", "agre plaster motor sing"),
        (
            "conflated troubled sized hopping falling hissing filing",
            "conflat troubl size hop fall hiss file",
        ),
        ("happy sky", "happi sky"),
        ("relational conditional valenci digitizer radically", "relat condit valenc digit radic"),
        ("vietnamization predication operator feudalism", "vietnam predic oper feudal"),
        (
            "decisiveness hopefulness callousness formality sensitivity",
            "decis hope callous formal sensit",
        ),
        (
            "triplicate formative formalize electrical hopeful goodness",
            "triplic form formal electr hope good",
        ),
        (
            "revival allowance inference airliner adjustable defensible",
            "reviv allow infer airlin adjust defens",
        ),
        ("irritant replacement adjustment dependent adoption", "irrit replac adjust depend adopt"),
        (
            "communism activate angularity homologous effective bowdlerize",
            "commun activ angular homolog effect bowdler",
        ),
        ("probate rate cease controll roll", "probat rate ceas control roll"),
    ];
    for (text, expected) in cases {
        assert_eq!(terms(text), expected);
    }
}

#[test]
fn a_query_loses_what_says_nothing_unless_nothing_is_left() {
    let cases = [
        ("What did we decide about the cache?", "decid cach"),
        ("to be or not to be", "to be or not"),
        ("cache caching cached", "cach"),
        ("", ""),
    ];
    for (query, expected) in cases {
        let found: Vec<_> = query_terms(query).into_iter().map(|word| word.term).collect();
        assert_eq!(found.join(" "), expected, "{query:?}");
    }
}

#[test]
fn a_huge_query_is_bounded() {
    let words: Vec<String> = (0..20_000).map(|number| format!("w{number}x")).collect();
    assert!(query_terms(&words.join(" ")).len() <= 48);
    assert!(query_terms(&"y".repeat(100_000)).iter().all(|word| word.term.len() <= 64));
    assert!(query_terms(&"é".repeat(100_000)).iter().all(|word| word.term.len() <= 64));
}

#[test]
fn days_are_spelled_in_several_ways() {
    let cases = [
        ("on 2026-03-14 we met", "2026-03-14 2026-03 march 14 2026"),
        ("on 14 March 2026", "2026-03-14 2026-03 march 14 2026"),
        ("March 14th, 2026", "2026-03-14 2026-03 march 14 2026"),
        ("Sept 3, 2025", "2025-09-03 2025-09 september 3 2025"),
        ("2026-13-14 and 1.2.3 and may be 12", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(spell_dates(text), expected, "{text:?}");
    }
    let cases = [
        (0, "1970-01-01 1970-01 january 1 1970"),
        (1_773_446_400_000, "2026-03-14 2026-03 march 14 2026"),
        (951_782_400_000, "2000-02-29 2000-02 february 29 2000"),
        (-1, "1969-12-31 1969-12 december 31 1969"),
    ];
    for (millis, expected) in cases {
        assert_eq!(day_words(Time::from_millis(millis)), expected);
    }
    day_words(Time::from_millis(i64::MAX));
    day_words(Time::from_millis(i64::MIN));
}
