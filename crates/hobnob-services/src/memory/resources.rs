//! Memories as resources: `memory://help`, scopes, namespaces, single memories, topics.
//!
//! The kit lists them. What a caller cannot access is not there for it, under any address.

use super::service::PresentedMemory;
use super::views::Shown;
use super::words::KNOWN;
use crate::handler::with;
use crate::presentation::Failure;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, Matched, ToolError, Typing};
use hobnob_mcp_types::resources::{Resource, ResourceContents, ResourceTemplate};
use hobnob_store::memory::{
    MemoryAccess, MemoryFilter, MemoryId, Namespace, PageRequest, ScopeKind, Tag, UsageCount,
};
use serde::Serialize;

/// Memories in one list.
const LISTED: usize = 500;
/// Suggestions while somebody types.
const SUGGESTED: usize = 100;
const JSON: &str = "application/json";

/// The kit with all resources in it; the namespaces in use are listed by themselves.
pub(super) fn with_resources(
    kit: Kit,
    presented: &PresentedMemory,
    namespaces: &[String],
) -> Result<Kit, KitError> {
    let scheme = presented.scheme();
    let help = Resource::new(format!("{scheme}://help"), "Help Documentation")
        .with_description("How memory works: namespaces, scopes, filters, addresses")
        .with_mime_type("text/markdown");
    let shared = presented.clone();
    let mut kit = kit.resource(help, move |_| {
        let text = help_text(shared.scheme());
        let uri = format!("{}://help", shared.scheme());
        async move { Ok(ResourceContents::text(uri, "text/markdown", text)) }
    })?;
    for (scope, name, about) in [
        (ScopeKind::Project, "Project Memories", "List project-scoped memories"),
        (ScopeKind::User, "User Memories", "List memories of the user, of every project"),
        (ScopeKind::Org, "Shared Memories", "List memories of everybody who shares this store"),
    ] {
        let uri = format!("{scheme}://{}", scope.as_str());
        let listed = Resource::new(&uri, name).with_description(about).with_mime_type(JSON);
        kit = kit.resource(listed, reader(presented, uri, scope, None))?;
    }
    for name in namespaces {
        let Ok(namespace) = Namespace::parse(name) else { continue };
        let uri = format!("{scheme}://project/{name}");
        let about = KNOWN.iter().find(|(it, _)| it == name).map_or("", |(_, about)| *about);
        let listed = Resource::new(&uri, format!("Project: {name}"))
            .with_description(format!("Memories of the project in {name} ({about})"))
            .with_mime_type(JSON);
        kit = kit.resource(listed, reader(presented, uri, ScopeKind::Project, Some(namespace)))?;
    }
    let topics = Resource::new(format!("{scheme}://topics"), "Topics")
        .with_description("Tags in use and how many memories each has")
        .with_mime_type(JSON);
    let shared = presented.clone();
    let kit = kit.resource(topics, move |context| topics_read(shared.clone(), context))?;
    with_templates(kit, presented)
}

fn with_templates(kit: Kit, presented: &PresentedMemory) -> Result<Kit, KitError> {
    let scheme = presented.scheme();
    let template = |pattern: &str, name: &str, about: &str| ResourceTemplate {
        description: Some(about.into()),
        mime_type: Some(JSON.into()),
        ..ResourceTemplate::new(format!("{scheme}://{pattern}"), name)
    };
    let topic = template("topics/{tag}", "Topic", "Memories with a tag");
    let of_namespace = template("{scope}/{namespace}", "Namespace", "Memories of a namespace");
    let one = template("{scope}/{namespace}/{id}", "Memory", "One memory, in full");
    let (all, single) = (of_namespace.uri_template.clone(), one.uri_template.clone());
    let tagged = topic.uri_template.clone();
    kit.template(topic, with(presented, read_topic))?
        .template(of_namespace, with(presented, read_place))?
        .template(one, with(presented, read_one))?
        .complete_template(&all, "scope", complete_scope)?
        .complete_template(&single, "scope", complete_scope)?
        .complete_template(&all, "namespace", with(presented, complete_namespace))?
        .complete_template(&single, "namespace", with(presented, complete_namespace))?
        .complete_template(&tagged, "tag", with(presented, complete_tag))
}

#[derive(Serialize)]
struct Listed<'a> {
    count: u64,
    memories: Vec<Shown<'a>>,
    /// Present if there are more than are listed; the `list` tool has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<bool>,
}

fn reader(
    presented: &PresentedMemory,
    uri: String,
    scope: ScopeKind,
    namespace: Option<Namespace>,
) -> impl Fn(Context) -> hobnob_mcp_engine::BoxFuture<'static, Result<ResourceContents, ToolError>>
+ Send
+ Sync
+ 'static {
    let presented = presented.clone();
    move |context| {
        let (presented, uri) = (presented.clone(), uri.clone());
        let filter = MemoryFilter {
            scopes: vec![scope],
            namespaces: namespace.iter().cloned().collect(),
            ..MemoryFilter::default()
        };
        Box::pin(async move { presented.listed(uri, filter, presented.access(&context)?).await })
    }
}

