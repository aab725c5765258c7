//! Tasks: work that agents share. The records, the rules of their life, and the port that answers.

mod port;
mod record;

pub(crate) mod life;

pub use port::{MAX_TASK_EVENTS, TaskError, TaskRepository};
pub use record::{
    Claim, ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAccess, TaskAction,
    TaskEdit, TaskEvent, TaskFilter, TaskId, Worker,
};
