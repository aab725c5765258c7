//! Credentials before the host of a URL: `scheme://user:password@host`.
//!
//! Its trigger word is `://`.

use std::ops::Range;

use crate::composition::Composition;
use crate::kind::FindingKind;
use crate::placeholder::{is_no_value, is_placeholder};
use crate::rule_match::RuleMatch;
use crate::text::{after, byte_before};

/// Maximum length of user and password.
const MAX_USER_INFO: usize = 512;
/// Minimum length of a token that stands alone before the host.
const MIN_LONE_TOKEN: usize = 20;

/// Matches the password, or a token in place of user and password.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !byte_before(text, hit.start).is_some_and(|it| it.is_ascii_alphanumeric()) {
        return None;
    }
    let authority = authority(after(text, hit.end, MAX_USER_INFO));
    let (info, host) = authority.rsplit_once('@')?;
    if host.is_empty() {
        return None;
    }
    let (user, secret) = info.split_once(':').unwrap_or(("", info));
    let start = hit.end + info.len() - secret.len();
    let range = start..start + secret.len();
    if !info.contains(':') {
        let token = is_lone_token(secret) && !host.contains("sentry");
        return token.then(|| RuleMatch::new(FindingKind::UrlCredentials, range));
    }
    if is_password(user, secret) {
        return Some(RuleMatch::new(FindingKind::UrlCredentials, range));
    }
    (!is_no_value(secret)).then(|| RuleMatch::likely(FindingKind::UrlCredentials, range))
}

/// The text up to the path, or to a character that no URL contains unescaped.
fn authority(text: &str) -> &str {
    let ends = |it: char| it.is_whitespace() || it.is_control() || "/?#\"'`<>[]()\\^|".contains(it);
    text.find(ends).map_or(text, |end| &text[..end])
}

/// Whether this is more than an example such as the well-known `guest:guest`.
fn is_password(user: &str, password: &str) -> bool {
    4 < password.chars().count()
        && !password.eq_ignore_ascii_case(user)
        && !is_placeholder(password)
        && !password.contains(['{', '}', '$', '*', '…'])
}

fn is_lone_token(user: &str) -> bool {
    let composition = Composition::of(user);
    MIN_LONE_TOKEN <= user.len()
        && !user.contains("%40")
        && 0 < composition.digits
        && 8 < composition.distinct
        && !composition.is_mostly_words()
}
