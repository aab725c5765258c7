//! `tasks/*` as the extension has them, and as 2025-11-25 had them.

use crate::ask::ask;
use crate::legacy::LegacyCall;
use crate::modern::ModernCall;
use crate::tasks::{Cancelled, TaskEnd, TaskView, modern_reader};
use crate::wire;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_engine::{CallError, Questions, Refusable, check_answer, downgrade_result};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::ObjectWriter;
use hobnob_mcp_types::{Method, Revision, encode, tasks_ext};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Tasks on one page of `tasks/list`.
const MOST_TASKS: usize = 1000;

/// The extension.
impl ModernCall {
    pub(crate) async fn task_get(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksGet)?;
        let view = self.server().tasks().find(&id, &self.owner()).await?;
        let view = view.ok_or_else(|| unknown(&id))?;
        let meta = self.server().modern_meta();
        Ok(wire::modern_object(self.id(), "complete", meta, |object| {
            write_detailed(object, &view);
        }))
    }

    pub(crate) async fn task_update(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksUpdate)?;
        let raw = self.params().get("inputResponses").unwrap_or("{}");
        let refuse = |_| CallError::params("`params.inputResponses` must be an object");
        let answers: BTreeMap<Box<str>, Box<RawValue>> =
            serde_json::from_str(raw).map_err(refuse)?;
        for (key, answer) in &answers {
            check_answer(key, answer).map_err(CallError::Params)?;
        }
        let found = self.server().tasks().answer(&id, &self.owner(), answers).await?;
        if found { Ok(self.acknowledge()) } else { Err(unknown(&id)) }
    }

    pub(crate) async fn task_cancel(&self) -> Result<String, CallError> {
        let id = self.task_id(Method::TasksCancel)?;
        let found = self.server().tasks().cancel(&id, &self.owner()).await?;
        if found.is_some() { Ok(self.acknowledge()) } else { Err(unknown(&id)) }
    }

    fn acknowledge(&self) -> String {
        wire::modern_object(self.id(), "complete", self.server().modern_meta(), |_| ())
    }

    /// The task asked about. Both sides must declare the extension, or there is nothing to ask.
    fn task_id(&self, method: Method) -> Result<String, CallError> {
        let offered = self.server().service().offer().capabilities.extensions;
        if !offered.contains(tasks_ext::EXTENSION) {
            return Err(CallError::Method(method));
        }
        if !self.knows_tasks() {
            return Err(CallError::tasks_needed());
        }
        Ok(self.params().string("taskId").map_err(CallError::Params)?.into_owned())
    }
}

/// A task with all that belongs to its state, as the extension tells it.
pub(crate) fn write_detailed(object: &mut ObjectWriter<'_>, view: &TaskView) {
    view.record.write_modern(object);
    if let Some(open) = &view.open {
        object.raw("inputRequests", &serde_json::to_string(open).unwrap_or_default());
    }
    match view.end.as_deref() {
        Some(TaskEnd::Answer(answer)) => {
            let newest = Revision::NEWEST;
            let body = downgrade_result(Method::ToolsCall, &answer.body, answer.floor, newest);
            let mut result = ObjectWriter::new(object.key("result"));
            result.members_of(&body);
            if let Some(meta) = &answer.meta {
                result.raw("_meta", meta.get());
            }
            result.end();
        }
        Some(end) => {
            if let Some(error) = end.error(&modern_reader()) {
                object.raw("error", &serde_json::to_string(&error).unwrap_or_default());
            }
        }
        None => {}
    }
}

fn unknown(id: &str) -> CallError {
    CallError::params(format!("no task `{id}`: unknown, or its time is over"))
}

/// 2025-11-25.
impl LegacyCall {
    pub(crate) async fn task_get(&self) -> Result<String, CallError> {
        let view = self.task_view().await?;
        Ok(encode::result(self.id(), |out| {
            let mut object = ObjectWriter::new(out);
            view.record.write_legacy(&mut object);
            object.end();
        }))
    }

