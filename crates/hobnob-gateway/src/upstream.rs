//! One upstream server: how it is reached, started, refreshed and stopped, and its status.
//!
//! The gateway holds an [`Upstream`] for each server of the configuration and asks it for
//! connections. The files are listed bottom up: each uses only those before it. `health` decides
//! purely; `launch`, `life` and `start` act.

pub(crate) mod configured;
pub(crate) mod failures;
pub(crate) mod health;
mod installer;
pub(crate) mod lists;
pub(crate) mod shown_connections;
mod spare_time;
pub(crate) mod start_limiter;
pub(crate) mod status;

pub(crate) mod history;

pub(crate) mod supervision;

pub(crate) mod sandbox_builder;

pub(crate) mod connection_state;
mod headers_helper;
mod host;
pub(crate) mod known_lists;
pub(crate) mod launch;
pub(crate) mod login_pages;
mod oauth_settings;
pub(crate) mod page_login;
mod printed_headers;
mod reflection;
pub(crate) mod running;
mod server_log;

mod observed_connection;

pub(crate) mod logins;

pub(crate) mod slots;

pub(crate) mod connections;

pub(crate) mod server;

mod life;

mod start;

mod restart;

mod log_in;

pub use failures::{carry_start_failure, forget_start_failure};
pub use history::PhaseChange;
pub use log_in::{BegunLogin, LOGIN_PORT};
pub use login_pages::{LoginPages, ShowPage};
pub use oauth_settings::{needs_person, oauth_builder, why_no_login};
pub use observed_connection::{ConnectionEnd, ObservedConnection, ServerPlace};
pub use status::{LoginReport, Phase, ServerProcess, UpstreamStatus};
