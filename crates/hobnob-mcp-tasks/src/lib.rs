//! Tasks: calls that continue after their answer. The toolbox starts them, and the server's edges
//! pass on the owners' requests.
//!
//! `registry.rs` holds them, `start.rs` begins one, `driver.rs` runs it to its end, and
//! `owner_requests.rs` answers `tasks/*`. With a [`TaskStore`] they outlive the process.

mod end;
mod phase;

mod store;

mod detail;
mod view;

mod persistence;
mod table;

mod registry;

mod driver;
mod owner_requests;
mod start;
#[cfg(test)]
mod tests;

pub use driver::Runner;
pub use end::TaskEnd;
pub use owner_requests::Cancelled;
pub use registry::Tasks;
pub use store::{PersistedTask, TaskStore, TaskStoreError};
pub use view::{RunBy, TaskView, no_task};