    pub(crate) async fn task_cancel(&self) -> Result<String, CallError> {
        let id = self.params().string("taskId").map_err(CallError::Params)?;
        let owner = self.session().owner();
        match self.session().server().tasks().cancel(&id, &owner).await? {
            None => Err(unknown(&id)),
            Some(Cancelled::TooLate(record)) => {
                let status = record.status.as_str();
                Err(CallError::params(format!("task `{id}` has ended already: {status}")))
            }
            Some(Cancelled::Now(record)) => Ok(encode::result(self.id(), |out| {
                let mut object = ObjectWriter::new(out);
                record.write_legacy(&mut object);
                object.end();
            })),
        }
    }

    pub(crate) async fn task_list(&self) -> Result<String, CallError> {
        let after = match self.params().get("cursor") {
            None => None,
            Some(_) => {
                Some(cursor_id(&self.params().string("cursor").map_err(CallError::Params)?)?)
            }
        };
        let server = self.session().server();
        let size = server.limits().page.min(MOST_TASKS);
        let owner = self.session().owner();
        let mut page =
            server.tasks().list(&owner, after.as_deref(), size.saturating_add(1)).await?;
        let more = page.len() > size;
        page.truncate(size);
        let next = page.last().filter(|_| more).map(|last| URL_SAFE_NO_PAD.encode(&*last.id));
        Ok(encode::result(self.id(), |out| {
            let mut object = ObjectWriter::new(out);
            let list = object.key("tasks");
            list.push('[');
            for (index, record) in page.iter().enumerate() {
                if index > 0 {
                    list.push(',');
                }
                let mut task = ObjectWriter::new(list);
                record.write_legacy(&mut task);
                task.end();
            }
            list.push(']');
            if let Some(next) = &next {
                object.string("nextCursor", next);
            }
            object.end();
        }))
    }

    /// Waits for the end, putting the task's questions to the client meanwhile.
    pub(crate) async fn task_result(&self) -> Result<String, CallError> {
        loop {
            let mut view = self.task_view().await?;
            let id = &view.record.id;
            match view.end.as_deref() {
                Some(TaskEnd::Answer(answer)) => {
                    return Ok(encode::result(self.id(), |out| {
                        let caller = self.caller();
                        wire::write_legacy(out, Method::ToolsCall, answer, caller, Some(id));
                    }));
                }
                Some(end) => {
                    let cancelled = || CallError::params(format!("task `{id}` was cancelled"));
                    return Err(end.error(self.caller()).map_or_else(cancelled, CallError::Other));
                }
                None => {}
            }
            let open = view.open.take().filter(|_| view.run_by.takes_answers());
            let asking = self.put_questions(id, open, view.refusable);
            // Once the task has gone on or ended, nobody needs an answer: the question is dropped.
            tokio::select! {
                biased;
                changed = view.run_by.changed() => changed.ok_or_else(|| unknown(id))?,
                refused = asking => refused?,
            }
        }
    }

    /// Asks what a task waits for and hands it the answers; then, as without questions, only
    /// waits.
    async fn put_questions(
        &self,
        task: &str,
        open: Option<InputRequests>,
        refusable: Refusable,
    ) -> Result<(), CallError> {
        if let Some(requests) = open.filter(|open| !open.0.is_empty()) {
            let questions = Questions { requests, refusable, ..Questions::default() };
            let answers = ask(self, &questions, Some(task)).await?;
            let (tasks, owner) = (self.session().server().tasks(), self.session().owner());
            tasks.answer(task, &owner, answers).await?;
        }
        std::future::pending().await
    }

    async fn task_view(&self) -> Result<TaskView, CallError> {
        let id = self.params().string("taskId").map_err(CallError::Params)?;
        let owner = self.session().owner();
        let view = self.session().server().tasks().find(&id, &owner).await?;
        view.ok_or_else(|| unknown(&id))
    }
}

fn cursor_id(cursor: &str) -> Result<String, CallError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| CallError::params("`params.cursor` is not one of ours"))
}
