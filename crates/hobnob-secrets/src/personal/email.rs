//! E-mail addresses of people, excluding examples in documentation and accounts of machines.
//!
//! Its trigger word is `@`.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::{Rule, RuleMatch};
use crate::text::{after, before, byte, byte_before, listed};

use super::domain;

/// The trigger word of the rule.
pub(crate) const RULES: &[(&str, Rule)] = &[("@", find)];

/// Maximum length of the local part and of the domain.
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 253;

/// Local parts that no person has: accounts of machines, and keywords of code.
const MACHINE_ACCOUNTS: &str = "\
    git hg svn root noreply no-reply no_reply donotreply do-not-reply mailer-daemon this super \
    return break continue ec2-user";

/// Matches the address around the `@` at `hit`.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let local = local(before(text, hit.start, MAX_LOCAL))?;
    let domain = domain::read(after(text, hit.end, MAX_DOMAIN))?;
    let range = hit.start - local.len()..hit.end + domain.len();
    let lower = local.to_ascii_lowercase();
    let impersonal =
        listed(MACHINE_ACCOUNTS, &lower) || lower.contains("noreply") || lower.contains("example");
    // `a@b.com` is an example as well.
    if impersonal || local.len() + domain.find('.')? < 3 {
        return None;
    }
    let alone = stands_alone(text, &range) && !is_machine(text, &range);
    (alone && domain::is_real(domain)).then(|| RuleMatch::new(FindingKind::Email, range))
}

/// The local part that ends right before the `@`.
fn local(before: &str) -> Option<&str> {
    let legal =
        |it: char| it.is_ascii_alphanumeric() || "._%+-".contains(it) || domain::is_latin(it);
    let length: usize = before.chars().rev().take_while(|it| legal(*it)).map(char::len_utf8).sum();
    let (rest, name) = before.split_at(before.len() - length);
    let escape = rest.ends_with('\\') && name.starts_with(['n', 't', 'r']);
    let name = &name[usize::from(escape)..];
    let name = name.trim_start_matches(['.', '-', '+', '%', '_']);
    let sound = !name.is_empty() && !name.ends_with('.') && !name.contains("..");
    sound.then_some(name)
}

/// Whether no word, path or call continues at either end.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let starts = !matches!(byte_before(text, range.start), Some(b'/' | b'@' | b'$' | b'#'));
    let ends = !matches!(byte(text, range.end), Some(b'@' | b'(' | b'_' | b'/' | b'['));
    starts && ends
}

/// Whether it is an account of a machine: in a URL, after `ssh`, or before a path.
fn is_machine(text: &str, range: &Range<usize>) -> bool {
    let before = before(text, range.start, 128);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let authority = word.rfind("://").is_some_and(|at| !word[at + 3..].contains('/'));
    let previous = before.split_whitespace().next_back().unwrap_or_default();
    let command = word.is_empty() && ["ssh", "sftp", "mosh", "ssh-copy-id"].contains(&previous);
    let path = matches!(after(text, range.end, 2), ":/" | ":~" | ":.");
    authority || command || path
}
