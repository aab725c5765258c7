//! Tokens: a kind and twelve letters of an HMAC over the value.
//!
//! The letters are not hexadecimal digits, so a token next to other text never looks like an
//! address.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use ring::hmac::{self, HMAC_SHA256};

/// The sixteen letters of tokens; each encodes four bits.
const LETTERS: &[u8; 16] = b"GHJKLMNPQRSTVWXZ";
/// The number of letters after the kind: 48 bits.
const LENGTH: usize = 12;

/// The kind of value that a token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PersonalKind {
    /// The name of an account.
    User,
    /// The name of this machine, or of one that the text calls a host.
    Host,
    /// An IPv4 or IPv6 address.
    Ip,
    /// An address that receives mail.
    Email,
    /// The home folder of a user.
    Path,
    /// The hardware address of a network card.
    Mac,
    /// The security identifier of an account on Windows.
    Sid,
}

impl PersonalKind {
    /// Every kind of personal data.
    pub const ALL: [Self; 7] =
        [Self::User, Self::Host, Self::Ip, Self::Email, Self::Path, Self::Mac, Self::Sid];

    /// The prefix of the token.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "USER",
            Self::Host => "HOST",
            Self::Ip => "IP",
            Self::Email => "EMAIL",
            Self::Path => "PATH",
            Self::Mac => "MAC",
            Self::Sid => "SID",
        }
    }
}

/// The secret key of the tokens. Its owner can find the value of a token by guessing values.
pub struct AnonymiserKey(hmac::Key);

impl AnonymiserKey {
    /// A key of these bytes, which should be random.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(hmac::Key::new(HMAC_SHA256, bytes))
    }

    /// The token of a value; it depends only on key, kind and value.
    #[must_use]
    pub fn token(&self, kind: PersonalKind, value: &str) -> PersonalToken {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(kind.as_str().as_bytes());
        context.update(&[0]);
        context.update(value.as_bytes());
        let tag = context.sign();
        let mut letters = [0; LENGTH];
        for (pair, byte) in letters.chunks_exact_mut(2).zip(tag.as_ref()) {
            pair[0] = LETTERS[usize::from(byte >> 4)];
            pair[1] = LETTERS[usize::from(byte & 15)];
        }
        PersonalToken { kind, letters }
    }
}

impl fmt::Debug for AnonymiserKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("AnonymiserKey(…)")
    }
}

/// The replacement of a value, such as `USER-GHJKLMNPQRST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PersonalToken {
    kind: PersonalKind,
    letters: [u8; LENGTH],
}

impl PersonalToken {
    /// The kind of value that it stands for.
    #[must_use]
    pub fn kind(&self) -> PersonalKind {
        self.kind
    }

    /// Appends the token to a text.
    pub(super) fn push_to(&self, out: &mut String) {
        out.push_str(self.kind.as_str());
        out.push('-');
        out.extend(self.letters.iter().map(|letter| char::from(*letter)));
    }
}

impl fmt::Display for PersonalToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        out.write_str(&text)
    }
}

/// The text is not a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadToken(String);

impl fmt::Display for BadToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is not a token such as `USER-GHJKLMNPQRST`", self.0)
    }
}

impl std::error::Error for BadToken {}

impl FromStr for PersonalToken {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Self, BadToken> {
        let read = || {
            let (kind, letters) = text.split_once('-')?;
            let kind = PersonalKind::ALL.into_iter().find(|it| it.as_str() == kind)?;
            let letters = <[u8; LENGTH]>::try_from(letters.as_bytes()).ok()?;
            letters.iter().all(|it| LETTERS.contains(it)).then_some(Self { kind, letters })
        };
        read().ok_or_else(|| BadToken(text.to_owned()))
    }
}

/// The range of the first token in a text, which an earlier pass has put there.
pub(super) fn first_token(text: &str) -> Option<Range<usize>> {
    text.match_indices('-').find_map(|(dash, _)| {
        let letters = text.as_bytes().get(dash + 1..dash + 1 + LENGTH)?;
        let kind = PersonalKind::ALL.iter().find(|kind| text[..dash].ends_with(kind.as_str()))?;
        let all = letters.iter().all(|it| LETTERS.contains(it));
        all.then(|| dash - kind.as_str().len()..dash + 1 + LENGTH)
    })
}
