//! The client as programs use it: against scripted servers, and our own over every transport.

mod abandoned_calls;
mod any_input;
mod asking;
mod attribution;
mod ending;
mod eras;
mod http;
mod lists;
mod matching;
mod message_tap;
mod ours;
mod ours_asking;
mod pass_through;
mod script;
mod subscriptions;
mod support;
mod timing;
mod typed_client;
