//! The six tools that let a model find, read and watch what the servers have. They never ask.

use crate::catalog::ListKind;
use crate::forward::forward;
use crate::gateway::Gateway;
use crate::learn::Wanted;
use crate::management_tools as names;
use crate::own::POLLS;
use crate::pace::Proof;
use crate::polling::{
    Audience, Looked, PollOwner, Polling, SHORTEST, own_call, permit_polled_resource,
    permit_polled_tool,
};
use crate::polls::Poll;
use crate::route::GatewayService;
use crate::uris::Prefix;
use crate::view::View;
use hobnob_mcp_client::Forwarded;
use hobnob_mcp_engine::{Notes, Outcome, Principal};
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, Structured, ToolError, ToolSpec};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::tools::ToolAnnotations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Subscriptions made through the tools, at once.
const MOST: usize = 1024;

/// How often to look, if the caller does not say.
const USUAL_MS: u64 = 5000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// Only the resources of this server.
    server: Option<String>,
}

/// One resource of one server.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResourceEntry {
    /// Its address, as the server knows it.
    uri: String,
    /// Its name.
    name: String,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The server that has it.
    server: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    /// The server that has the resource.
    server: String,
    /// Its address, as the server knows it.
    uri: String,
}

/// What a resource holds.
#[derive(Serialize, JsonSchema)]
struct ReadResult {
    /// One entry for each part.
    // Said as objects: some model APIs refuse a schema that is a bare `true`.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    contents: Vec<serde_json::Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubscribeArguments {
    /// The server that has the resource.
    server: String,
    /// Its address, as the server knows it.
    uri: String,
    /// Why, for the record.
    #[expect(dead_code, reason = "accepted for people who read transcripts")]
    reason: Option<String>,
}

/// A subscription that was made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Subscribed {
    /// Always true; what cannot be subscribed to is an error.
    subscribed: bool,
    /// Its name, for ending it.
    subscription_id: String,
    /// The address under which `notifications/resources/updated` tells of changes. A client of
    /// 2026-07-28 names it in `subscriptions/listen`; an older one is subscribed already.
    resource_uri: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UnsubscribeArguments {
    /// The server that has the resource.
    server: Option<String>,
    /// Its address, as the server knows it.
    uri: Option<String>,
    /// The subscription's name.
    subscription_id: Option<String>,
}

/// Whether something was ended.
#[derive(Serialize, JsonSchema)]
struct Unsubscribed {
    /// False if there was nothing to end.
    unsubscribed: bool,
}

/// What is polled.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum PolledKind {
    /// A tool is called.
    Tool,
    /// A resource is read.
    Resource,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PollArguments {
    /// Whether a tool is called or a resource is read.
    r#type: PolledKind,
    /// The server.
    server: String,
    /// The tool, as the server knows it.
    tool_name: Option<String>,
    /// The tool's arguments.
    arguments: Option<serde_json::Map<String, serde_json::Value>>,
    /// The resource's address, as the server knows it.
    uri: Option<String>,
    /// Milliseconds between two looks: at least 1000, 5000 if not given.
    #[schemars(range(min = 1000))]
    interval_ms: Option<u64>,
    /// Why, for the record.
    #[expect(dead_code, reason = "accepted for people who read transcripts")]
    reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UnpollArguments {
    /// The poll's name.
    subscription_id: Option<String>,
    /// The server.
    server: Option<String>,
    /// The tool or the resource, as the server knows it.
    target: Option<String>,
}

/// Subscriptions made through the tools, oldest first.
#[derive(Default)]
struct Subscriptions(Mutex<VecDeque<Made>>);

/// One of them. The interest itself is the session's or the listener's, and ends with it.
struct Made {
    id: String,
    owner: Principal,
    uri: String,
}

/// Where the tools belong. They must keep neither the gateway nor the view alive.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) gateway: Weak<Gateway>,
    pub(crate) view: Weak<View>,
}

impl Seat {
    fn front(&self) -> Result<GatewayService, ToolError> {
        let both = (self.gateway.upgrade(), self.view.upgrade());
        let (Some(gateway), Some(view)) = both else {
            return Err(ToolError::failed("Hobnob is stopping"));
        };
        Ok(GatewayService { gateway, view })
    }
}

