//! `consolidate`: a model merges near-duplicate memories into one that replaces them. The old ones
//! stay as superseded, and can be restored.

use super::carry::reason;
use super::enrich::ModelTools;
use super::model::{AnsweringModel, ModelQuestion, WantedAnswer, question};
use crate::memory::views::urn;
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_mcp_types::input::InputRequests;
use hobnob_store::Time;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryId, MemoryStatus, NewMemory, OrgRole, PageRequest, ScopeKind,
    WordPairs,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most memories that one call compares.
const MAX_MEMORIES: usize = 500;
/// Most groups that one call merges.
const MAX_GROUPS: usize = 5;
/// Most memories that are merged into one.
const MAX_MEMBERS: usize = 8;
/// Most tokens of a merged memory, and most bytes of a group that fits into as many tokens.
const MAX_TOKENS: u64 = 4_000;
const MAX_BYTES: usize = 12_000;
const INSTRUCTIONS: &str = "You merge notes that overlap into a single note. Keep every fact, \
    number, name and reason; where two notes contradict each other, keep both and say so; add \
    nothing. Answer with the text of the merged note and nothing else.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConsolidateArguments {
    /// Only memories of these namespaces; of all if not given
    #[serde(default)]
    namespaces: Vec<String>,
    /// Only memories captured since: 7d, 2w, or a date
    since: Option<String>,
    /// How alike memories must be to be merged, 0.1 to 1
    #[serde(default = "half")]
    #[schemars(range(min = 0.1, max = 1.0))]
    similarity: f64,
    /// Tell what would be merged, ask no model and change nothing
    #[serde(default)]
    dry_run: bool,
}

fn half() -> f64 {
    0.5
}

#[derive(Debug, Serialize)]
struct ConsolidateResult {
    looked_at: usize,
    groups: Vec<GroupResult>,
    /// Groups that further calls would merge.
    remaining: usize,
}

#[derive(Debug, Serialize)]
struct GroupResult {
    from: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    urn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// The state that is kept between the questions and their answers.
#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    looked_at: usize,
    remaining: usize,
    groups: Vec<Vec<Member>>,
}

/// A memory at the version that the model saw.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Member {
    id: String,
    version: u32,
}

fn key(number: usize) -> String {
    format!("merge-{}", number + 1)
}

fn merge_question(group: &[Memory]) -> ModelQuestion {
    let mut text = String::from("Merge these notes:");
    for (number, memory) in group.iter().enumerate() {
        text.push_str(&format!("\n\nNote {}:\n{}", number + 1, memory.content));
    }
    let length: usize = group.iter().map(|memory| memory.content.chars().count()).sum();
    let tokens = u64::try_from(length).unwrap_or(u64::MAX).clamp(200, MAX_TOKENS);
    question(text, INSTRUCTIONS, tokens)
}

impl ModelTools {
    pub(super) async fn consolidate(
        &self,
        given: ConsolidateArguments,
        call: &CallContext,
    ) -> ToolResult {
        let access = self.memories.access(call)?;
        let kept = call.request_state().and_then(|state| serde_json::from_str::<Plan>(state).ok());
        let plan = match kept {
            Some(plan) => plan,
            None => self.plan(&access, &given, call).await?,
        };
        if given.dry_run || plan.groups.is_empty() {
            let line = |group: Vec<Member>| {
                let from = group.into_iter().map(|member| member.id).collect();
                GroupResult { from, id: None, urn: None, problem: None }
            };
            let groups = plan.groups.into_iter().map(line).collect();
            let (looked_at, remaining) = (plan.looked_at, plan.remaining);
            return self.view.reply(&ConsolidateResult { looked_at, groups, remaining });
        }
        let model = self.models.find(call)?;
        let mut groups = Vec::new();
        for ids in &plan.groups {
            groups.push(self.members(&access, ids).await?);
        }
        let mut answers = self.merged_texts(call, model, &plan, &groups).await?;
        // If every answer failed, there is no group to report.
        if answers.iter().all(Result::is_err)
            && let Some(Err(error)) = answers.pop()
        {
            return Err(error);
        }
        let mut merged = Vec::new();
        for (number, (group, answer)) in groups.into_iter().zip(answers).enumerate() {
            merged.push(self.merge(&access, group, answer).await);
            let done = (number + 1) as f64;
            call.progress(done, Some(plan.groups.len() as f64), Some("merging"));
        }
        self.captured.wake();
        let (looked_at, remaining) = (plan.looked_at, plan.remaining);
        self.view.reply(&ConsolidateResult { looked_at, groups: merged, remaining })
    }

