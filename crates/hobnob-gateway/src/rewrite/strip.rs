//! What an upstream's result says about itself, taken out of the body.
//!
//! The edge towards the client writes its own; an upstream's hints must not contradict them.

use super::patch::{hides_words, members, string_value};
use mcp_types::cache::CacheScope;
use mcp_types::result::ResultType;
use std::borrow::Cow;

/// The members that are taken out.
const WORDS: [&str; 4] = ["_meta", "resultType", "ttlMs", "cacheScope"];

/// A result, and what it said about itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Stripped<'a> {
    /// The rest of the result.
    pub body: Cow<'a, str>,
    /// `_meta`, JSON text.
    pub meta: Option<&'a str>,
    /// How the result is to be read; absent means complete.
    pub result_type: Option<ResultType>,
    /// Milliseconds it stays fresh.
    pub ttl_ms: Option<u64>,
    /// Who may be given it from a cache.
    pub cache_scope: Option<CacheScope>,
}

/// Takes `_meta`, `resultType`, `ttlMs` and `cacheScope` out of the top level of a result.
pub fn strip_result(body: &str) -> Stripped<'_> {
    let mut stripped = Stripped {
        body: Cow::Borrowed(body),
        meta: None,
        result_type: None,
        ttl_ms: None,
        cache_scope: None,
    };
    let occurs = |word: &&str| memchr::memmem::find(body.as_bytes(), word.as_bytes()).is_some();
    if !WORDS.iter().any(occurs) && !hides_words(body) {
        return stripped;
    }
    let Some(parts) = members(body) else { return stripped };
    if !parts.iter().any(|part| WORDS.contains(&&*part.key)) {
        return stripped;
    }
    let mut rest = String::with_capacity(body.len());
    rest.push('{');
    for part in parts {
        match &*part.key {
            "_meta" => stripped.meta = Some(part.value).filter(|value| *value != "null"),
            "resultType" => {
                stripped.result_type = string_value(part.value).map(|text| (&*text).into());
            }
            "ttlMs" => stripped.ttl_ms = milliseconds(part.value),
            "cacheScope" => {
                stripped.cache_scope = string_value(part.value).map(|text| (&*text).into());
            }
            _ => {
                if rest.len() > 1 {
                    rest.push(',');
                }
                rest.push_str(part.whole);
            }
        }
    }
    rest.push('}');
    stripped.body = Cow::Owned(rest);
    stripped
}

/// Spec 2026-07-28, caching: a negative time counts as zero.
fn milliseconds(raw: &str) -> Option<u64> {
    let whole = || raw.parse::<u64>().ok();
    // The cast saturates, which is what a huge or negative time should do.
    whole().or_else(|| raw.parse::<f64>().ok().map(|number| number as u64))
}
