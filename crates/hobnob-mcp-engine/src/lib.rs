//! The rules of an MCP conversation, without I/O and without an async runtime.
//!
//! Services see only the newest revision's terms: calls that carry everything they need. The
//! conversions for older revisions live here too, but only the edges use them.

mod answers;
mod arrival;
mod box_future;
mod call_trace;
mod caller;
mod catch_panic;
mod change;
mod client_id;
mod dialogue;
mod downgrade;
mod era;
mod fault;
mod headers;
mod held;
mod inflight;
mod interest;
mod keyed_hash;
mod limits;
mod list_page;
mod message_tap;
mod notes;
mod question;
mod randomness;
mod refusal;
mod round_trips;
mod seal;
mod service;
mod share;
mod stream_event;
mod task;
#[cfg(test)]
mod tests;
mod wire_trace;

pub use answers::{Answers, RoundAnswers, input_responses};
pub use arrival::Arrival;
pub use box_future::BoxFuture;
pub use call_trace::CallTrace;
pub use caller::Caller;
pub use catch_panic::catch_panic;
pub use change::{Change, ChangeHub, ChangeSink, Subscription};
pub use client_id::{ClientId, Principal};
pub use dialogue::{Dialogue, HandshakeRules, LegacyPeer};
pub use downgrade::{
    downgrade_capabilities, downgrade_entry, downgrade_implementation, downgrade_result,
};
pub use era::{EraChoice, ModernMeta, choose_era, modern_caller, progress_token};
pub use fault::{ArgumentProblem, ArgumentProblems, CallError};
pub use headers::{HeaderView, MirroredParam, MirroredParams, check_headers};
pub use held::{Held, Withdrawal};
pub use inflight::{InFlight, Refused, Ticket};
pub use interest::{Interest, InterestSink, Watch};
pub use limits::Limits;
pub use list_page::{ListPage, MAX_PAGE_BYTES};
pub use message_tap::{
    MessageObserver, MessagePeer, MessageTap, PassedMessage, message_text, request_text,
};
pub use notes::{Note, NoteSink, Notes};
pub use question::{Questions, can_answer, legacy_question};
pub use randomness::{NoRandomness, random_bytes, random_token};
pub use refusal::{Refusable, check_answer, refusal_answer};
pub use round_trips::{CallEnd, NextRound, RoundLimits, RoundTrips, TooManyRounds, round_trips};
pub use seal::{Binding, SealKey};
pub use service::{Answer, Call, EndedSession, Offer, Outcome, Service, Subscriber, TaskOffer};
pub use share::{Share, ShareKey, Shares};
pub use stream_event::{OutputStream, StreamEvent};
pub use task::{TaskOwner, TaskRecord, TaskStatus, timestamp};
pub use wire_trace::{WIRE_TARGET, WireDirection, WireTrace, redacted};
