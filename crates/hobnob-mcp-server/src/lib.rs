//! Serves MCP in every revision, over any [`Link`], from a [`Service`](hobnob_mcp_engine::Service).
//!
//! A `Server` is what transports host; it answers with its author's toolbox or any other service. A
//! `Session` is one legacy peer, or one pipe, which may speak both eras.

mod ask;
mod batch;
mod call;
mod call_notes;
mod calls;
mod client_quotas;
mod handshake;
mod identity;
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
mod server_builder;
mod session;
mod session_state;
mod stream_form;
mod tap;
mod traffic;
mod watched;
mod wire;

pub use client_quotas::{ClientQuotas, QuotaUse, UsedQuota};
pub use hobnob_mcp_transport::Link;
pub use modern::{ModernRequest, answer_modern};
pub use other_exchange::answer_other;
pub use other_methods::{
    OtherCalls, OtherClient, OtherDelivery, OtherMethods, OtherMethodsAccess, ServiceCalls,
};
pub use reply::{PendingReply, ReadyReply, Reply, ReplyScope};
pub use serve::{serve_link, serve_link_as, serve_link_for, serve_stdio};
pub use server::Server;
pub use server_builder::{BuildError, ServerBuilder};
pub use session::{Eras, Session};
pub use stream_form::{EventIdForm, ProgressRule};
