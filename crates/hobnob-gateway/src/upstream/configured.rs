//! An upstream as its user wrote it: what it is, whether it may run, and why it cannot be used.
//!
//! `prepare` makes it from the settings; everything that starts an upstream checks it first.

use hobnob_config::{
    Digest, EffectiveServer, Isolation, Origin, STARTS_OURSELVES, ServerName, ServerSandbox,
    ServerSpec, Start,
};

/// What is known of an upstream from its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) name: ServerName,
    pub(crate) origin: Origin,
    /// What its catalogue, its pins and its failures are stored under.
    pub(crate) identity: Digest,
    /// Whether the project has an entry of this name that nobody has approved.
    pub(crate) waiting: bool,
    pub(crate) spec: Result<(ServerSpec, EffectiveServer), String>,
    pub(crate) gate: Gate,
}

/// Whether it may run at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Disabled,
    /// It would start this very hub again.
    Ourselves,
    NeedsApproval,
    /// The file that holds the approvals cannot be read: nothing of a project is started.
    ApprovalsBroken(String),
}

/// Why an upstream cannot be used now. The text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unavailable(pub(crate) String);

impl Configured {
    /// Whether it may be started: neither switched off nor unapproved nor misconfigured.
    pub(crate) fn is_startable(&self) -> bool {
        self.gate == Gate::Open && self.spec.is_ok()
    }

    /// The same, or why not and what to do about it.
    pub(crate) fn check_startable(&self) -> Result<(), Unavailable> {
        let name = &self.name;
        let why = match (&self.gate, &self.spec) {
            (Gate::Disabled, _) => format!("server `{name}` is disabled"),
            (Gate::Ourselves, _) => format!("server `{name}` is refused: {STARTS_OURSELVES}"),
            // Approving it would not help before that is mended.
            (Gate::NeedsApproval | Gate::Open, Err(why)) => {
                format!("server `{name}` is misconfigured: {why}")
            }
            (Gate::NeedsApproval, Ok(_)) => format!(
                "server `{name}` comes from the project and was never approved; \
                 look at it and approve it with: hobnob approve {name}"
            ),
            (Gate::ApprovalsBroken(why), _) => format!(
                "server `{name}` is not started, because the approvals cannot be read: {why}"
            ),
            (Gate::Open, Ok(_)) => return Ok(()),
        };
        Err(Unavailable(why))
    }

    /// A text about it without what the variables in its entry hold.
    pub(crate) fn conceal(&self, text: &str) -> String {
        let spec = self.spec.as_ref().ok().map(|(spec, _)| spec);
        spec.map_or_else(|| text.to_owned(), |spec| spec.conceal(text).into_owned())
    }

    /// Whether it is to be started with Hobnob.
    pub(crate) fn is_eager(&self) -> bool {
        self.spec.as_ref().is_ok_and(|(_, effective)| effective.start == Start::Eager)
    }

    /// Whether every client has a connection of its own.
    pub(crate) fn is_isolated(&self) -> bool {
        self.spec.as_ref().is_ok_and(|(_, effective)| effective.isolation == Isolation::Client)
    }

    /// The walls around it, if it has any: only a new process can have others.
    pub(crate) fn sandbox(&self) -> Option<&ServerSandbox> {
        self.spec.as_ref().ok()?.1.sandbox.as_ref()
    }

    /// Whether it is a program of ours, and not a server that somebody else runs.
    pub(crate) fn is_program(&self) -> bool {
        !self.spec.as_ref().is_ok_and(|(spec, _)| !spec.is_program())
    }
}