/// The kit of one view.
pub(crate) fn kit(seat: &Seat) -> Result<Kit, KitError> {
    let subscriptions: Arc<Subscriptions> = Arc::default();
    let hints = ToolAnnotations {
        read_only_hint: Some(true),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    let spec = |name: &'static str, words: &'static str| {
        ToolSpec::new(name, words).annotations(hints.clone())
    };
    let (one, two) = (Arc::clone(&subscriptions), subscriptions);
    let [s1, s2, s3, s5, s6] = std::array::from_fn(|_| seat.clone());
    Kit::plain("management")
        .tool(
            spec(names::LIST_RESOURCES, "Lists the resources of all MCP servers, or of one"),
            move |arguments: ListArguments, context: Context| {
                let seat = s1.clone();
                async move { list(&seat.front()?, arguments, &context).await }
            },
        )?
        .tool(
            spec(names::READ_RESOURCE, "Reads a resource of an MCP server").output::<ReadResult>(),
            move |arguments: ReadArguments, context: Context| {
                let seat = s2.clone();
                async move { read(&seat.front()?, arguments, &context).await }
            },
        )?
        .tool(
            spec(names::SUBSCRIBE, "Subscribes to changes of a resource of an MCP server")
                .output::<Subscribed>(),
            move |arguments: SubscribeArguments, context: Context| {
                let (seat, subscriptions) = (s3.clone(), Arc::clone(&one));
                async move { subscribe(&seat.front()?, &subscriptions, arguments, &context).await }
            },
        )?
        .tool(
            spec(names::UNSUBSCRIBE, "Ends a subscription to a resource").output::<Unsubscribed>(),
            move |arguments: UnsubscribeArguments, context: Context| {
                let subscriptions = Arc::clone(&two);
                async move { unsubscribe(&subscriptions, &arguments, &context) }
            },
        )?
        .tool(
            spec(
                names::POLL,
                "Calls a tool or reads a resource at an interval and tells of changes",
            )
            .output::<Subscribed>(),
            move |arguments: PollArguments, context: Context| {
                let seat = s5.clone();
                async move { poll(&seat.front()?, arguments, &context).await }
            },
        )?
        .tool(
            spec(names::UNPOLL, "Ends polling").output::<Unsubscribed>(),
            move |arguments: UnpollArguments, context: Context| {
                let seat = s6.clone();
                async move { unpoll(&seat.front()?, &arguments, &context) }
            },
        )
}

async fn list(
    front: &GatewayService,
    arguments: ListArguments,
    context: &Context,
) -> Result<String, ToolError> {
    match &arguments.server {
        Some(server) => known(front, server, context).await?,
        None => front.gateway.settled(&front.view, &Notes::silent()).await,
    }
    let snapshot = front.view.snapshot();
    let text = |json: &str, key: &str| {
        let raw = field(json, key)?;
        serde_json::from_str::<String>(raw).ok()
    };
    let mut found = Vec::new();
    for (uri, json) in snapshot.catalogue.entries(ListKind::Resources) {
        let Some(crate::catalog::ResourceTarget::Upstream { server, original }) =
            snapshot.catalogue.resource(uri)
        else {
            continue;
        };
        if arguments.server.as_ref().is_some_and(|wanted| **wanted != **server) {
            continue;
        }
        found.push(ResourceEntry {
            uri: original.to_owned(),
            name: text(json, "name").unwrap_or_default(),
            mime_type: text(json, "mimeType"),
            description: text(json, "description"),
            server: server.to_string(),
        });
    }
    Ok(serde_json::to_string(&found)?)
}

async fn read(
    front: &GatewayService,
    arguments: ReadArguments,
    context: &Context,
) -> Result<Structured<ReadResult>, ToolError> {
    known(front, &arguments.server, context).await?;
    let snapshot = front.view.snapshot();
    let server = arguments.server.as_str();
    let params = object(|object| {
        object.string("uri", &arguments.uri);
    });
    let call = own_call(Method::ResourcesRead, params, &PollOwner::of(context.caller()))
        .ok_or_else(|| ToolError::params("`uri` is no URI"))?;
    let permit = permit_polled_resource(&front.view, server, &arguments.uri, call)?;
    let upstream = snapshot.upstreams.get(server);
    let upstream = upstream.ok_or_else(|| ToolError::failed("the server is gone"))?;
    let done = forward(upstream, &permit, None, &Notes::silent(), &|| true).await;
    let forwarded = done.map_err(|error| ToolError::failed(error.text(server)))?;
    match forwarded {
        Forwarded::Outcome(Outcome::Complete(answer)) => {
            let contents = field(&answer.body, "contents").unwrap_or("[]");
            Ok(Structured(ReadResult { contents: serde_json::from_str(contents)? }))
        }
        _ => Err(ToolError::failed("the server asks something first; read it as a resource")),
    }
}

async fn subscribe(
    front: &GatewayService,
    subscriptions: &Subscriptions,
    arguments: SubscribeArguments,
    context: &Context,
) -> Result<Structured<Subscribed>, ToolError> {
    known(front, &arguments.server, context).await?;
    let uri = Prefix::of(&arguments.server).public(&arguments.uri);
    check_readable(&front.view, &arguments.server, &arguments.uri, context)?;
    let id = crate::token::token();
    {
        let mut all = subscriptions.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.pop_front();
        }
        let owner = context.caller().principal.clone();
        all.push_back(Made { id: id.clone(), owner, uri: uri.clone() });
    }
    context.watch(&uri);
    Ok(Structured(Subscribed { subscribed: true, subscription_id: id, resource_uri: uri }))
}

