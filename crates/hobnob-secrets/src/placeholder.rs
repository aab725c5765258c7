//! Recognises placeholders for secrets: references, masks, examples, words of documentation.
//!
//! Rules check a value here before they report it.

use crate::composition::Composition;
use crate::redaction::REDACTION_PREFIX;
use crate::text::{after, listed};

/// A value that contains one of these is a placeholder.
const PLACEHOLDER_PARTS: &str = "\
    example changeme change_me change-me changeit placeholder your redacted dummy sample \
    insert replace fixme todo _here -here notreal not-real not_real not-a-real fake mock ${ {{ \
    }} #{ $( %( <% %> ... … ••";

/// A value that consists of one of these, with digits and signs around it, is a placeholder.
const PLACEHOLDER_WORDS: &str = "\
    password passwd passphrase passwort pass passw pwd secret token key apikey test testing \
    tester foo bar baz foobar foobaz qux abc abcd abcdef qwerty user username null none nil \
    undefined true false empty required optional string hidden masked removed tbd default \
    value val arg param input output data text temp tmp index item field name mypassword \
    mysecret mytoken testpassword secretkey testtoken testkey opensesame";

/// Prefixes of references to a value that is stored elsewhere.
const REFERENCES: &str = "\
    process.env os.environ os.getenv env. env: env( env[ import.meta secrets. secret/ vars. \
    var. local. data. vault: ssm: arn: op:// ref+ file: kms: enc[ @microsoft.keyvault keyring: \
    config. settings. sha256:";

/// Bytes of a value that are checked for these words; in a longer value they occur by chance.
const MAX_CHECKED_BYTES: usize = 128;

/// Words that say that there is no value, or that it is not shown.
const NO_VALUE: &str = "\
    null none nil undefined true false yes no on off empty required optional set unset missing \
    changed expired incorrect invalid wrong hidden masked removed filtered redacted \
    suppressed omitted";

/// Whether there is no value at all: a word that says so, a mask, a variable, only signs.
pub(crate) fn is_no_value(value: &str) -> bool {
    !value.contains(char::is_alphanumeric)
        || listed(NO_VALUE, &after(value, 0, MAX_CHECKED_BYTES).to_ascii_lowercase())
        || value.contains(REDACTION_PREFIX.trim_end_matches([':', ' ']))
        || value.starts_with(['$', '%'])
        || is_variable(value)
        || is_masked(value)
        || is_enclosed(value)
}

/// Whether the value stands for another one, or for none.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = after(value, 0, MAX_CHECKED_BYTES).to_ascii_lowercase();
    PLACEHOLDER_PARTS.split(' ').any(|it| lower.contains(it))
        // A redaction mark without its end, in case the value was cut after it.
        || value.contains(REDACTION_PREFIX.trim_end_matches([':', ' ']))
        || REFERENCES.split(' ').any(|it| lower.starts_with(it))
        || (is_word_for_nothing(&lower) && !is_varied(value))
        || is_variable(value)
        || is_masked(value)
        || is_enclosed(value)
}

/// Whether the part of a token after its prefix is not random: masked, or an example.
pub(crate) fn is_filler(body: &str) -> bool {
    has_filler_word(body) || is_masked(body)
}

/// Whether it contains a word that marks an example.
pub(crate) fn has_filler_word(body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    let words = ["example", "your", "redacted", "placeholder", "changeme", "dummy", "sample"];
    words.iter().any(|it| lower.contains(it))
}

fn is_word_for_nothing(lower: &str) -> bool {
    let bare = lower.trim_matches(|it: char| !it.is_ascii_alphabetic());
    let squashed = || bare.replace(['_', '-', ' ', '.'], "");
    listed(PLACEHOLDER_WORDS, bare) || listed(PLACEHOLDER_WORDS, &squashed())
}

/// Whether it has lower and upper case letters, digits and signs, as passwords often must have.
fn is_varied(value: &str) -> bool {
    Composition::of(value).classes() == 4
}

/// Whether it is a variable: `$NAME`, `%NAME%`, `@name`, `:name`, `__NAME__`.
fn is_variable(value: &str) -> bool {
    let name = |it: &str| {
        it.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let between = |open: &str, close: &str| {
        value.strip_prefix(open).and_then(|it| it.strip_suffix(close)).is_some_and(name)
    };
    [("$", ""), ("%", "%"), (":", ""), ("__", "__"), ("@", "")]
        .iter()
        .any(|(open, close)| between(open, close))
}

/// Whether it is one character repeated, as in `xxxx` or `****`, or hardly more than that.
fn is_masked(value: &str) -> bool {
    let mut longest = 0;
    let mut length = 0;
    let mut last = None;
    for character in value.chars() {
        length = if last == Some(character) { length + 1 } else { 1 };
        longest = longest.max(length);
        last = Some(character);
    }
    let count = value.chars().count();
    5 < longest || (3 < longest && count < 3 * longest)
}

/// Whether it is a description in brackets: `<…`, `[…`, `{…}`, `(…)`.
fn is_enclosed(value: &str) -> bool {
    value.starts_with(['<', '['])
        || (value.starts_with('{') && value.ends_with('}'))
        || (value.starts_with('(') && value.ends_with(')'))
}
