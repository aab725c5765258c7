//! Answers MCP with a [`Service`](hobnob_mcp_engine::Service): every revision, over any [`Link`].
//!
//! `toolbox` is what an author of a server fills; `Server` is what a transport hosts; `Session`
//! is one legacy peer (or one pipe, which may speak both eras).

mod ask;
mod batch;
mod call;
mod call_notes;
mod calls;
mod legacy;
mod listen;
mod modern;
mod open_questions;
mod reply;
mod roots;
mod serve;
mod server;
mod session;
mod session_state;
mod tasks;
pub mod toolbox;
mod traffic;
mod watched;
mod wire;

pub use hobnob_mcp_transport::Link;
pub use modern::{ModernRequest, answer_modern};
pub use reply::{PendingReply, ReadyReply, Reply, ReplyScope};
pub use serve::{serve_link, serve_link_as, serve_stdio};
pub use server::{BuildError, ClientQuotas, Server, ServerBuilder};
pub use session::{Eras, Session};
pub use tasks::{PersistedTask, Runner, TaskStore, TaskStoreError, Tasks};