async fn read_place(
    presented: PresentedMemory,
    matched: Matched,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let unknown = || ToolError::no_resource(matched.uri.as_str());
    let scope = ScopeKind::parse(matched.get("scope")).ok_or_else(unknown)?;
    let namespace = Namespace::parse(matched.get("namespace")).map_err(|_| unknown())?;
    let filter = MemoryFilter {
        scopes: vec![scope],
        namespaces: vec![namespace],
        ..MemoryFilter::default()
    };
    presented.listed(matched.uri.clone(), filter, presented.access(&context)?).await
}

async fn read_topic(
    presented: PresentedMemory,
    matched: Matched,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let tag = Tag::parse(matched.get("tag"));
    let tag = tag.map_err(|_| ToolError::no_resource(matched.uri.as_str()))?;
    let filter = MemoryFilter { tags: vec![vec![tag]], ..MemoryFilter::default() };
    presented.listed(matched.uri.clone(), filter, presented.access(&context)?).await
}

async fn read_one(
    presented: PresentedMemory,
    matched: Matched,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let access = presented.access(&context)?;
    let id = MemoryId::parse(matched.get("id")).ok_or_else(|| presented.nowhere(&matched.uri))?;
    let found = presented.shared().memories.get(access, id).await;
    let memory = found.map_err(|error| presented.store(&error))?;
    let fits = memory.filter(|it| {
        it.scope.kind().as_str() == matched.get("scope")
            && it.namespace.as_str() == matched.get("namespace")
    });
    let memory = fits.ok_or_else(|| presented.nowhere(&matched.uri))?;
    presented.contents(matched.uri, &Shown::full(&presented.presentation, &memory))
}

async fn topics_read(
    presented: PresentedMemory,
    context: Context,
) -> Result<ResourceContents, ToolError> {
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
        presented.shared().memories.tags(presented.access(&context)?, String::new(), LISTED).await;
    let used = used.map_err(|error| presented.store(&error))?;
    let topic = |it: UsageCount| Topic { tag: it.word, count: it.count };
    let uri = format!("{}://topics", presented.scheme());
    presented.contents(uri, &Topics { topics: used.into_iter().map(topic).collect() })
}

async fn complete_scope(typing: Typing, _: Context) -> Result<Vec<String>, ToolError> {
    let words = ScopeKind::ALL.into_iter().map(ScopeKind::as_str);
    Ok(words.filter(|word| word.starts_with(&typing.value)).map(str::to_owned).collect())
}

pub(super) async fn complete_namespace(
    presented: PresentedMemory,
    typing: Typing,
    context: Context,
) -> Result<Vec<String>, ToolError> {
    presented.namespaces_like(presented.access_without_asking(&context), &typing.value).await
}

pub(super) async fn complete_tag(
    presented: PresentedMemory,
    typing: Typing,
    context: Context,
) -> Result<Vec<String>, ToolError> {
    let access = presented.access_without_asking(&context);
    let used = presented.shared().memories.tags(access, typing.value, SUGGESTED).await;
    let used = used.map_err(|error| presented.store(&error))?;
    Ok(used.into_iter().map(|count| count.word).collect())
}

impl PresentedMemory {
    /// Namespaces that begin like this: those in use first, then the well-known ones.
    pub(super) async fn namespaces_like(
        &self,
        access: MemoryAccess,
        begin: &str,
    ) -> Result<Vec<String>, ToolError> {
        let used = self.shared().memories.namespaces(access, MemoryFilter::default()).await;
        let used = used.map_err(|error| self.store(&error))?;
        let mut names: Vec<String> = used.into_iter().map(|count| count.word).collect();
        for (known, _) in KNOWN {
            if !names.iter().any(|name| name == known) {
                names.push(known.into());
            }
        }
        names.retain(|name| name.starts_with(begin));
        Ok(names)
    }

    /// A light list of what fits.
    async fn listed(
        &self,
        uri: String,
        filter: MemoryFilter,
        access: MemoryAccess,
    ) -> Result<ResourceContents, ToolError> {
        let page = PageRequest { after: None, limit: LISTED };
        let memories = &self.shared().memories;
        let count = memories.count(access.clone(), filter.clone()).await;
        let count = count.map_err(|error| self.store(&error))?;
        let part = memories.list(access, filter, page).await;
        let part = part.map_err(|error| self.refused(error))?;
        let memories = part.items.iter().map(|it| Shown::light(&self.presentation, it)).collect();
        let more = part.next.is_some().then_some(true);
        self.contents(uri, &Listed { count, memories, more })
    }

    fn contents(
        &self,
        uri: impl Into<String>,
        data: &impl Serialize,
    ) -> Result<ResourceContents, ToolError> {
        let text = serde_json::to_string(data)
            .map_err(|_| self.presentation.fail(Failure::Storage, "the list cannot be written"))?;
        Ok(ResourceContents::text(uri, JSON, text))
    }

    /// There is nothing at an address.
    fn nowhere(&self, uri: &str) -> ToolError {
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
         - `org`: everybody who shares this store\n\n\
         ## Filters\n\n\
         `ns:decisions tag:a,b -tag:c since:7d until:2026-01-31 source:docs/* scope:user \
         status:active`\n\n\
         Words are joined by \"and\", values of one word by \"or\".\n\n\
         ## Namespaces\n\n"
    );
    for (name, about) in KNOWN {
        text.push_str(&format!("- `{name}`: {about}\n"));
    }
    text.push_str("\nYour own namespaces are lower-case letters, digits, `-` and `_`.\n");
    text
}
