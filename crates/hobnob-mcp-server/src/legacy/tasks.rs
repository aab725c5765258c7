//! `tasks/*` as defined by 2025-11-25. Tasks belong to the session that started them, and
//! `tasks/result` puts a task's questions to the client while it waits.

use super::LegacyCall;
use crate::wire;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_engine::{CallError, ListPage, Questions, Refusable};
use hobnob_mcp_tasks::{Cancelled, TaskEnd, TaskView, no_task};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::{Method, encode};

/// Upper limit for a page of `tasks/list`; the server's own page size may be smaller.
const MAX_PAGE_TASKS: usize = 1000;

impl LegacyCall {
    pub(crate) async fn task_get(&self) -> Result<String, CallError> {
        let view = self.task_view().await?;
        Ok(encode::result(&self.id, |out| {
            let mut object = ObjectWriter::new(out);
            view.record.write_legacy(&mut object);
            object.end();
        }))
    }

    pub(crate) async fn task_cancel(&self) -> Result<String, CallError> {
        let id = self.call.params.string("taskId").map_err(CallError::Params)?;
        let owner = self.session.owner();
        match self.session.server().parts().tasks.cancel(&id, owner).await? {
            None => Err(no_task(&id)),
            Some(Cancelled::TooLate(record)) => {
                let status = record.status.as_str();
                Err(CallError::params(format!("task `{id}` has ended already: {status}")))
            }
            Some(Cancelled::Now(record)) => Ok(encode::result(&self.id, |out| {
                let mut object = ObjectWriter::new(out);
                record.write_legacy(&mut object);
                object.end();
            })),
        }
    }

    pub(crate) async fn task_list(&self) -> Result<String, CallError> {
        let after = match self.call.params.get("cursor") {
            None => None,
            Some(_) => {
                Some(cursor_id(&self.call.params.string("cursor").map_err(CallError::Params)?)?)
            }
        };
        let server = self.session.server();
        let size = server.limits().page.min(MAX_PAGE_TASKS);
        let owner = self.session.owner();
        let records =
            server.parts().tasks.list(owner, after.as_deref(), size.saturating_add(1)).await?;
        let mut page = ListPage::new("tasks", size);
        let mut last = None;
        let mut left = records.iter().peekable();
        while let Some(record) =
            left.next_if(|record| page.push(&object(|task| record.write_legacy(task))))
        {
            last = Some(record);
        }
        let next = last.filter(|_| left.peek().is_some());
        let next = next.map(|last| URL_SAFE_NO_PAD.encode(&*last.id));
        Ok(encode::result(&self.id, |out| out.push_str(&page.finish(next.as_deref()))))
    }

    /// Waits for the end of the task, and puts its questions to the client meanwhile.
    pub(crate) async fn task_result(&self) -> Result<String, CallError> {
        loop {
            let mut view = self.task_view().await?;
            let id = &view.record.id;
            match view.end.as_deref() {
                Some(TaskEnd::Answer(answer)) => {
                    return Ok(encode::result(&self.id, |out| {
                        let caller = &self.call.caller;
                        wire::write_legacy(out, Method::ToolsCall, answer, caller, Some(id));
                    }));
                }
                Some(end) => {
                    let cancelled = || CallError::params(format!("task `{id}` was cancelled"));
                    return Err(end
                        .error(&self.call.caller)
                        .map_or_else(cancelled, CallError::Other));
                }
                None => {}
            }
            let open = view.open.take().filter(|_| view.run_by.takes_answers());
            let asking = self.put_questions(id, open, view.refusable);
            // Once the task continues or ends, its questions need no answer: `select!` drops them.
            tokio::select! {
                biased;
                changed = view.run_by.changed() => changed.ok_or_else(|| no_task(id))?,
                refused = asking => refused?,
            }
        }
    }

    /// Puts a task's questions to the client and passes the answers on, then waits for ever. The
    /// caller ends the wait when the task changes.
    async fn put_questions(
        &self,
        task: &str,
        open: Option<InputRequests>,
        refusable: Refusable,
    ) -> Result<(), CallError> {
        if let Some(requests) = open.filter(|open| !open.0.is_empty()) {
            let questions = Questions { requests, refusable, ..Questions::default() };
            let answers = self.asker(Some(task)).ask(&questions).await?;
            let (tasks, owner) = (&self.session.server().parts().tasks, self.session.owner());
            tasks.answer(task, owner, answers).await?;
        }
        std::future::pending().await
    }

    async fn task_view(&self) -> Result<TaskView, CallError> {
        let id = self.call.params.string("taskId").map_err(CallError::Params)?;
        let owner = self.session.owner();
        let view = self.session.server().parts().tasks.find(&id, owner).await?;
        view.ok_or_else(|| no_task(&id))
    }
}

fn cursor_id(cursor: &str) -> Result<String, CallError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        CallError::params("`params.cursor` is not from this list; ask again without one")
    })
}
