//! The tools `export`, `import` and `gc`.
//!
//! An import checks each entry as `capture` does, and reports which ones it left out and why.

use super::capture::WriteTools;
use super::look::ReadTools;
use crate::memory::caller_memories::owner_of;
use crate::memory::carry::{Format, Line, UncheckedMemory, read_all, write_all};
use crate::memory::indexer::clean_up;
use crate::memory::settings::SecretsRule;
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_engine::CallError;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::memory::{Captured, MemoryAccess, NewMemory, PageRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memories that one transaction stores.
const BATCH_SIZE: usize = 500;
/// Memories that one step of an export reads.
const PAGE_SIZE: usize = 20;
/// Size of an export's answer in bytes, after which no further memories are added.
const EXPORT_BYTES: usize = 256 << 10;
/// Largest import, in bytes.
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
    /// How many of the known memories gained tags or a source.
    #[serde(skip_serializing_if = "is_zero")]
    merged: usize,
    problems: Vec<Problem>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Why one entry was left out.
#[derive(Debug, Serialize)]
struct Problem {
    line: usize,
    problem: String,
}

/// The problems of an import: the first ones, and a count of all. With two bytes a line, a text can
/// have millions, which are of no use to the caller.
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

#[derive(Debug, Serialize)]
struct Cleaned {
    expired: u64,
    purged: u64,
}

impl ReadTools {
    pub(super) async fn export(&self, given: ExportArguments, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let filter = self.view.filter(given.filter.as_deref(), &access)?;
        let (mut count, mut data, mut cursor) = (0, String::new(), given.cursor);
        // Small pages, so that the answer is bounded for memories of any size.
        while data.len() < EXPORT_BYTES {
            let page = PageRequest { after: cursor, limit: PAGE_SIZE };
            let part = self.memories.store.list(access.clone(), filter.clone(), page).await;
            let part = self.view.result(part)?;
            count += part.items.len();
            data.push_str(&write_all(&part.items, given.format));
            cursor = part.next;
            if cursor.is_none() {
                break;
            }
        }
        self.view.reply(&ExportResult { count, data, next_cursor: cursor })
    }
}

impl WriteTools {
    pub(super) async fn import(&self, given: ImportArguments, call: &CallContext) -> ToolResult {
        if MAX_BYTES < given.data.len() {
            let message = format!("data: {} bytes, at most {MAX_BYTES} at once", given.data.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let access = self.memories.access(call)?;
        let rule = self.checks.rules.for_call(given.redact);
        let (mut problems, mut new) = (Problems::default(), Vec::new());
        for Line { number, parsed } in read_all(&given.data, given.format) {
            let fits = parsed
                .and_then(|it| self.imported_memory(it, rule, &access).map_err(|it| reason(&it)));
            match fits {
                Ok(memory) => new.push(memory),
                Err(problem) => problems.add(number, problem),
            }
        }
        let mut result =
            ImportResult { imported: 0, known: 0, merged: 0, problems: problems.listed() };
        for chunk in new.chunks(BATCH_SIZE) {
            let captured = self.memories.store.capture_all(chunk.to_vec()).await;
            for one in self.view.result(captured)? {
                match one.captured {
                    Captured::New(_) => result.imported += 1,
                    Captured::Same(_) => result.known += 1,
                }
                let got_labels = !one.merged.tags.is_empty() || one.merged.source.is_some();
                result.merged += usize::from(got_labels);
            }
            let done = (result.imported + result.known) as f64;
            call.progress(done, Some(new.len() as f64), Some("importing"));
        }
        self.captured.wake();
        self.view.reply(&result)
    }

    pub(super) async fn gc(&self, call: &CallContext) -> ToolResult {
        // The person cleans up for all owners; a named caller for itself, with its own counts.
        let owner = Some(owner_of(call)).filter(|it| !it.as_str().is_empty());
        let gone =
            self.view.result(clean_up(&*self.memories.store, self.keep_deleted, owner).await)?;
        self.view.reply(&Cleaned { expired: gone.expired, purged: gone.purged })
    }

    /// One imported memory, checked as a capture is. Memories of other projects join this one.
    fn imported_memory(
        &self,
        it: UncheckedMemory,
        rule: SecretsRule,
        access: &MemoryAccess,
    ) -> Result<NewMemory, ToolError> {
        Ok(NewMemory {
            owner: access.owner.clone(),
            scope: self.checks.scope(it.scope, access)?,
            namespace: self.checks.namespace(&it.namespace)?,
            content: self.checks.clean(it.content, rule)?.0,
            tags: self.checks.tags(&it.tags)?,
            source: self.checks.source(it.source, rule)?,
            created: it.created.unwrap_or(access.now),
            expires: it.expires,
            // Named callers choose no ids: a replaced one would reveal that another owner has it.
            id: it.id.filter(|_| access.owner.as_str().is_empty()),
            arrived_micros: None,
        })
    }
}

/// The message of an error, as the reason why one entry was left out.
pub(super) fn reason(error: &ToolError) -> String {
    match error {
        ToolError::Failed(text) => text.clone(),
        // The error code does not help the person who corrects the line.
        ToolError::Protocol(CallError::Params(error) | CallError::Other(error)) => {
            error.message.to_string()
        }
        ToolError::Protocol(error) => error.to_string(),
        ToolError::Questions(_) | ToolError::Started(_) => "something has to be asked first".into(),
    }
}

#[cfg(test)]
mod tests;
