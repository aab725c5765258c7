//! Memories as resources: `memory://help`, scopes, namespaces, single memories, topics.
//!
//! The kit lists them. A memory that a caller cannot access does not exist for it, under any URI.

use super::service::{MemoryService, PresentedMemory};
use super::views::Shown;
use super::words::WELL_KNOWN;
use crate::presentation::{Failure, JSON, Presentation};
use hobnob_mcp_toolbox::{CompletionRequest, Context, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_store::memory::{
    MemoryAccess, MemoryFilter, MemoryId, Namespace, PageRequest, ScopeKind, Tag, UsageCount,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most memories or tags in one list.
const LIMIT: usize = 500;
/// Most tags that a completion suggests.
const MAX_SUGGESTED: usize = 100;

/// Adds all resources to the kit; each namespace in use is a resource of its own.
pub(super) fn with_resources(
    kit: KitBuilder<PresentedMemory>,
    presentation: &Presentation,
    namespaces: &[String],
) -> KitBuilder<PresentedMemory> {
    let scheme = presentation.uri_scheme(MemoryService::NAME);
    let json = |name: &str, about: &str| ResourceSpec::new(name).description(about).mime_type(JSON);
    let help = ResourceSpec::new("Help Documentation")
        .description("How memory works: namespaces, scopes, filters, addresses")
        .mime_type("text/markdown");
    let mut kit = kit.resource(
        format!("{scheme}://help"),
        help,
        |context: Context<PresentedMemory>| async move { help_text(context.state().scheme()) },
    );
    for (scope, name, about) in [
        (ScopeKind::Project, "Project Memories", "List project-scoped memories"),
        (ScopeKind::User, "User Memories", "List memories of the user, of every project"),
        (ScopeKind::Org, "Shared Memories", "List memories that you share with others"),
    ] {
        let uri = format!("{scheme}://{}", scope.as_str());
        kit = kit.resource(uri, json(name, about), reader(scope, None));
    }
    for name in namespaces {
        let Ok(namespace) = Namespace::parse(name) else { continue };
        let about = WELL_KNOWN.iter().find(|(it, _)| it == name).map_or("", |(_, about)| *about);
        let about = format!("Memories of the project in {name} ({about})");
        kit = kit.resource(
            format!("{scheme}://project/{name}"),
            json(&format!("Project: {name}"), &about),
            reader(ScopeKind::Project, Some(namespace)),
        );
    }
    let topics = json("Topics", "Tags in use and how many memories each has");
    let tagged = format!("{scheme}://topics/{{tag}}");
    let all = format!("{scheme}://{{scope}}/{{namespace}}");
    let single = format!("{all}/{{id}}");
    kit.resource(format!("{scheme}://topics"), topics, topics_read)
        .template(tagged.as_str(), json("Topic", "Memories with a tag"), read_topic)
        .template(all.as_str(), json("Namespace", "Memories of a namespace"), read_place)
        .template(single.as_str(), json("Memory", "One memory, in full"), read_one)
        .complete(all.as_str(), "scope", ScopeKind::ALL.map(ScopeKind::as_str))
        .complete(single.as_str(), "scope", ScopeKind::ALL.map(ScopeKind::as_str))
        .complete(all, "namespace", complete_namespace)
        .complete(single, "namespace", complete_namespace)
        .complete(tagged, "tag", complete_tag)
}

#[derive(Deserialize, JsonSchema)]
struct ByTag {
    /// A tag that memories have
    tag: String,
}

#[derive(Deserialize, JsonSchema)]
struct ByNamespace {
    /// Where memories are kept: project, user or org
    scope: String,
    /// A namespace that memories have
    namespace: String,
}

#[derive(Deserialize, JsonSchema)]
struct ById {
    /// The scope it is in
    scope: String,
    /// The namespace it is in
    namespace: String,
    /// The id of the memory
    id: String,
}

#[derive(Serialize)]
struct Listed<'a> {
    count: u64,
    memories: Vec<Shown<'a>>,
    /// Present if the list is cut off; the `list` tool has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<bool>,
}

fn reader(
    scope: ScopeKind,
    namespace: Option<Namespace>,
) -> impl Fn(
    Context<PresentedMemory>,
) -> hobnob_mcp_engine::BoxFuture<'static, Result<ResourceContents, ToolError>>
+ Send
+ Sync
+ 'static {
    move |context| {
        let filter = MemoryFilter {
            scopes: vec![scope],
            namespaces: namespace.iter().cloned().collect(),
            ..MemoryFilter::default()
        };
        Box::pin(async move {
            let presented = context.state();
            presented.listed(context.name(), filter, presented.access(&context)?).await
        })
    }
}

async fn read_place(
    wanted: ByNamespace,
    context: Context<PresentedMemory>,
) -> Result<ResourceContents, ToolError> {
    let presented = context.state();
    let unknown = || ToolError::no_resource(context.name());
    let scope = ScopeKind::parse(&wanted.scope).ok_or_else(unknown)?;
    let namespace = Namespace::parse(&wanted.namespace).map_err(|_| unknown())?;
    let filter = MemoryFilter {
        scopes: vec![scope],
        namespaces: vec![namespace],
        ..MemoryFilter::default()
    };
    presented.listed(context.name(), filter, presented.access(&context)?).await
}