fn unsubscribe(
    subscriptions: &Subscriptions,
    arguments: &UnsubscribeArguments,
    context: &Context,
) -> Result<Structured<Unsubscribed>, ToolError> {
    let public = match (&arguments.server, &arguments.uri) {
        (Some(server), Some(uri)) => Some(Prefix::of(server).public(uri)),
        _ => None,
    };
    if public.is_none() && arguments.subscription_id.is_none() {
        return Err(ToolError::params("name `subscriptionId`, or `server` and `uri`"));
    }
    let owner = &context.caller().principal;
    let mut all = subscriptions.0.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |made: &Made| {
        made.owner == *owner
            && arguments.subscription_id.as_ref().is_none_or(|wanted| *wanted == made.id)
            && public.as_ref().is_none_or(|wanted| *wanted == made.uri)
    };
    let (gone, kept): (Vec<_>, Vec<_>) = all.drain(..).partition(fits);
    all.extend(kept);
    drop(all);
    gone.iter().for_each(|made| context.unwatch(&made.uri));
    Ok(Structured(Unsubscribed { unsubscribed: !gone.is_empty() }))
}

async fn poll(
    front: &GatewayService,
    arguments: PollArguments,
    context: &Context,
) -> Result<Structured<Subscribed>, ToolError> {
    let server = arguments.server.as_str();
    known(front, server, context).await?;
    let interval = Duration::from_millis(arguments.interval_ms.unwrap_or(USUAL_MS));
    if interval < SHORTEST {
        return Err(ToolError::params("`intervalMs` must be at least 1000"));
    }
    let id = crate::token::token();
    let (method, params, target) = polled(&front.view, &arguments, context)?;
    let uri = match method {
        Method::ToolsCall => format!("{POLLS}{id}"),
        _ => Prefix::of(server).public(&target),
    };
    let owner = PollOwner::of(context.caller());
    let gateway = &front.gateway;
    let (stop, last) = (gateway.stop.child_token(), Arc::<Mutex<Option<String>>>::default());
    let poll = Poll {
        owner: owner.clone(),
        view: front.view.id,
        server: server.into(),
        target: target.as_str().into(),
        uri: uri.as_str().into(),
        last: Arc::clone(&last),
        stop: stop.clone(),
    };
    let polling = Polling {
        server: server.into(),
        method,
        target: target.into(),
        owner,
        audience: Audience::One(Arc::clone(&front.view)),
        params,
        uri: uri.as_str().into(),
        interval,
        proof: Proof::Proved,
        // A resource is read where it is; only a tool's result is kept.
        last: (method == Method::ToolsCall).then_some(last),
        stop,
    };
    // Nothing is polled that is not there.
    if method == Method::ResourcesRead
        && let Looked::Refused(why) = gateway.look(&polling).await
    {
        return Err(ToolError::failed(format!("it cannot be read: {why}")));
    }
    gateway.polls.add(&id, poll).map_err(|full| ToolError::failed(full.to_string()))?;
    gateway.poll(polling);
    context.watch(&uri);
    Ok(Structured(Subscribed { subscribed: true, subscription_id: id, resource_uri: uri }))
}

