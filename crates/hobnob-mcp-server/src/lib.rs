//! Answers MCP with a [`Service`](hobnob_mcp_engine::Service): every revision, over any [`Link`].
//!
//! `Server` is what a transport hosts; it answers with the toolbox of its author, or with a service
//! of another make. `Session` is one legacy peer (or one pipe, which may speak both eras).

mod ask;
mod batch;
mod call;
mod call_notes;
mod calls;
mod client_quotas;
mod legacy;
mod listen;
mod modern;
mod open_questions;
mod other_exchange;
mod other_methods;
mod reply;
mod roots;
mod serve;
mod server;
mod session;
mod session_state;
mod stream_form;
mod traffic;
mod watched;
mod wire;

pub use client_quotas::ClientQuotas;
pub use hobnob_mcp_transport::Link;
pub use modern::{ModernRequest, answer_modern};
pub use other_exchange::answer_other;
pub use other_methods::{
    OtherCalls, OtherClient, OtherDelivery, OtherMethods, OtherMethodsAccess, ServiceCalls,
};
pub use reply::{PendingReply, ReadyReply, Reply, ReplyScope};
pub use serve::{serve_link, serve_link_as, serve_link_for, serve_stdio};
pub use server::{BuildError, Server, ServerBuilder};
pub use session::{Eras, Session};
pub use stream_form::{EventIdForm, ProgressRule};
