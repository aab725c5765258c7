//! The signature algorithms that are accepted, by their names in tokens and keys.
//!
//! Only algorithms with a public key are accepted, so that a verifier cannot make tokens.

/// The signature algorithms that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JwtAlgorithm {
    Rs256,
    Ps256,
    Es256,
    Es384,
    EdDsa,
}

impl JwtAlgorithm {
    const ALL: [Self; 5] = [Self::Rs256, Self::Ps256, Self::Es256, Self::Es384, Self::EdDsa];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of this name, in exactly this spelling.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }
}
