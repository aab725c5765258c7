//! The only code that reaches an upstream's calls or a built-in; all it takes is a permit.
//!
//! `dispatch` asks [`hobnob_policy::authorize`] about an [`UpstreamRequest`] or a
//! [`BuiltInRequest`]. [`GuardedRemote`] and [`GuardedToolbox`] take the permit and carry out the
//! request inside it.
//!
//! With a permit, this compiles:
//!
//! ```
//! use hobnob_gateway::permitted::{BuiltInRequest, GuardedRemote, GuardedToolbox, UpstreamRequest};
//! use hobnob_mcp_engine::Notes;
//! use hobnob_policy::Permit;
//! async fn upstream(remote: &GuardedRemote, permit: &Permit<UpstreamRequest>, notes: &Notes) {
//!     let _ = remote.forward(permit, None, notes).await;
//! }
//! async fn built_in(toolbox: &GuardedToolbox, permit: Permit<BuiltInRequest>, notes: Notes) {
//!     let _ = toolbox.call(permit, notes).await;
//! }
//! ```
//!
//! Without a permit it does not compile, neither with the request alone nor with the call:
//!
//! ```compile_fail,E0308
//! use hobnob_gateway::permitted::{GuardedRemote, UpstreamRequest};
//! use hobnob_mcp_engine::Notes;
//! async fn upstream(remote: &GuardedRemote, request: &UpstreamRequest, notes: &Notes) {
//!     let _ = remote.forward(request, None, notes).await;
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use hobnob_gateway::permitted::GuardedToolbox;
//! use hobnob_mcp_engine::{Call, Notes};
//! async fn built_in(toolbox: &GuardedToolbox, call: Call, notes: Notes) {
//!     let _ = toolbox.call(call, notes).await;
//! }
//! ```
//!
//! A question that is still open is no permit, and a permit for a built-in opens no upstream:
//!
//! ```compile_fail,E0308
//! use hobnob_gateway::permitted::{GuardedRemote, UpstreamRequest};
//! use hobnob_mcp_engine::Notes;
//! use hobnob_policy::PendingConsent;
//! async fn upstream(remote: &GuardedRemote, asked: &PendingConsent<UpstreamRequest>, notes: &Notes) {
//!     let _ = remote.forward(asked, None, notes).await;
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use hobnob_gateway::permitted::{BuiltInRequest, GuardedRemote};
//! use hobnob_mcp_engine::Notes;
//! use hobnob_policy::Permit;
//! async fn upstream(remote: &GuardedRemote, permit: &Permit<BuiltInRequest>, notes: &Notes) {
//!     let _ = remote.forward(permit, None, notes).await;
//! }
//! ```
//!
//! The unguarded parts inside cannot be taken out:
//!
//! ```compile_fail,E0616
//! use hobnob_gateway::permitted::GuardedToolbox;
//! use hobnob_mcp_engine::{Call, Notes, Service};
//! async fn built_in(toolbox: &GuardedToolbox, call: Call, notes: Notes) {
//!     let _ = toolbox.toolbox.call(call, notes).await;
//! }
//! ```
//!
//! ```compile_fail,E0616
//! use hobnob_gateway::permitted::GuardedRemote;
//! fn remote(remote: &GuardedRemote) {
//!     let _ = &remote.remote;
//! }
//! ```

mod remote;
mod request;
mod toolbox;

pub use remote::GuardedRemote;
pub(crate) use request::{AskableRequest, built_in_subject, tool_subject};
pub use request::{BuiltInRequest, UpstreamRequest};
pub use toolbox::GuardedToolbox;
