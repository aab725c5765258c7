//! Whether a value is a secret, by how it is made and by what it was given to.

use crate::kind::Kind;
use crate::placeholder::is_placeholder;
use crate::wording::{Makeup, entropy};

use super::look_alike::{begins_code, is_expression, is_other_thing, is_sequence, is_technical};
use super::name::{Holds, Name};
use super::value::{Dress, Value};

/// The kind of secret that a value of this name is, if it is one.
pub(crate) fn judge(name: &Name, value: &Value<'_>) -> Option<Kind> {
    let code = match value.dress {
        Dress::Quoted => false,
        Dress::Plain => is_expression(value.text),
        Dress::Bare | Dress::Spoken | Dress::SpokenAfar | Dress::Beside => {
            begins_code(value.text) || is_expression(value.text)
        }
    };
    if code {
        return None;
    }
    let kind = match name.holds {
        Holds::Password if is_password(value.text, value.dress) => Kind::Password,
        Holds::Password if value.dress != Dress::Beside && is_secret(value.text) => Kind::Password,
        Holds::Secret if is_secret(value.text) => vendor(&name.squashed, value.text),
        Holds::Password | Holds::Secret => return None,
    };
    Some(kind)
}

/// Whether a value is as mixed as what machines make.
pub(crate) fn is_secret(value: &str) -> bool {
    if !(8..=2048).contains(&value.len()) || !value.bytes().all(|it| it.is_ascii_graphic()) {
        return false;
    }
    if is_placeholder(value) || is_other_thing(value) || is_sequence(value) || is_technical(value) {
        return false;
    }
    let makeup = Makeup::of(value);
    if makeup.is_worded() || makeup.letters() == 0 {
        return false;
    }
    if value.len() < 16 {
        let mixed = 3 <= makeup.classes() && 2 <= makeup.digits && value.len() <= 3 * makeup.turns;
        return mixed && 2.75 <= entropy(value);
    }
    let random = 0 < makeup.digits || value.len() <= 4 * makeup.turns || 24 <= value.len();
    random && 8 <= makeup.distinct && 3.0 <= entropy(value)
}

/// Whether the value of an option is a password rather than a variable or an example.
pub(crate) fn is_typed_password(value: &str) -> bool {
    is_password(value, Dress::Plain) || is_secret(value)
}

/// Whether a value is what people type as a password, and not a word, a name or a description.
fn is_password(value: &str, dress: Dress) -> bool {
    let count = value.chars().count();
    let printable = !value.chars().any(|it| it.is_whitespace() || it.is_control());
    let latin = count <= 2 * value.bytes().filter(u8::is_ascii).count();
    if !(6..=128).contains(&count) || !printable || !latin {
        return false;
    }
    if is_placeholder(value) || is_other_thing(value) || is_technical(value) {
        return false;
    }
    let makeup = Makeup::of(value);
    let strong = if makeup.letters() == 0 {
        false
    } else if makeup.digits == 0 && inner_signs(value) == 0 {
        let mixed = 0 < makeup.lower && 0 < makeup.upper && 10 <= count;
        mixed && !makeup.is_worded() && 4 <= makeup.turns
    } else {
        let phrase = 2 <= makeup.words && makeup.digits <= 1 && makeup.is_worded();
        let text = matches!(dress, Dress::Quoted | Dress::Plain);
        !phrase || makeup.classes() == 4 || (text && has_digit_in_word(value))
    };
    let sure = match dress {
        Dress::Quoted | Dress::Plain => true,
        Dress::Bare | Dress::Spoken => 0 < makeup.digits,
        Dress::SpokenAfar => 0 < makeup.digits && 3 <= makeup.classes(),
        Dress::Beside => makeup.classes() == 4,
    };
    strong && sure
}

/// Whether a digit stands for a letter, as in `gr4nite`.
fn has_digit_in_word(value: &str) -> bool {
    let between = |it: &[u8]| {
        it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_alphabetic()
    };
    value.as_bytes().windows(3).any(between)
}

/// Signs that are part of a password rather than of a sentence or a name.
fn inner_signs(value: &str) -> usize {
    let inner = value.trim_matches(|it: char| !it.is_alphanumeric());
    inner.chars().filter(|it| "!@#$%^&*?+=~".contains(*it)).count()
}

/// The service whose secrets have this form under such a name.
fn vendor(name: &str, value: &str) -> Kind {
    let named = |word: &str| name.contains(word);
    let hex = |count: usize| value.len() == count && value.bytes().all(|it| it.is_ascii_hexdigit());
    let base64 = || value.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'/' || it == b'+');
    if (named("secretaccesskey") || named("aws")) && value.len() == 40 && base64() {
        Kind::AwsSecretKey
    } else if named("heroku") && is_uuid(value) {
        Kind::HerokuKey
    } else if named("twilio") && hex(32) {
        Kind::TwilioKey
    } else if named("mailgun") {
        Kind::MailgunKey
    } else if name.ends_with("authtoken") && is_uuid(value) {
        Kind::NpmToken
    } else if named("bitbucket") {
        Kind::BitbucketToken
    } else if named("discord") {
        Kind::DiscordToken
    } else {
        Kind::NamedSecret
    }
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.char_indices().all(|(at, it)| match at {
            8 | 13 | 18 | 23 => it == '-',
            _ => it.is_ascii_hexdigit(),
        })
}
