//! Names recognised by the words before them in program messages, such as `Invalid user bob`,
//! `session opened for user bob`, `logged in as bob`.

use crate::text::{listed, listed_in_any_case};

use super::around::{Around, Gap};
use super::cue::NameCue;

/// Words before `user NAME`.
const BEFORE_USER: &str = "\
    for invalid illegal by as of unknown authenticating from to target remote create created \
    alter drop add added delete deleted removed locked unlocked disabled enabled switching";
/// How a sentence continues after `user NAME`.
const BEHIND_USER: [&str; 24] = [
    " from ",
    " logged ",
    " not allowed",
    " not found",
    ": ",
    " (",
    "(uid",
    " failed",
    " authenticated",
    " authorized",
    " connected",
    " disconnected",
    " does not ",
    " already ",
    " is not ",
    " was not ",
    " locked",
    " created",
    " deleted",
    " removed",
    " signed ",
    " added",
    " denied",
    " rejected",
];
/// Authentication methods, before `for NAME from`.
const METHODS: &str = "\
    password publickey keyboard-interactive keyboard-interactive/pam none gssapi-with-mic \
    hostbased";
/// Words before `by "NAME"`.
const BEFORE_BY: &str = "\
    queued submitted changed owned created updated deleted requested started stopped edited \
    approved initiated triggered performed modified removed added uploaded attempt";
/// Results of a login attempt, before `for NAME`, and words for the attempt.
const ENDED: &str = "failed failure succeeded successful";
const ATTEMPTS: &str = "login logon authentication auth";
/// Words before `as NAME`.
const BEFORE_AS: &str = "in authenticated login connected logged";
/// Maximum length of an address in bytes.
const MAX_ADDRESS: usize = 45;

/// What the words before a word say about it.
pub(super) fn named_by_words(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    if !matches!(gap, Gap::Blank | Gap::Quoted | Gap::Bracketed) {
        return None;
    }
    match around.previous(0) {
        "user" | "User" | "USER" if gap == Gap::Blank => after_user(around),
        "ROLE" if listed_in_any_case(BEFORE_USER, around.previous(1)) => Some(NameCue::USER),
        "for" | "FOR" => after_for(around, gap),
        "by" | "BY" => after_by(around, gap),
        // The user and password option of curl.
        "-u" | "--user" if around.after_name().starts_with(':') => Some(NameCue::USER),
        "as" if listed_in_any_case(BEFORE_AS, around.previous(1)) => Some(NameCue::USER),
        _ => None,
    }
}

fn after_user(around: &Around<'_>) -> Option<NameCue> {
    let before = around.previous(1);
    let after = around.after_name();
    let behind = || BEHIND_USER.iter().any(|it| after.starts_with(it));
    // sshd logs exactly what was typed, even a word or a number.
    let typed = before.eq_ignore_ascii_case("invalid") && is_typed(after);
    let session = before == "for" && matches!(around.previous(2), "opened" | "closed");
    if typed || session {
        return Some(NameCue::ANY_USER);
    }
    (listed_in_any_case(BEFORE_USER, before) || behind()).then_some(NameCue::USER)
}

/// `Failed password for bob from 192.0.2.7`, `password for 'bob' changed`, `su for bob by carol`.
fn after_for(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    let before = around.previous(1);
    let after = around.after_name();
    if gap != Gap::Blank {
        let named = before == "password" || around.previous(0) == "FOR";
        return named.then_some(NameCue::USER);
    }
    let from = after.strip_prefix(" from ");
    match before {
        "getaddrinfo" => Some(NameCue::HOST),
        "su" => Some(NameCue::USER),
        "changed" if around.previous(2).eq_ignore_ascii_case("password") => Some(NameCue::USER),
        "failures" if is_typed(after) => Some(NameCue::ANY_USER),
        _ if listed(ENDED, before) && listed_in_any_case(ATTEMPTS, around.previous(2)) => {
            Some(NameCue::USER)
        }
        _ if listed(METHODS, before) => from.map(|_| NameCue::ANY_USER),
        _ => from.filter(|from| is_address(from)).map(|_| NameCue::USER),
    }
}

/// `queued by "bob"`, `LOGIN ON tty1 BY bob`, `configured from console by bob on vty0`.
fn after_by(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    let before = around.previous(1);
    let after = around.after_name();
    let terminal = |it: &str| ["vty", "tty", "pts"].iter().any(|start| it.starts_with(start));
    let named = match gap {
        Gap::Blank => {
            let su = around.previous(3) == "su" && around.previous(2) == "for";
            let at = after.strip_prefix(" on ").is_some_and(terminal);
            su || at || terminal(before) && around.previous(0) == "BY"
        }
        _ => listed_in_any_case(BEFORE_BY, before),
    };
    named.then_some(NameCue::USER)
}

/// Whether the text continues as sshd does after a typed name.
fn is_typed(after: &str) -> bool {
    after.starts_with(" from ") || after.starts_with(" [preauth]")
}

/// Whether a text begins with an address and not with a word.
fn is_address(text: &str) -> bool {
    let word = text.split([' ', ',', ']']).next().unwrap_or_default();
    let bracketed = word.starts_with(|it: char| it.is_ascii_digit() || it == '[');
    bracketed || 2 <= word.bytes().take(MAX_ADDRESS).filter(|it| *it == b':').count()
}
