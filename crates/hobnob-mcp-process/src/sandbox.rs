//! What the processes of a command can reach, and how that is enforced.
//!
//! A caller writes a [`Sandbox`]. On Linux a runner enters it before it takes the first command,
//! and the supervisor of a confined server before it starts the server ([`enter`]). Everything that
//! the sandbox does not name is out of reach.

#[cfg(target_os = "linux")]
mod arguments;
#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod loopback;
#[cfg(target_os = "linux")]
mod mount_flags;
#[cfg(target_os = "linux")]
mod new_root;
#[cfg(target_os = "linux")]
mod root_builder;
#[cfg(target_os = "linux")]
mod root_secrets;
mod spec;
#[cfg(target_os = "linux")]
mod syscall_filter;
#[cfg(target_os = "linux")]
mod system_paths;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub(crate) use arguments::{from_arguments, to_arguments};
#[cfg(target_os = "linux")]
pub(crate) use enter::enter;
#[cfg(target_os = "linux")]
pub use landlock_rules::landlock_support;
pub use spec::{
    FileIdentity, LandlockSupport, NetworkAccess, SCRATCH, SYSTEM_PATHS, Sandbox, SandboxLevel,
    SandboxPath, SandboxSupport,
};
#[cfg(not(target_os = "linux"))]
pub use unsupported::landlock_support;
