//! Who asks, and whom a grant is for.
//!
//! A grant without a name is for callers on this machine whom nobody has authenticated: the person's
//! own programs. Everybody else needs a grant that names them.

/// Bytes that the name of a principal may have.
const LONGEST_NAME: usize = 256;

/// Where a call comes from, as its transport saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerPlace {
    /// A pipe, a private socket, or a connection over the loopback interface.
    Local,
    /// A connection from elsewhere, or an unknown one.
    Remote,
}

/// Who asks for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantSubject<'a> {
    /// Whom the transport authenticated; none is nobody in particular.
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

/// Whom a grant is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GrantHolder {
    /// Callers on this machine whom nobody has authenticated.
    LocalCallers,
    /// Whoever is authenticated by this name, wherever they are.
    Principal(Box<str>),
}

impl GrantHolder {
    pub(super) fn parse(name: Option<&str>) -> Result<Self, String> {
        match name {
            None => Ok(Self::LocalCallers),
            Some("") => Err("the principal it is for has no name".into()),
            Some(name) if LONGEST_NAME < name.len() => {
                Err(format!("the principal it is for has more than {LONGEST_NAME} bytes"))
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

    /// What stands behind a grant's text, if it is for somebody in particular.
    pub(super) fn suffix(&self) -> String {
        match self {
            Self::LocalCallers => String::new(),
            Self::Principal(name) => format!(" for {name}"),
        }
    }
}
