//! A view's requests: located, guarded, forwarded, rewritten, recorded.
//!
//! `router` implements the protocol's `Service` and calls the rest. Each request to an upstream or
//! a built-in goes through `permitted` with a permit of that very request.

pub(crate) mod call;
mod envelope;
pub(crate) mod follow;
pub(crate) mod guard;
pub(crate) mod list_access;
mod listed;
pub(crate) mod locate;
mod login_question;
mod own;
mod owner_guard;
mod result_form;
pub(crate) mod results;
mod router;
pub(crate) mod service;
pub(crate) mod shown_tools;
pub(crate) mod stored_lists;
pub(crate) mod tool_search;
mod upstream_tool;
