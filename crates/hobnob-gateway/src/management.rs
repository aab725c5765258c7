//! The six tools with which models find, read and watch servers' resources. No person is asked.

mod arguments;

use self::arguments::{
    ListArguments, PollArguments, PolledKind, ReadArguments, ReadResult, ResourceEntry,
    SubscribeArguments, Subscribed, UnpollArguments, UnsubscribeArguments, Unsubscribed,
};
use crate::calls::forward::forward;
use crate::catalog::ListKind;
use crate::dispatch::locate::Wanted;
use crate::dispatch::router::{DispatchContext, GatewayService};
use crate::names::management as names;
use crate::uris::{POLLS, PublicUris};
use crate::view::View;
use crate::watch::pace::Proof;
use crate::watch::poll_task::{
    PollAudience, PollTask, own_call, permit_polled_resource, permit_polled_tool,
};
use crate::watch::poller::{MIN_INTERVAL, PollOutcome};
use crate::watch::polls::{Poll, PollOwner};
use hobnob_mcp_client::Forwarded;
use hobnob_mcp_engine::{Notes, Outcome, Principal, random_token};
use hobnob_mcp_toolbox::{CallContext, Context, Kit, KitError, Structured, ToolError, ToolSpec};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::tools::ToolAnnotations;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The most subscriptions made through the tools at one time.
const MAX_SUBSCRIPTIONS: usize = 1024;

/// Milliseconds between two polls, unless the caller sets an interval.
const DEFAULT_INTERVAL_MS: u64 = 5000;

/// The subscriptions made through the tools, oldest first.
#[derive(Default)]
struct Subscriptions(Mutex<VecDeque<ToolSubscription>>);

/// One subscription. The watch itself belongs to the session or the listener, and ends with it.
struct ToolSubscription {
    id: String,
    owner: Principal,
    uri: String,
}

/// The gateway and the view of these tools; weak references, since the view holds the tools.
#[derive(Clone)]
pub(crate) struct ManagementContext {
    pub(crate) dispatch: Weak<DispatchContext>,
    pub(crate) view: Weak<View>,
}

impl ManagementContext {
    /// The view's service, while the gateway runs.
    pub(crate) fn service(&self) -> Result<GatewayService, ToolError> {
        let both = (self.dispatch.upgrade(), self.view.upgrade());
        let (Some(context), Some(view)) = both else {
            return Err(ToolError::failed("Hobnob is stopping"));
        };
        Ok(GatewayService { context, view })
    }
}

/// State that the tools of one view share.
struct ManagementState {
    hub: ManagementContext,
    subscriptions: Subscriptions,
}

