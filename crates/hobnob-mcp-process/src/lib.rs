//! Processes that we start, and the guarantee that nothing of them survives.
//!
//! The client and the gateway start servers as a [`child::Child`]; services run commands through a
//! [`runner::RunnerPool`]. Nothing here knows the protocol: a process has a program, pipes, limits
//! and an end.

#[cfg(target_os = "linux")]
mod ancestry;
#[cfg(unix)]
pub mod child;
#[cfg(unix)]
mod descriptor_limit;
mod limits;
#[cfg(unix)]
pub mod runner;
mod sandbox;
pub mod supervisor;
pub mod trace;

#[cfg(target_os = "linux")]
pub use ancestry::{is_confined, is_process_started_by_hub, is_started_by_hub};
#[cfg(unix)]
pub use descriptor_limit::raise_descriptor_limit;
pub use limits::{LimitKind, MemorySupport, ProcessLimits};
pub use sandbox::{
    FileIdentity, LandlockSupport, NetworkAccess, SCRATCH, SYSTEM_PATHS, Sandbox, SandboxLevel,
    SandboxPath, SandboxSupport, landlock_support,
};
