//! What waits for an approval of the owner: servers of the project, and tools that changed.
//!
//! `hobnob approve` and the page show it and carry the approval out. What must stay true: what is
//! shown is what the digest stands for.

mod servers;
mod tools;

pub use servers::{ServerToApprove, servers_to_approve};
pub use tools::{ToolToApprove, ToolsToApprove, WaitReason, suspicions};
