//! Tasks: work that agents share. The records, the rules of their life, and the port that answers.

mod port;
mod record;

pub(crate) mod life;

pub use port::{MOST_STEPS, TaskError, Tasks};
pub use record::{
    Action, Claim, ListName, NewTask, Priority, Step, Task, TaskEdit, TaskFilter, TaskId,
    TaskReach, TaskStatus, Worker,
};
