//! The native streaming RPC: `service.method` beside MCP, on the same connections.
//!
//! The answer to a call is the number of a subscription; its events follow, one message each, and
//! the last one says how the call ended. Calls go through the server's service like any
//! `tools/call`, so the same rules, limits and audit apply. There is no transport here.

mod content_hash;
mod directory;
mod documents;
mod method_source;
mod positional;
mod resolve;

mod event_messages;
mod flow;

mod collected;
mod stream_call;

mod rpc_view;
mod subscriptions;

mod connection;
mod native_rpc;

pub use directory::{MethodDirectory, MethodEntry, RpcMethod};
pub use flow::RpcLimits;
pub use method_source::{GatewayMethods, MethodSource};
pub use native_rpc::NativeRpc;
pub use positional::named_arguments;
pub use resolve::{RpcTarget, SchemaScope, UnknownMethod, resolve};
