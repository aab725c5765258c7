//! Tasks: work that agents share. The records, and the port that answers.

mod port;
mod record;

pub use port::{TaskError, Tasks};
pub use record::{
    Claim, ListName, NewTask, Priority, Step, Task, TaskEdit, TaskFilter, TaskId, TaskReach,
    TaskStatus, Worker,
};
