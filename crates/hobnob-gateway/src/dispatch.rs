//! A view's requests: located, guarded, forwarded, rewritten, recorded.
//!
//! `router` implements the protocol's `Service` and passes each request to the part that answers it:
//! `call`, `lists` or `contents`. Each request to an upstream or a built-in goes through `permitted`
//! with a permit of that very request.

pub(crate) mod call;
pub(crate) mod contents;
mod envelope;
mod follow;
pub(crate) mod guard;
pub(crate) mod lists;
pub(crate) mod locate;
mod login_question;
mod not_permitted;
pub(crate) mod own;
pub(crate) mod owner_guard;
mod result_form;
pub(crate) mod results;
pub(crate) mod router;
pub(crate) mod rule_writer;
pub(crate) mod shown_tools;
pub(crate) mod tool_search;
mod upstream_tool;
