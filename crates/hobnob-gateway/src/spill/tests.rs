//! Results that are cut, and what the pages of the rest contain.

use super::cut::{cut_escaped, fair_share};
use super::*;
use hobnob_mcp_engine::Principal;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CAP: usize = 4096;

fn cut(result: &Value) -> (Value, SpillContent, usize) {
    match cap(result.to_string(), CAP, || Ok("id1".into())).expect("an id") {
        Capped::Cut { body, rest } => {
            let length = body.len();
            (serde_json::from_str(&body).unwrap(), rest, length)
        }
        Capped::Fits(body) => panic!("{} bytes fit", body.len()),
    }
}

fn nobody() -> Principal {
    Principal::anonymous()
}

/// The texts and blobs of all pages, in order.
fn read_all(rest: SpillContent) -> Vec<String> {
    let (uri, pages, now) = (rest.uri(), rest.pages(), Instant::now());
    let mut store = SpillStore::default();
    store.insert(rest, nobody(), now).unwrap();
    let page = |page: usize| {
        let body = store.read(&format!("{uri}?page={page}"), &nobody(), now).unwrap();
        assert!(body.len() <= CAP, "page {page} has {} bytes", body.len());
        let body: Value = serde_json::from_str(&body).unwrap();
        let first = &body["contents"][0];
        first["text"].as_str().or(first["blob"].as_str()).unwrap().to_owned()
    };
    (1..=pages).map(page).collect()
}