/// The kit of management tools for one view.
pub(crate) fn kit(hub: &ManagementContext) -> Result<Kit, KitError> {
    let hints = ToolAnnotations {
        read_only_hint: Some(true),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    let spec = |description: &str| ToolSpec::new(description).annotations(hints.clone());
    Kit::plain("management")
        .with_state(ManagementState { hub: hub.clone(), subscriptions: Subscriptions::default() })
        .tool(
            names::LIST_RESOURCES,
            spec("Lists the resources of all MCP servers, or of one"),
            |arguments: ListArguments, context: Context<ManagementState>| async move {
                list(&context.state().hub.service()?, arguments, &context).await
            },
        )
        .tool(
            names::READ_RESOURCE,
            spec("Reads a resource of an MCP server"),
            |arguments: ReadArguments, context: Context<ManagementState>| async move {
                read(&context.state().hub.service()?, arguments, &context).await
            },
        )
        .tool(
            names::SUBSCRIBE,
            spec("Subscribes to changes of a resource of an MCP server"),
            |arguments: SubscribeArguments, context: Context<ManagementState>| async move {
                let ManagementState { hub, subscriptions } = context.state();
                subscribe(&hub.service()?, subscriptions, arguments, &context).await
            },
        )
        .tool(
            names::UNSUBSCRIBE,
            spec("Ends a subscription to a resource"),
            |arguments: UnsubscribeArguments, context: Context<ManagementState>| async move {
                unsubscribe(&context.state().subscriptions, &arguments, &context)
            },
        )
        .tool(
            names::POLL,
            spec("Calls a tool or reads a resource at an interval and notifies you of changes"),
            |arguments: PollArguments, context: Context<ManagementState>| async move {
                poll(&context.state().hub.service()?, arguments, &context).await
            },
        )
        .tool(
            names::UNPOLL,
            spec("Ends polling"),
            |arguments: UnpollArguments, context: Context<ManagementState>| async move {
                unpoll(&context.state().hub.service()?, &arguments, &context)
            },
        )
        .build()
}

async fn list(
    service: &GatewayService,
    arguments: ListArguments,
    context: &CallContext,
) -> Result<String, ToolError> {
    match &arguments.server {
        Some(server) => known(service, server, context).await?,
        None => service.context.locator.first_starts.wait(&service.view, &Notes::silent()).await,
    }
    let snapshot = service.view.snapshot();
    let text = |json: &str, key: &str| {
        let raw = field(json, key)?;
        serde_json::from_str::<String>(raw).ok()
    };
    let mut found = Vec::new();
    for (uri, json) in snapshot.catalogue.list(ListKind::Resources).entries() {
        let Some(crate::catalog::ResourceTarget::Upstream { server, original }) =
            snapshot.catalogue.resource(uri)
        else {
            continue;
        };
        if arguments.server.as_ref().is_some_and(|wanted| **wanted != **server) {
            continue;
        }
        found.push(ResourceEntry {
            uri: original.into_owned(),
            name: text(json, "name").unwrap_or_default(),
            mime_type: text(json, "mimeType"),
            description: text(json, "description"),
            server: server.to_string(),
        });
    }
    Ok(serde_json::to_string(&found)?)
}

async fn read(
    service: &GatewayService,
    arguments: ReadArguments,
    context: &CallContext,
) -> Result<Structured<ReadResult>, ToolError> {
    known(service, &arguments.server, context).await?;
    let snapshot = service.view.snapshot();
    let server = arguments.server.as_str();
    let params = object(|object| {
        object.string("uri", &arguments.uri);
    });
    let call = own_call(Method::ResourcesRead, params, &PollOwner::of(context.caller()))
        .ok_or_else(|| ToolError::params("`uri` is no URI"))?;
    let permit = permit_polled_resource(&service.view, server, &arguments.uri, call)?;
    let upstream = snapshot.upstreams.get(server);
    let upstream = upstream.ok_or_else(|| ToolError::failed("the server is gone"))?;
    let done = forward(upstream, &permit, None, &Notes::silent(), &|| true).await;
    let forwarded = done.map_err(|error| ToolError::failed(error.text(server)))?;
    match forwarded {
        Forwarded::Outcome(Outcome::Complete(answer)) => {
            let contents = field(&answer.body, "contents").unwrap_or("[]");
            Ok(Structured(ReadResult { contents: serde_json::from_str(contents)? }))
        }
        _ => Err(ToolError::failed(
            "the server asks a question before it answers; read the resource with resources/read \
             instead",
        )),
    }
}

async fn subscribe(
    service: &GatewayService,
    subscriptions: &Subscriptions,
    arguments: SubscribeArguments,
    context: &CallContext,
) -> Result<Structured<Subscribed>, ToolError> {
    known(service, &arguments.server, context).await?;
    let uri = PublicUris::of(&arguments.server).public(&arguments.uri);
    check_readable(&service.view, &arguments.server, &arguments.uri, context)?;
    let id = String::from(random_token()?);
    {
        let mut all = subscriptions.0.lock();
        if all.len() >= MAX_SUBSCRIPTIONS {
            all.pop_front();
        }
        let owner = context.caller().principal.clone();
        all.push_back(ToolSubscription { id: id.clone(), owner, uri: uri.clone() });
    }
    context.watch(&uri);
    Ok(Structured(Subscribed { subscribed: true, subscription_id: id, resource_uri: uri }))
}

fn unsubscribe(
    subscriptions: &Subscriptions,
    arguments: &UnsubscribeArguments,
    context: &CallContext,
) -> Result<Structured<Unsubscribed>, ToolError> {
    let public = match (&arguments.server, &arguments.uri) {
        (Some(server), Some(uri)) => Some(PublicUris::of(server).public(uri)),
        _ => None,
    };
    if public.is_none() && arguments.subscription_id.is_none() {
        return Err(ToolError::params("name `subscriptionId`, or `server` and `uri`"));
    }
    let owner = &context.caller().principal;
    let mut all = subscriptions.0.lock();
    let fits = |subscription: &ToolSubscription| {
        subscription.owner == *owner
            && arguments.subscription_id.as_ref().is_none_or(|wanted| *wanted == subscription.id)
            && public.as_ref().is_none_or(|wanted| *wanted == subscription.uri)
    };
    let (gone, kept): (Vec<_>, Vec<_>) = all.drain(..).partition(fits);
    all.extend(kept);
    drop(all);
    gone.iter().for_each(|subscription| context.unwatch(&subscription.uri));
    Ok(Structured(Unsubscribed { unsubscribed: !gone.is_empty() }))
}

async fn poll(
    service: &GatewayService,
    arguments: PollArguments,
    context: &CallContext,
) -> Result<Structured<Subscribed>, ToolError> {
    let server = arguments.server.as_str();
    known(service, server, context).await?;
    let interval = Duration::from_millis(arguments.interval_ms.unwrap_or(DEFAULT_INTERVAL_MS));
    if interval < MIN_INTERVAL {
        return Err(ToolError::params("`intervalMs` must be at least 1000"));
    }
    let id = String::from(random_token()?);
    let (method, params, target) = polled(&service.view, &arguments, context)?;
    let uri = match method {
        Method::ToolsCall => format!("{POLLS}{id}"),
        _ => PublicUris::of(server).public(&target),
    };
    let owner = PollOwner::of(context.caller());
    let poller = &service.context.poller;
    let (stop, last) = (CancellationToken::new(), Arc::<Mutex<Option<String>>>::default());
    let poll = Poll {
        owner: owner.clone(),
        view: service.view.id,
        server: server.into(),
        target: target.as_str().into(),
        uri: uri.as_str().into(),
        last: Arc::clone(&last),
        stop: stop.clone(),
    };
    let polling = PollTask {
        server: server.into(),
        method,
        target: target.into(),
        owner,
        audience: PollAudience::One(Arc::clone(&service.view)),
        params,
        uri: uri.as_str().into(),
        interval,
        proof: Proof::Proved,
        // A resource can be read at its own address, so only a tool's result is stored.
        last: (method == Method::ToolsCall).then_some(last),
        stop,
    };
    // A first read shows that the resource exists and may be read.
    if method == Method::ResourcesRead
        && let PollOutcome::Refused(why) = poller.poll_once(&polling).await
    {
        return Err(ToolError::failed(format!("it cannot be read: {why}")));
    }
    poller.polls.add(&id, poll).map_err(|full| ToolError::failed(full.to_string()))?;
    poller.start(polling);
    context.watch(&uri);
    Ok(Structured(Subscribed { subscribed: true, subscription_id: id, resource_uri: uri }))
}

/// The polled request: its method, its parameters, and the tool or resource it is about.
fn polled(
    view: &View,
    arguments: &PollArguments,
    context: &CallContext,
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

/// Refuses early what a rule denies; the read itself is checked again.
fn check_readable(
    view: &View,
    server: &str,
    uri: &str,
    context: &CallContext,
) -> Result<(), ToolError> {
    let call = own_call(Method::ResourcesRead, "{}".into(), &PollOwner::of(context.caller()))
        .ok_or_else(|| ToolError::params("`uri` is no URI"))?;
    permit_polled_resource(view, server, uri, call).map(drop)
}

fn unpoll(
    service: &GatewayService,
    arguments: &UnpollArguments,
    context: &CallContext,
) -> Result<Structured<Unsubscribed>, ToolError> {
    if arguments.subscription_id.is_none() && arguments.server.is_none() {
        return Err(ToolError::params("name `subscriptionId`, or `server` and `target`"));
    }
    let owner = &context.caller().principal;
    let gone = service.context.poller.polls.remove(owner, service.view.id, |id, poll| {
        arguments.subscription_id.as_ref().is_none_or(|wanted| **wanted == *id)
            && arguments.server.as_ref().is_none_or(|wanted| **wanted == *poll.server)
            && arguments.target.as_ref().is_none_or(|wanted| **wanted == *poll.target)
    });
    gone.iter().for_each(|uri| context.unwatch(uri));
    Ok(Structured(Unsubscribed { unsubscribed: !gone.is_empty() }))
}

/// Waits until the server's lists are known. For an unknown name, the error lists the servers that
/// exist.
async fn known(
    service: &GatewayService,
    server: &str,
    context: &CallContext,
) -> Result<(), ToolError> {
    let snapshot = service.view.snapshot();
    if snapshot.upstreams.contains_key(server) {
        let (wanted, caller) = (Wanted::Server(server), context.caller());
        let locator = &service.context.locator;
        let learned = locator.learn_owner(&service.view, wanted, caller, &Notes::silent()).await;
        return learned.map_err(|why| ToolError::failed(why.0));
    }
    let names: Vec<&str> = snapshot.upstreams.keys().map(|name| &**name).collect();
    Err(ToolError::failed(format!("no server `{server}`; there are: {}", names.join(", "))))
}
