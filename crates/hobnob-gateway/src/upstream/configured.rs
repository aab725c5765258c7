//! An upstream as configured: its entry, whether it may run, and why it cannot be used.
//!
//! `servers::gate` makes it from the settings; every start of an upstream checks it first.

use hobnob_config::{
    Digest, EffectiveServer, Isolation, Origin, STARTS_OURSELVES, ServerName, ServerSandbox,
    ServerSpec, Start,
};
use hobnob_text::shell_word;

/// What the configuration says about an upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) name: ServerName,
    pub(crate) origin: Origin,
    /// The key under which its catalogue, its pins and its failures are stored.
    pub(crate) identity: Digest,
    /// Whether the project has an entry of this name that still needs approval.
    pub(crate) waiting: bool,
    pub(crate) spec: Result<(ServerSpec, EffectiveServer), String>,
    pub(crate) gate: Gate,
}

/// Whether the server may run at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Disabled,
    /// The server would start this very hub again.
    Ourselves,
    NeedsApproval,
    /// The approvals cannot be read, so no server of the project is started.
    ApprovalsBroken(String),
}

/// Why an upstream cannot be used now. The text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unavailable(pub(crate) String);

impl Unavailable {
    pub(super) fn stopping(server: &str) -> Self {
        Self(format!("server `{server}` is stopping"))
    }
}

impl Configured {
    /// Whether it may be started: enabled, approved and well configured.
    pub(crate) fn is_startable(&self) -> bool {
        self.gate == Gate::Open && self.spec.is_ok()
    }

    /// Fails if it may not be started; the error says why and what to do.
    pub(crate) fn check_startable(&self) -> Result<(), Unavailable> {
        let name = &self.name;
        let why = match (&self.gate, &self.spec) {
            (Gate::Disabled, _) => format!("server `{name}` is disabled"),
            (Gate::Ourselves, _) => format!("server `{name}` is refused: {STARTS_OURSELVES}"),
            // An approval would not help before the entry is corrected.
            (Gate::NeedsApproval | Gate::Open, Err(why)) => {
                format!("server `{name}` is misconfigured: {why}")
            }
            (Gate::NeedsApproval, Ok(_)) => format!(
                "server `{name}` comes from the project and was never approved; \
                 look at it and approve it with: hobnob approve {}",
                shell_word(name.as_str())
            ),
            (Gate::ApprovalsBroken(why), _) => format!(
                "server `{name}` is not started, because the approvals cannot be read: {why}"
            ),
            (Gate::Open, Ok(_)) => return Ok(()),
        };
        Err(Unavailable(why))
    }

    /// A text about the server, with the values of its entry's variables concealed.
    pub(crate) fn conceal(&self, text: &str) -> String {
        let spec = self.spec.as_ref().ok().map(|(spec, _)| spec);
        spec.map_or_else(|| text.to_owned(), |spec| spec.conceal(text).into_owned())
    }

    /// Whether it starts together with Hobnob.
    pub(crate) fn is_eager(&self) -> bool {
        self.spec.as_ref().is_ok_and(|(_, effective)| effective.start == Start::Eager)
    }

    /// Whether every client gets its own connection.
    pub(crate) fn is_isolated(&self) -> bool {
        self.spec.as_ref().is_ok_and(|(_, effective)| effective.isolation == Isolation::Client)
    }

    /// Its sandbox, if it has one; only a new process can have a different one.
    pub(crate) fn sandbox(&self) -> Option<&ServerSandbox> {
        self.spec.as_ref().ok()?.1.sandbox.as_ref()
    }

    /// Whether it is a program on this machine, not a remote server.
    pub(crate) fn is_program(&self) -> bool {
        !self.spec.as_ref().is_ok_and(|(spec, _)| !spec.is_program())
    }
}
