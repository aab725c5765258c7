//! The hub in one process: services and a gateway put together, shown in views, and reached through
//! listeners and private sockets.
//!
//! `compose` is the only wiring, and `running_hub` is what `hobnob serve` runs; commands that find
//! no running hub compose their own. What must stay true: nothing here prints, prompts a person or
//! knows exit codes.

pub mod attach;
pub mod authentication;
pub mod authorization;
mod call_observers;
pub mod change_log;
pub mod compose;
pub mod control;
pub mod file_checks;
pub mod finding;
pub mod front_page;
pub mod grants;
mod hub_announcement;
pub mod hub_description;
pub mod known_tools;
pub mod listener_certificate;
pub mod listeners;
mod local_clients;
pub mod local_secret;
pub mod metrics_route;
pub mod names;
mod opened_audit;
pub mod owner_questions;
pub mod page;
pub mod page_link;
#[cfg(target_os = "linux")]
pub mod peer_user;
mod presentation;
mod private_peer;
pub mod private_secret;
mod recorder;
pub mod refusal_audit;
pub mod rule_target;
pub mod rule_writer;
pub mod running_hub;
pub mod running_hubs;
pub mod running_program;
pub mod server_entries;
pub mod services;
pub mod socket;
pub mod store;
pub mod telemetry;
#[cfg(test)]
mod test_places;
pub mod usage;
pub mod views;
pub mod waiting_approvals;
