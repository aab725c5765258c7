//! Decides whether a value is a secret, by its composition and by its name.
//!
//! Pure functions; the rules for headers and command lines use them too.

use crate::composition::{Composition, entropy};
use crate::kind::FindingKind;
use crate::placeholder::{is_no_value, is_placeholder};

use super::look_alike::{begins_code, is_expression, is_other_thing, is_sequence, is_technical};
use super::name::{Name, ValueKind};
use super::value::{Value, ValueForm};

/// The kind of secret that a value with this name is, if it is one.
pub(crate) fn judge(name: &Name, value: &Value<'_>) -> Option<FindingKind> {
    let code = match value.form {
        ValueForm::Quoted => false,
        ValueForm::Plain => is_expression(value.text),
        ValueForm::Bare
        | ValueForm::InSentence
        | ValueForm::LaterInSentence
        | ValueForm::NextWord => begins_code(value.text) || is_expression(value.text),
    };
    if code {
        return None;
    }
    let kind = match name.value_kind {
        ValueKind::Password if is_password(value.text, value.form) => FindingKind::Password,
        ValueKind::Password if value.form != ValueForm::NextWord && is_secret(value.text) => {
            FindingKind::Password
        }
        ValueKind::Secret if is_secret(value.text) => vendor(&name.squashed, value.text),
        ValueKind::Password | ValueKind::Secret => return None,
    };
    Some(kind)
}

/// The kind of secret that a value with this name may be in a log, where even a word or a number
/// may be a password.
pub(crate) fn judge_likely(name: &Name, value: &Value<'_>) -> Option<FindingKind> {
    let text = value.text;
    let spaced = value.form != ValueForm::Quoted && text.contains(char::is_whitespace);
    if spaced || is_no_value(text) || is_expression(text) || text.starts_with(['/', '~', '\\']) {
        return None;
    }
    match name.value_kind {
        ValueKind::Password if name.squashed == "pass" => None,
        ValueKind::Password => (3..=128).contains(&text.len()).then_some(FindingKind::Password),
        ValueKind::Secret => {
            let composition = Composition::of(text);
            let mixed = 0 < composition.digits && 0 < composition.letters();
            let other = composition.is_mostly_words() || is_other_thing(text) || is_technical(text);
            ((8..=2048).contains(&text.len()) && mixed && !other)
                .then_some(FindingKind::NamedSecret)
        }
    }
}

/// Whether a value looks machine-generated.
pub(crate) fn is_secret(value: &str) -> bool {
    if !(8..=2048).contains(&value.len()) || !value.bytes().all(|it| it.is_ascii_graphic()) {
        return false;
    }
    if is_placeholder(value) || is_other_thing(value) || is_sequence(value) || is_technical(value) {
        return false;
    }
    let composition = Composition::of(value);
    if composition.is_mostly_words() || composition.letters() == 0 {
        return false;
    }
    if value.len() < 16 {
        let mixed = 3 <= composition.classes()
            && 2 <= composition.digits
            && value.len() <= 3 * composition.class_changes;
        return mixed && 2.75 <= entropy(value);
    }
    let random =
        0 < composition.digits || value.len() <= 4 * composition.class_changes || 24 <= value.len();
    random && 8 <= composition.distinct && 3.0 <= entropy(value)
}

/// Whether the value of an option is a password rather than a variable or an example.
pub(crate) fn is_typed_password(value: &str) -> bool {
    is_password(value, ValueForm::Plain) || is_secret(value)
}

/// Whether a value looks like a typed password, and not like a word, a name or a description.
fn is_password(value: &str, form: ValueForm) -> bool {
    let count = value.chars().count();
    let printable = !value.chars().any(|it| it.is_whitespace() || it.is_control());
    let latin = count <= 2 * value.bytes().filter(u8::is_ascii).count();
    if !(6..=128).contains(&count) || !printable || !latin {
        return false;
    }
    if is_placeholder(value) || is_other_thing(value) || is_technical(value) {
        return false;
    }
    let composition = Composition::of(value);
    let strong = if composition.letters() == 0 {
        false
    } else if composition.digits == 0 && inner_signs(value) == 0 {
        let mixed = 0 < composition.lower && 0 < composition.upper && 10 <= count;
        mixed && !composition.is_mostly_words() && 4 <= composition.class_changes
    } else {
        let phrase =
            2 <= composition.words && composition.digits <= 1 && composition.is_mostly_words();
        let text = matches!(form, ValueForm::Quoted | ValueForm::Plain);
        !phrase || composition.classes() == 4 || (text && has_digit_in_word(value))
    };
    let sure = match form {
        ValueForm::Quoted | ValueForm::Plain => true,
        ValueForm::Bare | ValueForm::InSentence => 0 < composition.digits,
        ValueForm::LaterInSentence => 0 < composition.digits && 3 <= composition.classes(),
        ValueForm::NextWord => composition.classes() == 4,
    };
    strong && sure
}

/// Whether a digit replaces a letter inside a word, as in `gr4nite`.
fn has_digit_in_word(value: &str) -> bool {
    let between = |it: &[u8]| {
        it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_alphabetic()
    };
    value.as_bytes().windows(3).any(between)
}

/// The number of signs that occur in passwords rather than in sentences or names.
fn inner_signs(value: &str) -> usize {
    let inner = value.trim_matches(|it: char| !it.is_alphanumeric());
    inner.chars().filter(|it| "!@#$%^&*?+=~".contains(*it)).count()
}

/// The kind for the service whose secrets have this form under such a name.
fn vendor(name: &str, value: &str) -> FindingKind {
    let named = |word: &str| name.contains(word);
    let hex = |count: usize| value.len() == count && value.bytes().all(|it| it.is_ascii_hexdigit());
    let base64 = || value.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'/' || it == b'+');
    if (named("secretaccesskey") || named("aws")) && value.len() == 40 && base64() {
        FindingKind::AwsSecretKey
    } else if named("heroku") && is_uuid(value) {
        FindingKind::HerokuKey
    } else if named("twilio") && hex(32) {
        FindingKind::TwilioKey
    } else if named("mailgun") {
        FindingKind::MailgunKey
    } else if name.ends_with("authtoken") && is_uuid(value) {
        FindingKind::NpmToken
    } else if named("bitbucket") {
        FindingKind::BitbucketToken
    } else if named("discord") {
        FindingKind::DiscordToken
    } else {
        FindingKind::NamedSecret
    }
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.char_indices().all(|(at, it)| match at {
            8 | 13 | 18 | 23 => it == '-',
            _ => it.is_ascii_hexdigit(),
        })
}
