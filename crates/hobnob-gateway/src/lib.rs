//! Many MCP servers behind one service.
//!
//! First the pure parts: names, addresses, rewriting, pins, the merged catalogue, large results.
//! Then upstreams and their life; then the gateway that routes, guards, records and watches.

pub mod names;
pub mod nearest;
pub mod uris;

pub mod rewrite;

pub mod pins;

pub mod catalog;
mod consent;

pub mod spill;

mod management_tools;
pub mod permitted;
mod token;

mod identity;
mod upstream;

mod gateway;
mod view;

mod apply;
mod prepare;
mod reload;
mod remember;
mod state;

mod call;
mod follow;
mod forward;
mod guard;
mod learn;
mod offer;
mod record;
mod route;
mod upstream_tool;

mod management;
mod own;
mod pace;
mod polled;
mod polling;
mod polls;
mod status;
mod watch;

pub use gateway::{FirstStarts, Gateway, GatewayError, GatewayOptions, Reload};
pub use identity::{HubIdentity, INSTANCES};
pub use own::STATUS;
pub use route::GatewayService;
pub use status::Status;
pub use upstream::launch::{Launcher, SupervisionPolicy};
pub use upstream::{Phase, UpstreamStatus, carry_start_failure};
pub use view::{ViewId, ViewOptions};
