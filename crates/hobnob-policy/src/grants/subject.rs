//! The caller of a service, and the holder of a grant.
//!
//! A grant without a name is for callers on this machine that the transport did not authenticate:
//! the person's own programs. Every other caller needs a grant that names it.

/// Longest name of a principal, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// Where a call comes from, as its transport saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerPlace {
    /// A pipe, a private socket, or a connection over the loopback interface.
    Local,
    /// A connection from elsewhere, or an unknown one.
    Remote,
}

/// The caller that asks for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantSubject<'a> {
    /// The principal that the transport authenticated, if it did.
    pub principal: Option<&'a str>,
    /// Where the call comes from.
    pub place: CallerPlace,
}

impl GrantSubject<'_> {
    /// Whether no grant at all can be for this caller.
    pub(super) fn is_remote_stranger(&self) -> bool {
        self.principal.is_none() && self.place == CallerPlace::Remote
    }
}

/// Which callers a grant is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GrantHolder {
    /// Callers on this machine that the transport did not authenticate.
    LocalCallers,
    /// The principal with this name, on this machine or another.
    Principal(Box<str>),
}

impl GrantHolder {
    pub(super) fn parse(name: Option<&str>) -> Result<Self, String> {
        match name {
            None => Ok(Self::LocalCallers),
            Some("") => Err("the principal it is for has no name".into()),
            Some(name) if MAX_NAME_BYTES < name.len() => {
                Err(format!("the principal it is for has more than {MAX_NAME_BYTES} bytes"))
            }
            Some(name) => Ok(Self::Principal(name.into())),
        }
    }

    pub(super) fn includes(&self, who: GrantSubject<'_>) -> bool {
        match (self, who.principal) {
            (Self::LocalCallers, None) => who.place == CallerPlace::Local,
            (Self::Principal(name), Some(principal)) => **name == *principal,
            (Self::LocalCallers, Some(_)) | (Self::Principal(_), None) => false,
        }
    }

    /// What follows a grant's text, if the grant names a principal.
    pub(super) fn suffix(&self) -> String {
        match self {
            Self::LocalCallers => String::new(),
            Self::Principal(name) => format!(" for {name}"),
        }
    }
}