/// What is asked again and again: the method, its parameters, and what it is about.
fn polled(
    view: &View,
    arguments: &PollArguments,
    context: &Context,
) -> Result<(Method, String, String), ToolError> {
    let server = arguments.server.as_str();
    match (arguments.r#type, &arguments.tool_name, &arguments.uri) {
        (PolledKind::Tool, Some(tool), None) => {
            let given = match &arguments.arguments {
                Some(given) => serde_json::to_string(given)?,
                None => "{}".into(),
            };
            let params = object(|object| {
                object.string("name", tool).raw("arguments", &given);
            });
            let owner = PollOwner::of(context.caller());
            let call = own_call(Method::ToolsCall, params.clone(), &owner)
                .ok_or_else(|| ToolError::params("`arguments` is no object"))?;
            permit_polled_tool(view, server, tool, call)?;
            Ok((Method::ToolsCall, params, tool.clone()))
        }
        (PolledKind::Resource, None, Some(uri)) => {
            check_readable(view, server, uri, context)?;
            let params = object(|object| {
                object.string("uri", uri);
            });
            Ok((Method::ResourcesRead, params, uri.clone()))
        }
        (PolledKind::Tool, ..) => Err(ToolError::params("a tool is named by `toolName`")),
        (PolledKind::Resource, ..) => Err(ToolError::params("a resource is named by `uri`")),
    }
}

/// Refuses what a rule denies before anybody waits for it: the read itself asks again.
fn check_readable(
    view: &View,
    server: &str,
    uri: &str,
    context: &Context,
) -> Result<(), ToolError> {
    let call = own_call(Method::ResourcesRead, "{}".into(), &PollOwner::of(context.caller()))
        .ok_or_else(|| ToolError::params("`uri` is no URI"))?;
    permit_polled_resource(view, server, uri, call).map(drop)
}

fn unpoll(
    front: &GatewayService,
    arguments: &UnpollArguments,
    context: &Context,
) -> Result<Structured<Unsubscribed>, ToolError> {
    if arguments.subscription_id.is_none() && arguments.server.is_none() {
        return Err(ToolError::params("name `subscriptionId`, or `server` and `target`"));
    }
    let owner = &context.caller().principal;
    let gone = front.gateway.polls.remove(owner, front.view.id, |id, poll| {
        arguments.subscription_id.as_ref().is_none_or(|wanted| **wanted == *id)
            && arguments.server.as_ref().is_none_or(|wanted| **wanted == *poll.server)
            && arguments.target.as_ref().is_none_or(|wanted| **wanted == *poll.target)
    });
    gone.iter().for_each(|uri| context.unwatch(uri));
    Ok(Structured(Unsubscribed { unsubscribed: !gone.is_empty() }))
}

/// Sees to it that it is known what a server offers. An error names what there is, for a server
/// there is not.
async fn known(front: &GatewayService, server: &str, context: &Context) -> Result<(), ToolError> {
    let snapshot = front.view.snapshot();
    if snapshot.upstreams.contains_key(server) {
        let learnt =
            front.learn_owner(Wanted::Server(server), context.caller(), &Notes::silent()).await;
        return learnt.map_err(|why| ToolError::failed(why.0));
    }
    let names: Vec<&str> = snapshot.upstreams.keys().map(|name| &**name).collect();
    Err(ToolError::failed(format!("no server `{server}`; there are: {}", names.join(", "))))
}
