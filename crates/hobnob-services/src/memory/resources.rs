//! Memories as resources: `memory://help`, scopes, namespaces, single memories, topics.
//!
//! The kit lists them. A memory that a caller cannot access does not exist for it, under any URI.

use super::caller_memories::CallerMemories;
use super::service::MemoryService;
use super::tools::{MemoryCall, MemoryTools};
use super::views::Shown;
use super::words::WELL_KNOWN;
use crate::presentation::{Failure, JSON, Presentation};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{CallContext, CompletionRequest, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_store::memory::{MemoryFilter, MemoryId, Namespace, PageRequest, ScopeKind, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most memories or tags in one list.
const LIMIT: usize = 500;
/// Most tags that a completion suggests.
const MAX_SUGGESTED: usize = 100;

type Contents = Result<ResourceContents, ToolError>;

/// Adds all resources to the kit; each namespace in use is a resource of its own.
pub(super) fn with_resources(
    kit: KitBuilder<MemoryTools>,
    presentation: &Presentation,
    namespaces: &[String],
) -> KitBuilder<MemoryTools> {
    let scheme = presentation.uri_scheme(MemoryService::NAME);
    let json = |name: &str, about: &str| ResourceSpec::new(name).description(about).mime_type(JSON);
    let help = ResourceSpec::new("Help Documentation")
        .description("How memory works: namespaces, scopes, filters, addresses")
        .mime_type("text/markdown");
    let mut kit = kit.resource(format!("{scheme}://help"), help, |call: MemoryCall| async move {
        help_text(call.state().memories.view.scheme())
    });
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
) -> impl Fn(MemoryCall) -> BoxFuture<'static, Contents> + Send + Sync + 'static {
    move |call| {
        let filter = MemoryFilter {
            scopes: vec![scope],
            namespaces: namespace.iter().cloned().collect(),
            ..MemoryFilter::default()
        };
        Box::pin(async move { listed(&call.state().memories, filter, &call).await })
    }
}

async fn read_place(wanted: ByNamespace, call: MemoryCall) -> Contents {
    let unknown = || ToolError::no_resource(call.name());
    let scope = ScopeKind::parse(&wanted.scope).ok_or_else(unknown)?;
    let namespace = Namespace::parse(&wanted.namespace).map_err(|_| unknown())?;
    let filter = MemoryFilter {
        scopes: vec![scope],
        namespaces: vec![namespace],
        ..MemoryFilter::default()
    };
    listed(&call.state().memories, filter, &call).await
}

async fn read_topic(wanted: ByTag, call: MemoryCall) -> Contents {
    let tag = Tag::parse(&wanted.tag).map_err(|_| ToolError::no_resource(call.name()))?;
    let filter = MemoryFilter { tags: vec![vec![tag]], ..MemoryFilter::default() };
    listed(&call.state().memories, filter, &call).await
}

async fn read_one(wanted: ById, call: MemoryCall) -> Contents {
    let CallerMemories { view, store, .. } = &*call.state().memories;
    // The error for a URI without a memory.
    let unknown = || match view.codes.contains_key(&Failure::NotFound) {
        true => view.fail(Failure::NotFound, format!("Memory not found: {}", call.name())),
        false => ToolError::no_resource(call.name()),
    };
    let access = call.state().memories.access(&call)?;
    let id = MemoryId::parse(&wanted.id).ok_or_else(unknown)?;
    let found = view.result(store.get(access, id).await)?;
    let fits = found.filter(|it| {
        it.scope.kind().as_str() == wanted.scope && it.namespace.as_str() == wanted.namespace
    });
    view.contents(call.name(), &Shown::full(view, &fits.ok_or_else(unknown)?))
}

async fn topics_read(call: MemoryCall) -> Contents {
    #[derive(Serialize)]
    struct Topic {
        tag: String,
        count: u64,
    }
    #[derive(Serialize)]
    struct Topics {
        topics: Vec<Topic>,
    }
    let memories = &call.state().memories;
    let used = memories.store.tags(memories.access(&call)?, String::new(), LIMIT).await;
    let used = memories.view.result(used)?;
    let topics = used.into_iter().map(|it| Topic { tag: it.word, count: it.count }).collect();
    memories.view.contents(&format!("{}://topics", memories.view.scheme()), &Topics { topics })
}

/// A list of the matching memories in brief form.
async fn listed(memories: &CallerMemories, filter: MemoryFilter, call: &CallContext) -> Contents {
    let CallerMemories { view, store, .. } = memories;
    let access = memories.access(call)?;
    let page = PageRequest { after: None, limit: LIMIT };
    let count = view.result(store.count(access.clone(), filter.clone()).await)?;
    let part = view.result(store.list(access, filter, page).await)?;
    let more = part.next.is_some().then_some(true);
    let memories = part.items.iter().map(|it| Shown::light(view, it)).collect();
    view.contents(call.name(), &Listed { count, memories, more })
}

/// Namespaces to suggest: those in use first, then the well-known ones.
pub(super) async fn complete_namespace(
    typed: CompletionRequest,
    call: MemoryCall,
) -> Result<Vec<String>, ToolError> {
    let memories = &call.state().memories;
    let access = memories.access_without_asking(&call);
    let used = memories.store.namespaces(access, MemoryFilter::default()).await;
    let used = memories.view.result(used)?;
    let mut names: Vec<String> = used.into_iter().map(|count| count.word).collect();
    for (known, _) in WELL_KNOWN {
        if !names.iter().any(|name| name == known) {
            names.push(known.into());
        }
    }
    names.retain(|name| name.starts_with(&typed.value));
    Ok(names)
}

pub(super) async fn complete_tag(
    typed: CompletionRequest,
    call: MemoryCall,
) -> Result<Vec<String>, ToolError> {
    let memories = &call.state().memories;
    let access = memories.access_without_asking(&call);
    let used = memories.store.tags(access, typed.value, MAX_SUGGESTED).await;
    Ok(memories.view.result(used)?.into_iter().map(|count| count.word).collect())
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