async fn read_topic(
    wanted: ByTag,
    context: Context<PresentedMemory>,
) -> Result<ResourceContents, ToolError> {
    let presented = context.state();
    let tag = Tag::parse(&wanted.tag);
    let tag = tag.map_err(|_| ToolError::no_resource(context.name()))?;
    let filter = MemoryFilter { tags: vec![vec![tag]], ..MemoryFilter::default() };
    presented.listed(context.name(), filter, presented.access(&context)?).await
}

async fn read_one(
    wanted: ById,
    context: Context<PresentedMemory>,
) -> Result<ResourceContents, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let id = MemoryId::parse(&wanted.id).ok_or_else(|| presented.unknown_uri(context.name()))?;
    let found = presented.shared().memories.get(access, id).await;
    let memory = found.map_err(|error| presented.store(&error))?;
    let fits = memory.filter(|it| {
        it.scope.kind().as_str() == wanted.scope && it.namespace.as_str() == wanted.namespace
    });
    let memory = fits.ok_or_else(|| presented.unknown_uri(context.name()))?;
    presented.presentation.contents(context.name(), &Shown::full(&presented.presentation, &memory))
}

async fn topics_read(context: Context<PresentedMemory>) -> Result<ResourceContents, ToolError> {
    let presented = context.state();
    #[derive(Serialize)]
    struct Topic {
        tag: String,
        count: u64,
    }
    #[derive(Serialize)]
    struct Topics {
        topics: Vec<Topic>,
    }
    let used =
        presented.shared().memories.tags(presented.access(&context)?, String::new(), LIMIT).await;
    let used = used.map_err(|error| presented.store(&error))?;
    let topic = |it: UsageCount| Topic { tag: it.word, count: it.count };
    let uri = format!("{}://topics", presented.scheme());
    presented.presentation.contents(&uri, &Topics { topics: used.into_iter().map(topic).collect() })
}

pub(super) async fn complete_namespace(
    typed: CompletionRequest,
    context: Context<PresentedMemory>,
) -> Result<Vec<String>, ToolError> {
    let presented = context.state();
    presented.namespaces_like(presented.access_without_asking(&context), &typed.value).await
}

pub(super) async fn complete_tag(
    typed: CompletionRequest,
    context: Context<PresentedMemory>,
) -> Result<Vec<String>, ToolError> {
    let presented = context.state();
    let access = presented.access_without_asking(&context);
    let used = presented.shared().memories.tags(access, typed.value, MAX_SUGGESTED).await;
    let used = used.map_err(|error| presented.store(&error))?;
    Ok(used.into_iter().map(|count| count.word).collect())
}

impl PresentedMemory {
    /// Namespaces with this prefix: those in use first, then the well-known ones.
    pub(super) async fn namespaces_like(
        &self,
        access: MemoryAccess,
        begin: &str,
    ) -> Result<Vec<String>, ToolError> {
        let used = self.shared().memories.namespaces(access, MemoryFilter::default()).await;
        let used = used.map_err(|error| self.store(&error))?;
        let mut names: Vec<String> = used.into_iter().map(|count| count.word).collect();
        for (known, _) in WELL_KNOWN {
            if !names.iter().any(|name| name == known) {
                names.push(known.into());
            }
        }
        names.retain(|name| name.starts_with(begin));
        Ok(names)
    }

    /// A list of the matching memories in brief form.
    async fn listed(
        &self,
        uri: &str,
        filter: MemoryFilter,
        access: MemoryAccess,
    ) -> Result<ResourceContents, ToolError> {
        let page = PageRequest { after: None, limit: LIMIT };
        let memories = &self.shared().memories;
        let count = memories.count(access.clone(), filter.clone()).await;
        let count = count.map_err(|error| self.store(&error))?;
        let part = memories.list(access, filter, page).await;
        let part = part.map_err(|error| self.refused(error))?;
        let memories = part.items.iter().map(|it| Shown::light(&self.presentation, it)).collect();
        let more = part.next.is_some().then_some(true);
        self.presentation.contents(uri, &Listed { count, memories, more })
    }

    /// The error for a URI without a memory.
    fn unknown_uri(&self, uri: &str) -> ToolError {
        match self.presentation.codes.contains_key(&Failure::NotFound) {
            true => self.presentation.fail(Failure::NotFound, format!("Memory not found: {uri}")),
            false => ToolError::no_resource(uri),
        }
    }
}

fn help_text(scheme: &str) -> String {
    let mut text = format!(
        "# Memory\n\n\
         What is captured here is found again in later conversations, on this machine, until it \
         is deleted or its time is over.\n\n\
         ## Addresses\n\n\
         - `{scheme}://project`, `{scheme}://user`, `{scheme}://org`: lists by scope\n\
         - `{scheme}://SCOPE/NAMESPACE`: lists by namespace\n\
         - `{scheme}://SCOPE/NAMESPACE/ID`: one memory, in full\n\
         - `{scheme}://topics`, `{scheme}://topics/TAG`: tags\n\n\
         ## Scopes\n\n\
         - `project`: this project, found from its git remote or folder\n\
         - `user`: you, in every project\n\
         - `org`: everybody who has a role in it, in every project\n\n\
         ## Filters\n\n\
         `ns:decisions tag:a,b -tag:c since:7d until:2026-01-31 source:docs/* scope:user \
         status:active`\n\n\
         Words are joined by \"and\", values of one word by \"or\".\n\n\
         ## Namespaces\n\n"
    );
    for (name, about) in WELL_KNOWN {
        text.push_str(&format!("- `{name}`: {about}\n"));
    }
    text.push_str("\nYour own namespaces are lower-case letters, digits, `-` and `_`.\n");
    text
}
