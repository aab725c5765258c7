//! `tasks/*` as defined by the tasks extension. Every request must declare the extension itself,
//! and tasks belong to a principal.

use super::ModernCall;
use crate::wire;
use hobnob_mcp_engine::{CallError, input_responses};
use hobnob_mcp_tasks::no_task;
use hobnob_mcp_types::{Method, tasks_ext};

impl ModernCall {
    pub(crate) async fn task_get(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksGet)?;
        let view = self.server.parts().tasks.find(&id, &self.owner()).await?;
        let view = view.ok_or_else(|| no_task(&id))?;
        let meta = &self.server.identity().modern_meta;
        Ok(wire::modern_object(&self.id, "complete", meta, |object| {
            view.write_modern(object);
        }))
    }

    pub(crate) async fn task_update(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksUpdate)?;
        let answers = input_responses(&self.call.params).map_err(CallError::Params)?;
        let found = self
            .server
            .parts()
            .tasks
            .answer(&id, &self.owner(), answers.unwrap_or_default())
            .await?;
        if found { Ok(self.acknowledge()) } else { Err(no_task(&id)) }
    }

    pub(crate) async fn task_cancel(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksCancel)?;
        let found = self.server.parts().tasks.cancel(&id, &self.owner()).await?;
        if found.is_some() { Ok(self.acknowledge()) } else { Err(no_task(&id)) }
    }

    fn acknowledge(&self) -> String {
        wire::modern_object(&self.id, "complete", &self.server.identity().modern_meta, |_| ())
    }

    /// The id of the task. Fails unless both sides declare the extension.
    fn task_id(&self, method: Method) -> Result<String, CallError> {
        let offered = self.server.service().offer().capabilities.extensions;
        if !offered.contains(tasks_ext::EXTENSION) {
            return Err(CallError::Method(method));
        }
        if !self.knows_tasks() {
            return Err(CallError::tasks_needed());
        }
        Ok(self.call.params.string("taskId").map_err(CallError::Params)?.into_owned())
    }
}
