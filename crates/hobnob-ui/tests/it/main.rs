//! All integration tests of this crate, in one binary: requests to the routes of a page whose hub is
//! scripted, and a browser's connection to a real listener.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as the tests do"
)]

mod page_hub;
mod requests;
mod scripted_recordings;
mod scripted_rules;
mod scripted_servers;
mod scripted_tokens;

mod api_answers;
mod audit_pages;
mod guard_table;
mod links_and_sessions;
mod listener;
mod principal_records;
mod principals;
mod progress;
mod recordings;
mod route_table;
mod rules;
mod server_changes;
mod stream_resume;
mod streams;
