//! Tasks: work that agents share. The records, the rules of their life cycle, and the port.
//!
//! The task service uses the port; a backend implements it and passes the suite.

mod port;
mod record;

pub mod life;

pub use port::{MAX_TASK_EVENTS, TaskError, TaskRepository};
pub use record::{
    Claim, ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAccess, TaskAction,
    TaskEdit, TaskEvent, TaskFilter, TaskId, Worker,
};
