//! One upstream server: how it is reached, started, kept, refreshed, stopped, and what is told of
//! it. `health` decides purely; `launch` and `life` act.

pub(crate) mod health;
pub(crate) mod host;
pub(crate) mod launch;
pub(crate) mod life;
pub(crate) mod lists;
pub(crate) mod pool;
pub(crate) mod running;
pub(crate) mod status;

pub use status::{Phase, UpstreamStatus};