    /// Groups the memories to merge.
    async fn plan(
        &self,
        access: &MemoryAccess,
        given: &ConsolidateArguments,
        call: &CallContext,
    ) -> Result<Plan, ToolError> {
        if !(0.1..=1.0).contains(&given.similarity) {
            let message = format!("similarity: {} is not within 0.1 and 1", given.similarity);
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let since = given.since.as_deref().map(|since| format!("since:\"{since}\""));
        let mut filter = self.view.filter(since.as_deref(), access)?;
        for name in &given.namespaces {
            filter.namespaces.push(self.checks.namespace(name)?);
        }
        let page = PageRequest { after: None, limit: MAX_MEMORIES };
        let part = self.memories.store.list(access.clone(), filter, page).await;
        let memories = self.view.result(part)?.items;
        call.progress(0.0, None, Some("comparing"));
        let (looked_at, alike) = (memories.len(), given.similarity);
        // Memories that other owners shared are left out: few callers may change them.
        let may_change = |it: &Memory| match (it.scope.kind(), it.owner == access.owner) {
            (ScopeKind::Project | ScopeKind::User, own) => own,
            (ScopeKind::Org, true) => Some(OrgRole::Writer) <= access.org,
            (ScopeKind::Org, false) => false,
        };
        let own: Vec<Memory> = memories.into_iter().filter(may_change).collect();
        // Comparing all pairs takes CPU time, so it runs on a blocking thread.
        let grouping = tokio::task::spawn_blocking(move || grouped(&own, alike));
        let failed = |_| self.view.fail(Failure::Storage, "the memories cannot be compared");
        let mut groups = grouping.await.map_err(failed)?;
        let remaining = groups.len().saturating_sub(MAX_GROUPS);
        groups.truncate(MAX_GROUPS);
        Ok(Plan { looked_at, remaining, groups })
    }

    /// The merged text of each group, from the model. The client gets all questions at once.
    async fn merged_texts(
        &self,
        call: &CallContext,
        model: AnsweringModel<'_>,
        plan: &Plan,
        groups: &[Vec<Memory>],
    ) -> Result<Vec<Result<String, ToolError>>, ToolError> {
        let mut answers = Vec::new();
        match model {
            AnsweringModel::Client => {
                let mut asked = InputRequests::new();
                for (number, group) in groups.iter().enumerate() {
                    asked = asked.create_message(key(number), merge_question(group).for_client());
                }
                let state = serde_json::to_string(plan).unwrap_or_default();
                call.ask_refusable(asked, state)?;
                for number in 0..groups.len() {
                    let answer = self.models.client_answer(call, &key(number), WantedAnswer::Whole);
                    answers.push(answer);
                }
            }
            AnsweringModel::Configured(model) => {
                for group in groups {
                    let asked = merge_question(group);
                    let answer = self.models.configured_answer(model, asked, WantedAnswer::Whole);
                    answers.push(answer.await);
                }
            }
        }
        Ok(answers)
    }

    /// The members of a group, without those that have changed or gone in the meantime.
    async fn members(
        &self,
        access: &MemoryAccess,
        group: &[Member],
    ) -> Result<Vec<Memory>, ToolError> {
        let mut members = Vec::new();
        for Member { id, version } in group {
            let Some(id) = MemoryId::parse(id) else { continue };
            let found = self.view.result(self.memories.store.get(access.clone(), id).await)?;
            let same = |it: &Memory| it.status == MemoryStatus::Active && it.version == *version;
            members.extend(found.filter(same));
        }
        Ok(members)
    }

    /// Merges a group. A failure is part of its result, since others may be merged already.
    async fn merge(
        &self,
        access: &MemoryAccess,
        group: Vec<Memory>,
        answer: Result<String, ToolError>,
    ) -> GroupResult {
        let from = group.iter().map(|memory| memory.id.to_string()).collect();
        let merged = match answer {
            Ok(text) => self.merged(access, group, text).await,
            Err(problem) => Err(problem),
        };
        match merged {
            Ok(memory) => {
                let urn = Some(urn(&self.view, &memory));
                GroupResult { from, id: Some(memory.id.to_string()), urn, problem: None }
            }
            Err(problem) => {
                GroupResult { from, id: None, urn: None, problem: Some(reason(&problem)) }
            }
        }
    }

    async fn merged(
        &self,
        access: &MemoryAccess,
        group: Vec<Memory>,
        text: String,
    ) -> Result<Memory, ToolError> {
        let Some(first) = group.first().filter(|_| 1 < group.len()) else {
            return Err(self.view.fail(Failure::Invalid, "some of them changed in the meantime"));
        };
        let (content, _) = self.checks.clean(text, self.checks.rules.secrets)?;
        let mut tags: Vec<_> = group.iter().flat_map(|memory| memory.tags.clone()).collect();
        tags.sort();
        tags.dedup();
        tags.truncate(50);
        let new = NewMemory {
            owner: access.owner.clone(),
            scope: self.view.writable(first.scope.clone(), access)?,
            namespace: first.namespace.clone(),
            content,
            tags,
            source: first.source.clone(),
            created: Time::now(),
            // The merged memory expires when the last of the group would; never, if one never does.
            expires: group
                .iter()
                .map(|memory| memory.expires)
                .max_by_key(|end| end.map_or(i64::MAX, Time::millis))
                .flatten(),
            id: None,
            arrived_micros: None,
        };
        let old = group.iter().map(|memory| memory.id.clone()).collect();
        let merged = self.memories.store.supersede(access.clone(), old, new).await;
        self.view.changed(merged, &access.owner)
    }
}

/// Groups near-duplicates within one scope and namespace, greedily; largest group first.
fn grouped(memories: &[Memory], alike: f64) -> Vec<Vec<Member>> {
    let phrases: Vec<WordPairs> = memories.iter().map(|it| WordPairs::of(&it.content)).collect();
    let member = |it: &Memory| Member { id: it.id.to_string(), version: it.version };
    let mut is_grouped = vec![false; memories.len()];
    let mut groups: Vec<Vec<Member>> = Vec::new();
    for (at, memory) in memories.iter().enumerate() {
        if is_grouped[at] {
            continue;
        }
        let near = |later: usize, other: &Memory| {
            other.scope == memory.scope
                && other.namespace == memory.namespace
                && alike <= phrases[at].similarity(&phrases[later])
        };
        let mut group = vec![member(memory)];
        let mut length = memory.content.len();
        for (later, other) in memories.iter().enumerate().skip(at + 1) {
            let fits = group.len() < MAX_MEMBERS && length + other.content.len() <= MAX_BYTES;
            if fits && !is_grouped[later] && near(later, other) {
                is_grouped[later] = true;
                length += other.content.len();
                group.push(member(other));
            }
        }
        if 1 < group.len() {
            groups.push(group);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}