#[test]
fn small_results_pass_as_they_came() {
    let body = format!(r#"{{ "content" : [], "x": "{}" }}"#, "a".repeat(CAP - 30));
    assert_eq!(cap(body.clone(), CAP, || panic!("no id is needed")), Ok(Capped::Fits(body)));
}

#[test]
fn long_text_is_cut_and_can_be_read_on() {
    let text = "äöü\n\"quoted\" \u{1F600} ".repeat(2000);
    let result = json!({
        "content": [
            {"type": "text", "text": "short", "annotations": {"priority": 1}},
            {"type": "text", "text": text, "_meta": {"k": 1}},
            {"type": "text", "text": "also short"},
        ],
        "isError": false,
        "unknown": 12,
    });
    let (body, rest, length) = cut(&result);
    assert!(length <= CAP && length > CAP / 2, "{length}");
    let content = body["content"].as_array().unwrap();
    assert_eq!(content.len(), 5);
    assert_eq!(content[0], result["content"][0]);
    assert_eq!(content[2], result["content"][2]);
    assert_eq!(content[1]["_meta"], json!({"k": 1}));
    let kept = content[1]["text"].as_str().unwrap();
    assert!(text.starts_with(kept) && kept.len() > 500);
    assert!(content[3]["text"].as_str().unwrap().contains("hobnob://results/id1?page=2"));
    assert_eq!(content[4]["type"], "resource_link");
    assert_eq!(content[4]["uri"], "hobnob://results/id1");
    assert_eq!((&body["isError"], &body["unknown"]), (&json!(false), &json!(12)));
    assert!(body.get("structuredContent").is_none());
    assert_eq!(read_all(rest).concat(), text);
}

#[test]
fn structured_content_that_fits_stays_and_the_text_gives_way() {
    let data = json!({"rows": "x".repeat(1500)});
    let text = data.to_string().repeat(3);
    let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": data});
    let (body, rest, length) = cut(&result);
    assert!(length <= CAP);
    assert_eq!(body["structuredContent"], data);
    assert!(body.get("isError").is_none());
    assert_eq!(read_all(rest).concat(), text);
}

#[test]
fn structured_content_that_is_too_big_makes_an_error() {
    let data = json!({"rows": "x".repeat(9000), "big": 7});
    for (is_error, small) in [(None, "done"), (Some(false), "done"), (Some(true), "done")] {
        let mut result =
            json!({"content": [{"type": "text", "text": small}], "structuredContent": data});
        if let Some(is_error) = is_error {
            result["isError"] = json!(is_error);
        }
        let (body, rest, length) = cut(&result);
        assert!(length <= CAP);
        assert_eq!(body["isError"], true);
        assert!(body.get("structuredContent").is_none());
        assert_eq!(body["content"][0]["text"], "done");
        assert!(body["content"][1]["text"].as_str().unwrap().contains("marked as an error"));
        let read: Value = serde_json::from_str(&read_all(rest).concat()).unwrap();
        assert_eq!(read, data);
    }
}

#[test]
fn binary_content_is_replaced_by_words() {
    let blob = "QUJD".repeat(3000);
    let cases = [
        (json!({"type": "image", "mimeType": "image/png", "data": blob}), "image, image/png"),
        (json!({"type": "audio", "mimeType": "audio/wav", "data": blob}), "audio, audio/wav"),
        (
            json!({"type": "resource", "resource": {"uri": "x:1", "mimeType": "a/b", "blob": blob}}),
            "resource, a/b",
        ),
    ];
    for (block, label) in cases {
        let result = json!({"content": [block, {"type": "text", "text": "caption"}]});
        let (body, rest, length) = cut(&result);
        assert!(length <= CAP);
        let words = body["content"][0]["text"].as_str().unwrap();
        assert!(words.starts_with(&format!("[{label}, ")), "{words}");
        assert_eq!(body["content"][1]["text"], "caption");
        assert_eq!(body["content"][3]["uri"], "hobnob://results/id1");
        assert!(body.get("isError").is_none());
        let pages = read_all(rest);
        assert!(pages.iter().all(|page| page.len() % 4 == 0), "each page decodes alone");
        assert_eq!(pages.concat(), blob);
    }
}

#[test]
fn embedded_text_and_unknown_blocks_are_kept_whole() {
    let long = "z".repeat(9000);
    let embedded = json!({"type": "resource", "resource": {"uri": "x:1", "mimeType": "text/css", "text": long}});
    let (_, rest, _) = cut(&json!({"content": [embedded]}));
    assert_eq!(read_all(rest).concat(), long);
    let unknown = json!({"type": "hologram", "rays": long});
    let (body, rest, _) = cut(&json!({"content": [unknown]}));
    assert!(body["content"][0]["text"].as_str().unwrap().starts_with("[hologram, "));
    let read: Value = serde_json::from_str(&read_all(rest).concat()).unwrap();
    assert_eq!(read, unknown);
}

#[test]
fn odd_results_fit_too() {
    let many: Vec<Value> =
        (0..900).map(|n| json!({"type": "text", "text": format!("n{n}")})).collect();
    let cases = [
        json!({"content": many}),
        json!({"structuredContent": "x".repeat(9000)}),
        json!({"_meta": {"k": "x".repeat(9000)}, "content": []}),
        json!({"content": "x".repeat(9000)}),
        json!({"content": [{"type": "text", "text": {"a": "x".repeat(9000)}}]}),
        json!({"content": [{"type": "image", "mimeType": "x".repeat(9000), "data": "?"}]}),
        json!(["x".repeat(9000)]),
        json!({"k".repeat(5000): 1, "content": []}),
    ];
    for result in cases {
        let (body, rest, length) = cut(&result);
        assert!(length <= CAP, "{length}");
        let content = body["content"].as_array().unwrap();
        assert_eq!(content.last().unwrap()["type"], "resource_link");
        read_all(rest);
    }
    let Capped::Cut { body, .. } =
        cap("x".repeat(MIN_CAP_BYTES + 1), 0, || Ok("i".into())).expect("an id")
    else {
        panic!("a tiny cap is raised to the least");
    };
    assert!(body.len() <= MIN_CAP_BYTES);
}

#[test]
fn escapes_and_characters_are_never_split() {
    let cases = [
        ("abc", 2, "ab"),
        ("abc", 3, "abc"),
        ("aä", 2, "a"),
        ("aä", 3, "aä"),
        (r"a\nb", 2, "a"),
        (r"a\nb", 3, r"a\n"),
        (r"\\\\", 3, r"\\"),
        (r"\u00e9x", 5, ""),
        (r"\u00e9x", 6, r"\u00e9"),
        (r"\ud83d\ude00x", 6, ""),
        (r"\ud83d\ude00x", 11, ""),
        (r"\uD83D\uDE00x", 12, r"\uD83D\uDE00"),
        (r"\ud7ff\n", 6, r"\ud7ff"),
        ("", 0, ""),
        ("x", 0, ""),
    ];
    for (text, limit, expected) in cases {
        assert_eq!(cut_escaped(text, limit), expected, "{text} {limit}");
    }
}

#[test]
fn small_pieces_stay_and_big_ones_share() {
    let cases: &[(&[usize], usize, usize)] = &[
        (&[10, 10], 20, usize::MAX),
        (&[10, 11], 20, 10),
        (&[1, 100, 100], 101, 50),
        (&[100, 1, 40], 101, 60),
        (&[], 0, usize::MAX),
        (&[5], 0, 0),
    ];
    for (sizes, budget, expected) in cases {
        assert_eq!(fair_share(sizes, *budget), *expected, "{sizes:?} {budget}");
    }
}

fn content(id: &str, size: usize) -> SpillContent {
    let text = "x".repeat(size);
    let body = json!({"content": [{"type": "text", "text": text}]}).to_string();
    match cap(body, CAP, || Ok(id.into())).expect("an id") {
        Capped::Cut { rest, .. } => rest,
        Capped::Fits(_) => panic!("too small to be cut"),
    }
}

#[test]
fn pages_say_where_they_are() {
    let (now, mut store) = (Instant::now(), SpillStore::default());
    store.insert(content("a", 5000), nobody(), now).unwrap();
    let info = store.info("hobnob://results/a", &nobody(), now).unwrap();
    assert_eq!(info, SpillInfo { size: 5000, pages: 2 });
    let read = |uri: &str| -> Value {
        serde_json::from_str(&store.read(uri, &nobody(), now).unwrap()).unwrap()
    };
    let first = read("hobnob://results/a");
    assert_eq!(first["contents"][0]["uri"], "hobnob://results/a");
    assert_eq!(
        first["contents"][0]["_meta"],
        json!({"hobnob/page": 1, "hobnob/pages": 2, "hobnob/size": 5000})
    );
    let word = first["contents"][1]["text"].as_str().unwrap();
    assert!(word.contains("page 1 of 2") && word.contains("hobnob://results/a?page=2"), "{word}");
    let last = read("hobnob://results/a?page=2");
    assert_eq!(last["contents"].as_array().unwrap().len(), 1);
    assert_eq!(
        read("hobnob://results/a?page=1")["contents"][0]["text"],
        first["contents"][0]["text"]
    );
}

#[test]
fn wrong_addresses_are_distinguished() {
    let (now, mut store) = (Instant::now(), SpillStore::default());
    store.insert(content("a", 5000), nobody(), now).unwrap();
    let cases = [
        ("hobnob://results/a?page=3", SpillError::NoSuchPage { page: 3, pages: 2 }),
        ("hobnob://results/b", SpillError::Unknown),
        ("hobnob://results/", SpillError::BadAddress),
        ("hobnob://results/a?page=0", SpillError::BadAddress),
        ("hobnob://results/a?page=-1", SpillError::BadAddress),
        ("hobnob://results/a?page=x", SpillError::BadAddress),
        ("hobnob://results/a?other=1", SpillError::BadAddress),
        ("hobnob://results/a?page=99999999999999999999999", SpillError::BadAddress),
        ("hobnob://other/a", SpillError::BadAddress),
        ("", SpillError::BadAddress),
    ];
    for (uri, expected) in cases {
        assert_eq!(store.read(uri, &nobody(), now), Err(expected), "{uri}");
    }
}

#[test]
fn only_the_owner_reads() {
    let (now, mut store) = (Instant::now(), SpillStore::default());
    let (ann, bob) = (Principal::named("ann"), Principal::named("bob"));
    store.insert(content("a", 5000), ann.clone(), now).unwrap();
    assert!(store.read("hobnob://results/a", &ann, now).is_ok());
    for other in [bob, nobody()] {
        assert_eq!(store.read("hobnob://results/a", &other, now), Err(SpillError::Unknown));
        assert_eq!(store.info("hobnob://results/a", &other, now), Err(SpillError::Unknown));
    }
}

#[test]
fn old_results_go() {
    let (start, mut store) = (Instant::now(), SpillStore::default());
    let minutes = |count: u64| start + Duration::from_secs(60 * count);
    store.insert(content("a", 5000), nobody(), start).unwrap();
    store.insert(content("b", 5000), nobody(), minutes(30)).unwrap();
    assert!(store.read("hobnob://results/a", &nobody(), minutes(59)).is_ok());
    assert_eq!(store.read("hobnob://results/a", &nobody(), minutes(60)), Err(SpillError::Unknown));
    assert!(store.read("hobnob://results/b", &nobody(), minutes(60)).is_ok());
    store.purge(minutes(60));
    assert_eq!((store.len(), store.bytes()), (1, weight()));
    store.purge(minutes(90));
    assert!(store.is_empty());
    assert_eq!(store.bytes(), 0);
}

/// The weight of one stored result of 5,000 bytes.
fn weight() -> usize {
    let mut store = SpillStore::default();
    store.insert(content("a", 5000), nobody(), Instant::now()).unwrap();
    assert!(store.bytes() > 5000);
    store.bytes()
}

#[test]
fn many_small_pieces_weigh_more_than_their_text() {
    let blocks = vec![json!({"type": "text", "text": "x"}); 4000];
    let body = json!({ "content": blocks }).to_string();
    let Capped::Cut { rest, .. } = cap(body, MIN_CAP_BYTES, || Ok("id".into())).expect("an id")
    else {
        panic!("fits")
    };
    let mut store = SpillStore::default();
    store.insert(rest, nobody(), Instant::now()).unwrap();
    assert!(store.bytes() > 100_000, "{}", store.bytes());
}

#[test]
fn the_oldest_make_room() {
    let now = Instant::now();
    let limits = |bytes, entries| SpillLimits { bytes, entries, age: Duration::from_secs(1) };
    let kept = |limits: SpillLimits| {
        let mut store = SpillStore::new(limits);
        for id in ["a", "b", "c", "d"] {
            store.insert(content(id, 5000), nobody(), now).unwrap();
        }
        let there =
            |id: &&str| store.info(&format!("hobnob://results/{id}"), &nobody(), now).is_ok();
        ["a", "b", "c", "d"].into_iter().filter(there).collect::<String>()
    };
    assert_eq!(kept(limits(100_000, 2)), "cd");
    assert_eq!(kept(limits(3 * weight(), 10)), "bcd");
    assert_eq!(kept(limits(3 * weight() - 1, 10)), "cd");
    assert_eq!(kept(SpillLimits::default()), "abcd");
    let mut small = SpillStore::new(limits(weight() - 1, 10));
    let refused = small.insert(content("a", 5000), nobody(), now);
    assert_eq!(refused, Err(TooBig { size: weight(), limit: weight() - 1 }));
}

proptest! {
    #[test]
    fn whatever_is_cut_fits_and_comes_back(
        texts in prop::collection::vec(("[a\\n\"é😀]{0,40}", 1usize..400), 1..5),
        cap_bytes in MIN_CAP_BYTES..8000,
    ) {
        let texts: Vec<String> = texts.into_iter().map(|(text, times)| text.repeat(times)).collect();
        let blocks: Vec<Value> =
            texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        let body = json!({ "content": blocks }).to_string();
        let whole = body.len();
        match cap(body, cap_bytes, || Ok("id".into())).expect("an id") {
            Capped::Fits(body) => prop_assert!(body.len() == whole && whole <= cap_bytes),
            Capped::Cut { body, rest } => {
                prop_assert!(whole > cap_bytes && body.len() <= cap_bytes);
                let body: Value = serde_json::from_str(&body).unwrap();
                let shown = body["content"].as_array().unwrap();
                for block in &shown[..shown.len() - 2] {
                    let shown = block["text"].as_str().unwrap();
                    prop_assert!(texts.iter().any(|text| text.starts_with(shown)));
                }
                let now = Instant::now();
                let (uri, pages) = (rest.uri(), rest.pages());
                let mut store = SpillStore::default();
                store.insert(rest, nobody(), now).unwrap();
                let mut read = String::new();
                for page in 1..=pages {
                    let page = store.read(&format!("{uri}?page={page}"), &nobody(), now).unwrap();
                    prop_assert!(page.len() <= cap_bytes);
                    let page: Value = serde_json::from_str(&page).unwrap();
                    read.push_str(page["contents"][0]["text"].as_str().unwrap());
                }
                let lost: usize = texts.iter().filter(|text| read.contains(text.as_str())).count();
                prop_assert!(lost > 0);
            }
        }
    }
}
