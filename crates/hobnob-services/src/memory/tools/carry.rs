//! The tools `export`, `import` and `gc`: memories out, in, and away.
//!
//! An import checks each line as `capture` does, and says which lines it left out and why.

use crate::memory::carry::{Format, Line, UncheckedMemory, read_all, write_all};
use crate::memory::service::PresentedMemory;
use crate::memory::settings::SecretsRule;
use crate::presentation::Failure;
use hobnob_mcp_engine::CallError;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::memory::{Captured, MemoryAccess, NewMemory, PageRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memories that are stored in one step.
const AT_ONCE: usize = 500;
/// Memories that are read in one step.
const A_FEW: usize = 20;
/// Bytes of one answer, after which no more are read.
const ENOUGH: usize = 256 << 10;
/// The most bytes of one import.
const MAX_BYTES: usize = 8 << 20;
/// How many problems of one import are listed.
const MAX_PROBLEMS: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportArguments {
    /// How they are written
    #[serde(default)]
    format: Format,
    /// Which memories: ns:decisions tag:a,b since:7d scope:project
    filter: Option<String>,
    /// Where the answer before ended, to go on from there
    cursor: Option<String>,
}

#[derive(Debug, Serialize)]
struct ExportResult {
    count: usize,
    data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn export(
    arguments: ExportArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let filter = presented.filter(arguments.filter.as_deref(), &access)?;
    let (mut count, mut data, mut cursor) = (0, String::new(), arguments.cursor);
    // Small pages, so that memories of any size make an answer of bounded size.
    while data.len() < ENOUGH {
        let page = PageRequest { after: cursor, limit: A_FEW };
        let part = presented.shared().memories.list(access.clone(), filter.clone(), page).await;
        let part = part.map_err(|error| presented.refused(error))?;
        count += part.items.len();
        data.push_str(&write_all(&part.items, arguments.format));
        cursor = part.next;
        if cursor.is_none() {
            break;
        }
    }
    presented.presentation.reply(&ExportResult { count, data, next_cursor: cursor })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ImportArguments {
    /// What `export` wrote: JSON lines or Markdown
    data: String,
    /// How it is written
    #[serde(default)]
    format: Format,
    /// Store secrets and personal data masked instead of leaving such memories out
    #[serde(default)]
    redact: bool,
}

#[derive(Debug, Serialize)]
struct ImportResult {
    imported: usize,
    known: usize,
    /// How many of the known ones got tags or a source that they did not have.
    #[serde(skip_serializing_if = "is_zero")]
    merged: usize,
    problems: Vec<Problem>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Why one was left out.
#[derive(Debug, Serialize)]
struct Problem {
    line: usize,
    problem: String,
}

/// What was left out of an import: the first ones, and how many came after them. A text of two
/// bytes a line has millions, and nobody reads these.
#[derive(Debug, Default)]
struct Problems {
    first: Vec<Problem>,
    count: usize,
}

impl Problems {
    fn add(&mut self, line: usize, problem: String) {
        self.count += 1;
        if self.first.len() <= MAX_PROBLEMS {
            self.first.push(Problem { line, problem });
        }
    }

    fn listed(mut self) -> Vec<Problem> {
        if let Some(last) = self.first.get_mut(MAX_PROBLEMS) {
            last.problem = format!("{} more from here on", self.count - MAX_PROBLEMS);
        }
        self.first
    }
}

pub(super) async fn import(
    arguments: ImportArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    if MAX_BYTES < arguments.data.len() {
        let message = format!("data: {} bytes, at most {MAX_BYTES} at once", arguments.data.len());
        return Err(presented.presentation.fail(Failure::Invalid, message));
    }
    let access = presented.access(&context)?;
    let rule = match (presented.shared().settings.secrets, arguments.redact) {
        (SecretsRule::Block, true) => SecretsRule::Redact,
        (rule, _) => rule,
    };
    let (mut problems, mut new) = (Problems::default(), Vec::new());
    for Line { number, taken } in read_all(&arguments.data, arguments.format) {
        let fits =
            taken.and_then(|it| presented.taken(it, rule, &access).map_err(|it| reason(&it)));
        match fits {
            Ok(memory) => new.push(memory),
            Err(problem) => problems.add(number, problem),
        }
    }
    let mut result = ImportResult { imported: 0, known: 0, merged: 0, problems: problems.listed() };
    for chunk in new.chunks(AT_ONCE) {
        let captured = presented.shared().memories.capture_all(chunk.to_vec()).await;
        for one in captured.map_err(|error| presented.store(&error))? {
            match one.captured {
                Captured::New(_) => result.imported += 1,
                Captured::Same(_) => result.known += 1,
            }
            let got_labels = !one.merged.tags.is_empty() || one.merged.source.is_some();
            result.merged += usize::from(got_labels);
        }
        let done = (result.imported + result.known) as f64;
        context.progress(done, Some(new.len() as f64), Some("importing"));
    }
    presented.service.wake_indexer();
    presented.presentation.reply(&result)
}

impl PresentedMemory {
    /// One memory of an import, checked as a capture is. Another project's come into this one.
    fn taken(
        &self,
        it: UncheckedMemory,
        rule: SecretsRule,
        access: &MemoryAccess,
    ) -> Result<NewMemory, ToolError> {
        Ok(NewMemory {
            owner: access.owner.clone(),
            scope: self.scope(it.scope, access)?,
            namespace: self.namespace(&it.namespace)?,
            content: self.clean(it.content, rule)?.0,
            tags: self.tags(&it.tags)?,
            source: self.source(it.source, rule)?,
            created: it.created.unwrap_or(access.now),
            expires: it.expires,
            // Whether an id that was asked for is another's must not show in the one that was got.
            id: it.id.filter(|_| access.owner.as_str().is_empty()),
            arrived_micros: None,
        })
    }
}

/// Why one was left out, in words.
pub(super) fn reason(error: &ToolError) -> String {
    match error {
        ToolError::Failed(text) => text.clone(),
        // The code is of no use to whoever mends the line.
        ToolError::Protocol(CallError::Params(error) | CallError::Other(error)) => {
            error.message.to_string()
        }
        ToolError::Protocol(error) => error.to_string(),
        ToolError::Questions(_) | ToolError::Started(_) => "something has to be asked first".into(),
    }
}

#[derive(Debug, Serialize)]
struct Cleaned {
    expired: u64,
    purged: u64,
}

pub(super) async fn gc(context: Context<PresentedMemory>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    // The person cleans up for everybody; all others for themselves, and learn of nobody else's.
    let owner = Some(PresentedMemory::owner(&context)).filter(|it| !it.as_str().is_empty());
    let gone = presented.service.clean_up(owner).await.map_err(|error| presented.store(&error))?;
    presented.presentation.reply(&Cleaned { expired: gone.expired, purged: gone.purged })
}

#[cfg(test)]
mod tests;
