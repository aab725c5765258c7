//! Tasks in the tables `tasks`, `task_blockers` and `task_history`, behind the port
//! [`TaskRepository`](hobnob_store::tasks::TaskRepository).
//!
//! Writes of one owner exclude each other, so that no two of them close a cycle of blockers. Only
//! claims of any ready task run side by side: each skips the tasks that others are about to take.

mod rows;
mod work;

mod recording;

mod graph;
mod query;

mod change;
mod claims;

mod port;
