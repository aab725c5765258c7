//! Which words match which texts, and with what score. `list` has the cases.

use super::sample::{SearchUnderTest, at, by_text, finds, note, stored};
use crate::memory::{NewMemory, Tag};
use crate::suite::case_result::{CaseResult, Failed, equal, hold};

/// A text, queries that match it, and queries that do not.
const CASES: &[(&str, &[&str], &[&str])] = &[
    (
        "Replicas coordinate their sessions through Redis",
        &["redis", "REDIS!", "replica", "coordination of a session", "what about Redis?"],
        &["red", "unrelated", "what about that?"],
    ),
    (
        "Crème brûlée needs an hour at 95 °C in Łódź",
        &["creme brulee", "CRÈME", "cre\u{300}me", "lodz", "95", "hours"],
        &["cr"],
    ),
    (
        "call getUserById before parse_http_header and the XMLHttpRequest",
        &[
            "getUserById",
            "getuserbyid",
            "user id",
            "get_user_by_id",
            "parse_http_header",
            "header parsing",
            "parseHttpHeader",
            "xml request",
            "xmlhttprequest",
        ],
        &["getuser", "userrequest"],
    ),
    (
        "see crates/store/src/lru-cache.rs:77 and parking_lot::Mutex, v1.2.3, ERR_4711",
        &["lru cache", "lrucache.rs", "mutex", "1.2.3", "v1.2.3", "err_4711", "4711", "crates"],
        &["4712"],
    ),
    (
        "We went to Porto and bought 10,000 tiles, 5GB of photos",
        &["going to Porto", "buy tiles", "10000", "10,000", "5 gb", "5GB"],
        &["port", "1000"],
    ),
    (
        "the release was on 2026-03-14",
        &["14 March 2026", "march", "2026-03", "2026-03-14", "Mar 14"],
        &["15", "april"],
    ),
    ("検索エンジンを作る", &["検索", "エンジン"], &["音楽"]),
    ("한국어 문서를 찾는다", &["한국어", "문서"], &["음악"]),
    ("Иван купил хлеб", &["ХЛЕБ", "иван"], &["молоко"]),
];

pub(super) async fn words_are_found_in_other_forms(store: SearchUnderTest) -> CaseResult {
    for (text, found, not_found) in CASES {
        let memory = stored(&store, note(text)?).await?;
        for query in *found {
            let hits = by_text(&store, query).await?;
            hold(
                hits.iter().any(|hit| hit.memory == memory),
                &format!("{query:?} finds {text:?}"),
            )?;
        }
        for query in *not_found {
            let hits = by_text(&store, query).await?;
            let none = hits.iter().all(|hit| hit.memory != memory);
            hold(none, &format!("{query:?} does not find {text:?}"))?;
        }
    }
    let labelled = NewMemory {
        tags: vec![Tag::parse("rate-limit")?],
        source: Some("docs/adr/0012-tokens.md".into()),
        created: at(0),
        ..note("twenty a minute")?
    };
    let labelled = stored(&store, labelled).await?;
    for query in ["rate limiting", "ratelimit", "adr", "0012-tokens", "tokens"] {
        finds(&store, query, &[&labelled]).await?;
    }
    Ok(())
}

pub(super) async fn what_fits_better_comes_first(store: SearchUnderTest) -> CaseResult {
    let long = "cache ".to_owned() + &"and many other things that were said at length ".repeat(40);
    let texts = [
        "the cache evicts what is used least",
        "the cache is warm",
        long.as_str(),
        "eviction of tenants",
        "nothing of that kind",
    ];
    let mut memories = Vec::new();
    for text in texts {
        memories.push(stored(&store, note(text)?).await?);
    }
    let [both, short, long, rare, _] = memories.as_slice() else {
        return Err(Failed::because("five were stored"));
    };
    // The rarer word counts more than the one in three memories.
    finds(&store, "cache evicting", &[both, rare, short, long]).await?;
    finds(&store, "evict the cache", &[both, rare, short, long]).await
}

pub(super) async fn a_fit_says_how_much_of_the_query_is_there(
    store: SearchUnderTest,
) -> CaseResult {
    stored(&store, note("the tile cache key starts with the style revision")?).await?;
    for number in 0..30 {
        stored(&store, note(&format!("filler number {number} is about weather"))?).await?;
    }
    let long =
        "Reservations end after four minutes, which the clock of the pool decides. ".repeat(9);
    stored(&store, note(&long)?).await?;
    let cases = [
        (long.as_str(), 0.9, 1.5),
        ("tile cache key style revision", 0.9, 1.5),
        ("what does the tile cache key look like", 0.5, 0.9),
        ("tile prices for the new bathroom floor", 0.05, 0.3),
    ];
    for (query, least, limit) in cases {
        let hits = by_text(&store, query).await?;
        let best = hits.first().map_or(0.0, |hit| hit.fit);
        hold((least..=limit).contains(&best), &format!("{query:?} fits {best}"))?;
        let of_known = hits.first().map_or(0.0, |hit| hit.fit_of_known);
        hold(0.9 <= of_known, &format!("of the known words {query:?} fits {of_known}"))?;
        let falling = hits.is_sorted_by(|one, other| other.fit <= one.fit);
        hold(falling, &format!("{query:?}: the best comes first"))?;
    }
    equal(&by_text(&store, "quantum entanglement").await?, &Vec::new(), "what nobody said")
}
