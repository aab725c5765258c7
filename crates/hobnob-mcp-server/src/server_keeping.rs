//! A server whose tasks outlive the process.

use crate::server::Server;
use crate::tasks::TaskKeeper;
use std::sync::Arc;

impl Server {
    /// Has the records of tasks kept, before the server answers anyone. Only the first keeper is
    /// taken.
    pub fn keep_tasks(&self, keeper: Arc<dyn TaskKeeper>) {
        self.tasks().keep_in(keeper);
    }
}
