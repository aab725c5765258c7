//! One upstream server: how it is reached, started, kept, refreshed, stopped, and what is told of
//! it. `health` decides purely; `launch` and `life` act.

pub(crate) mod configured;
mod ending;
pub(crate) mod failures;
pub(crate) mod health;
pub(crate) mod host;
pub(crate) mod installer;
pub(crate) mod launch;
pub(crate) mod life;
pub(crate) mod lists;
pub(crate) mod pool;
pub(crate) mod reflection;
pub(crate) mod running;
pub(crate) mod slots;
mod start;
pub(crate) mod starts;
pub(crate) mod status;

pub use failures::carry_start_failure;
pub use status::{Phase, UpstreamStatus};
