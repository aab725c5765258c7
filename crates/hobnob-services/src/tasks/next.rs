//! The prompt "what should I do next": the worker's own tasks, ready tasks, and blocked tasks.
//!
//! It is text for a model, whose size is bounded for any number of tasks.

use super::resources::list_names;
use super::service::{PresentedTasks, TaskCall};
use crate::presentation::bad_argument;
use crate::time_text::time_text;
use hobnob_mcp_toolbox::{KitBuilder, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptMessage};
use hobnob_store::memory::PageRequest;
use hobnob_store::tasks::{ListName, StoredTask, StoredTaskStatus, TaskAccess, TaskFilter, Worker};
use hobnob_text::{ellipsize, single_spaced};
use schemars::JsonSchema;
use serde::Deserialize;

const NAME: &str = "tasks_next";
const ABOUT: &str = "What should I do next?";
/// Most tasks in each section of the prompt.
const SECTION_SIZE: usize = 20;
/// How many pending tasks are searched for blocked ones.
const MAX_SCANNED: usize = 200;
/// How many characters of a description are shown.
const SHOWN_CHARS: usize = 200;

/// Adds the prompt to the kit.
pub(super) fn with_prompt(kit: KitBuilder<PresentedTasks>) -> KitBuilder<PresentedTasks> {
    kit.prompt(NAME, ABOUT, next).complete(NAME, "list", list_names)
}

#[derive(Deserialize, JsonSchema)]
struct Next {
    #[schemars(description = "Name of the list; the project's own if not given")]
    list: Option<String>,
    #[schemars(description = "Who asks; your client's name if not given")]
    worker: Option<String>,
}

async fn next(arguments: Next, call: TaskCall) -> Result<GetPromptResult, ToolError> {
    let presented = call.state();
    let filled_in = |text: Option<String>| text.filter(|it| !it.is_empty());
    let (list, worker) = (filled_in(arguments.list), filled_in(arguments.worker));
    let list = presented.list(list.as_deref()).map_err(bad_argument)?;
    let worker = presented.worker(worker.as_deref(), &call).map_err(bad_argument)?;
    let open = OpenTasks::gather(presented, PresentedTasks::access(&call), &list, &worker).await?;
    let text = open.text(&list, &worker);
    let mut result = GetPromptResult::new(vec![PromptMessage::user(Content::text(text))]);
    result.description = Some(ABOUT.into());
    Ok(result)
}

/// The tasks that the prompt lists.
struct OpenTasks {
    mine: Vec<StoredTask>,
    ready: Vec<StoredTask>,
    /// Blocked tasks, each with its open blockers.
    waiting: Vec<(StoredTask, Vec<StoredTask>)>,
    elsewhere: Vec<StoredTask>,
}

impl OpenTasks {
    async fn gather(
        presented: &PresentedTasks,
        access: TaskAccess,
        list: &ListName,
        worker: &Worker,
    ) -> Result<Self, ToolError> {
        let all = TaskFilter { list: Some(list.clone()), ..TaskFilter::default() };
        let listed = async |filter, limit| {
            let page = PageRequest { after: None, limit };
            let part = presented.tasks().list(access.clone(), filter, page).await;
            part.map(|part| part.items).map_err(|error| presented.refused(error))
        };
        let of = |status| TaskFilter { statuses: vec![status], ..all.clone() };
        let mine = TaskFilter { worker: Some(worker.clone()), ..all.clone() };
        let mine = listed(mine, SECTION_SIZE).await?;
        let mut elsewhere = listed(of(StoredTaskStatus::InProgress), 2 * SECTION_SIZE).await?;
        elsewhere.retain(|task| task.claim.as_ref().is_none_or(|claim| claim.worker != *worker));
        elsewhere.truncate(SECTION_SIZE);
        let pending = listed(of(StoredTaskStatus::Pending), MAX_SCANNED).await?;
        let blocked = pending.into_iter().filter(|task| !task.open_blockers.is_empty());
        let mut waiting = Vec::new();
        for task in blocked.take(SECTION_SIZE) {
            let blockers = presented.tasks().blockers(access.clone(), task.id.clone()).await;
            let mut blockers = blockers.map_err(|error| presented.refused(error))?;
            blockers.retain(|blocker| blocker.status != StoredTaskStatus::Completed);
            waiting.push((task, blockers));
        }
        let ready = presented.tasks().ready(access.clone(), all, SECTION_SIZE).await;
        let ready = ready.map_err(|error| presented.store_error(&error))?;
        Ok(Self { mine, ready, waiting, elsewhere })
    }

    fn text(&self, list: &ListName, worker: &Worker) -> String {
        let begun = self.mine.iter().map(|task| line(task) + &until(task));
        let ready = self.ready.iter().map(|task| line(task) + &self.frees(task));
        let waiting = self.waiting.iter().map(|(task, blockers)| line(task) + &waits(blockers));
        let elsewhere = self.elsewhere.iter().map(|task| line(task) + &until(task));
        let sections = [
            section("In my hands already, to be finished first", begun),
            section("Ready to be begun, most important first", ready),
            section("Waiting for others", waiting),
            section("In progress elsewhere", elsewhere),
        ]
        .concat();
        let (worker, list) = (worker.as_str(), list.as_str());
        if sections.is_empty() {
            return format!(
                "{ABOUT} I am `{worker}`. The list `{list}` has no open tasks: ask what is to be \
                 done and write it down as tasks.\n"
            );
        }
        let advice = self.advice();
        format!(
            "{ABOUT} I am `{worker}`. These are the open tasks of the list `{list}`.\n\
             {sections}\n{advice}\n"
        )
    }

    /// Which tasks wait for this one.
    fn frees(&self, task: &StoredTask) -> String {
        let waiting = self.waiting.iter().filter(|(_, by)| by.iter().any(|it| it.id == task.id));
        let ids: Vec<&str> = waiting.map(|(waits, _)| waits.id.as_str()).collect();
        if ids.is_empty() { String::new() } else { format!(" (blocks {})", ids.join(", ")) }
    }

    fn advice(&self) -> &'static str {
        if self.ready.is_empty() {
            return "Nothing can be begun right now. Finish what is in hand, look whether a \
                    failed task that others wait for should be tried again, or whether a blocker \
                    is none any more.";
        }
        "Choose one: what is in hand first, then the first that is ready. Claim it before you \
         begin, so that no other worker does it too, and renew the claim if it takes long. When it \
         is done set it to completed and say what came of it; if it cannot be done set it to \
         failed and say why. Write down what you find on the way as new tasks."
    }
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { String::new() } else { format!("\n{title}:\n{}\n", lines.join("\n")) }
}

fn line(task: &StoredTask) -> String {
    let words = single_spaced(&task.description);
    format!("- {} [{}] {}", task.id, task.priority.as_str(), ellipsize(&words, SHOWN_CHARS))
}

fn until(task: &StoredTask) -> String {
    match &task.claim {
        Some(claim) => {
            format!(" (claimed by `{}` until {})", claim.worker.as_str(), time_text(claim.until))
        }
        None => String::new(),
    }
}

fn waits(blockers: &[StoredTask]) -> String {
    let named = |task: &StoredTask| format!("{} ({})", task.id, task.status.as_str());
    let blockers: Vec<String> = blockers.iter().take(SECTION_SIZE).map(named).collect();
    format!(" (waits for {})", blockers.join(", "))
}
