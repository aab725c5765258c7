//! The kernel's own memory limit: a cgroup for each runner, where a cgroup of version 2 was
//! delegated to us, as systemd does with `Delegate=` and containers do with their root.
//!
//! Hobnob makes the leaves ([`leaves`]), and each runner moves itself into one ([`membership`]). If
//! a step fails, the [`sampler`](super::sampler) alone enforces the limit.

#[cfg(target_os = "linux")]
mod division;
#[cfg(target_os = "linux")]
mod leaves;
#[cfg(target_os = "linux")]
mod membership;
#[cfg(target_os = "linux")]
mod search;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub use division::memory_support;
#[cfg(target_os = "linux")]
pub(super) use leaves::{RunnerCgroups, RunnerLeaf, remove_leaves};
#[cfg(target_os = "linux")]
pub(super) use membership::{KernelLimit, MemoryJudge};
#[cfg(not(target_os = "linux"))]
pub use unsupported::memory_support;
#[cfg(not(target_os = "linux"))]
pub(super) use unsupported::{RunnerCgroups, RunnerLeaf, remove_leaves};
