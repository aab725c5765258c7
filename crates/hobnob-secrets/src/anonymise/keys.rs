//! Keys whose values are names: `user=`, `"TargetUserName":`, `Workstation Name:`. The keys are
//! never replaced.

use super::around::{Around, Gap};
use super::cue::NameCue;
use super::cue::NameOwner::{self, Host, User};
use super::names::Expected::{self, AnyName, Value, Word};

/// Maximum length of a key without its separators; all keys here are shorter.
const MAX_KEY: usize = 24;

/// Suffixes of keys of names, ignoring separators and case: `db_user`, `TargetUserName`.
const ENDINGS: [(&str, NameOwner, Expected); 16] = [
    ("username", User, AnyName),
    ("accountname", User, AnyName),
    ("logname", User, AnyName),
    ("principalname", User, Value),
    ("user", User, Value),
    ("login", User, Value),
    ("userid", User, Value),
    ("origto", User, Value),
    ("hostname", Host, Value),
    ("nodename", Host, Value),
    ("computername", Host, Value),
    ("workstationname", Host, Value),
    ("machinename", Host, Value),
    ("targetdomainname", Host, Value),
    ("subjectdomainname", Host, Value),
    ("host", Host, Value),
];

/// Whole keys of names, which mean something else with another word before them.
const WHOLE_KEYS: [(&str, NameOwner, Expected); 15] = [
    ("acct", User, AnyName),
    ("account", User, Value),
    ("principal", User, Value),
    ("identity", User, Value),
    ("usr", User, Value),
    // Values of these are mostly numbers, which are no names.
    ("uid", User, Value),
    ("auid", User, Value),
    ("euid", User, Value),
    ("suid", User, Value),
    ("loginuid", User, Value),
    ("role", User, Value),
    ("computer", Host, Value),
    ("workstation", Host, Value),
    ("helo", Host, Value),
    ("accountdomain", Host, Value),
];

/// Keys that end like a key of a name but are none.
const NON_NAME_KEYS: &str = "vhost localhost ghost virtualhost";

/// What the key before a word says about it.
pub(super) fn named_by_key(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    if matches!(gap, Gap::Blank | Gap::Called | Gap::Other) {
        return None;
    }
    let key = around.key(0);
    let cue = named_by(key).or_else(|| named_by_two(around, key))?;
    let expected = match gap {
        // After a colon, a sentence may follow.
        Gap::Assigned if around.between(0).contains('=') => cue.expected,
        Gap::Assigned if cue.expected == Value => Word,
        Gap::Assigned | Gap::AssignedQuoted => cue.expected,
        // After a key, only a name is quoted, even if it is a number.
        Gap::Quoted => AnyName,
        Gap::Bracketed if around.after_name().starts_with([')', ']']) => Word,
        // In a sentence, keys such as `role` assign nothing.
        Gap::Bracketed | Gap::Blank | Gap::Called | Gap::Other => return None,
    };
    Some(NameCue { expected, ..cue })
}

/// What this key says about its value.
pub(super) fn named_by(key: &str) -> Option<NameCue> {
    let mut squashed = [0; MAX_KEY];
    let mut length = 0;
    for byte in key.bytes().filter(u8::is_ascii_alphanumeric) {
        *squashed.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    let squashed = &squashed[..length];
    let ending = || ENDINGS.iter().find(|(ending, ..)| squashed.ends_with(ending.as_bytes()));
    let whole = || WHOLE_KEYS.iter().find(|(whole, ..)| squashed == whole.as_bytes());
    if length < 3 || NON_NAME_KEYS.split(' ').any(|it| squashed == it.as_bytes()) {
        return None;
    }
    let (_, owner, expected) = whole().or_else(ending)?;
    Some(NameCue { owner: *owner, expected: *expected })
}

/// `Account Name:`, `"user":{"name":`, `new user: name=`.
fn named_by_two(around: &Around<'_>, key: &str) -> Option<NameCue> {
    if !["Name", "name", "Domain", "domain"].contains(&key) {
        return None;
    }
    let near = around.between(1);
    let joined = near.len() <= 5 && near.bytes().all(|it| b" \t\"':{\\=>".contains(&it));
    let before = around.key(1).to_ascii_lowercase();
    let owner = match (key, before.as_str()) {
        ("Name" | "name", "user" | "account" | "actor") => User,
        ("name", "group") if around.previous(2) == "new" => User,
        ("Name" | "name", "workstation" | "computer" | "host" | "machine") => Host,
        ("Domain" | "domain", "account") => Host,
        _ => return None,
    };
    joined.then_some(NameCue { owner, expected: AnyName })
}
