//! Many MCP servers behind one service.
//!
//! First the pure parts: names, addresses, rewriting, pins, the merged catalogue, large results.
//! Then what a permit opens, upstreams and their life, and views. `gateway` is the state that all of
//! them share; `dispatch` answers requests, `servers` followed_tasks the configuration, `watch` finds
//! changes, `open` begins and ends it.

pub mod names;
pub mod nearest;
pub mod uris;

pub mod rewrite;

pub mod pins;

pub mod catalog;
mod consent;

pub mod spill;

pub mod permitted;

mod identity;
mod upstream;

mod view;

mod calls;

mod gateway;

mod dispatch;
mod management;
mod open;
mod servers;
mod status;
mod watch;

pub use dispatch::service::GatewayService;
pub use gateway::{FirstStarts, Gateway, GatewayError, GatewayOptions, Reload};
pub use identity::{HubIdentity, INSTANCES};
pub use status::GatewayStatus;
pub use upstream::launch::{Launcher, SupervisionPolicy};
pub use upstream::{Phase, UpstreamStatus, carry_start_failure};
pub use uris::STATUS;
pub use view::{ViewId, ViewOptions};
