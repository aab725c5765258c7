//! How strong the guarantee is on this machine: a value that [`detect`](super::detect) finds, and
//! that the supervisor gets as an argument.

/// The first argument that makes a program a supervisor.
pub const ARGUMENT: &str = "__supervise";

/// The last argument of a runner whose commands have no sandbox; otherwise the sandbox's level.
#[cfg(unix)]
pub(crate) const UNCONFINED: &str = "unconfined";

/// The role of a supervisor whose program is confined; how it supervises is the next argument.
#[cfg(unix)]
pub(crate) const CONFINED: &str = "confined";

/// The way to keep the descendants of a child process from outliving us, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// A PID namespace of its own: the kernel ends all its processes at once.
    Namespace,
    /// A supervisor that adopts every orphan, and ends them all.
    Subreaper,
    /// Only the process group, and only while we live.
    Group,
}

impl Level {
    /// The guarantee in words, for people.
    pub fn describes(self) -> &'static str {
        match self {
            Self::Namespace => {
                "Every server runs in a PID namespace of its own: when Hobnob ends, however it \
                 ends, the kernel ends the server and everything it has started."
            }
            Self::Subreaper => {
                "Every server runs under a small supervisor process: when Hobnob ends, however it \
                 ends, the supervisor ends the server and everything it has started. Only killing the \
                 supervisor itself would let processes with a session of their own survive."
            }
            Self::Group => {
                "Every server runs in a process group of its own, which Hobnob ends when it stops. \
                 If Hobnob itself is killed, servers only see the end of their input, and \
                 processes with a session of their own may survive."
            }
        }
    }

    /// The argument that tells a supervisor which level to provide.
    #[cfg(unix)]
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Subreaper => "subreaper",
            Self::Group => "group",
        }
    }
}
