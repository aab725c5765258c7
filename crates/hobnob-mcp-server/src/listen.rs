//! `subscriptions/listen`: a request that streams change notifications until it ends.
//!
//! Only modern calls use it. The acknowledgement is always the first message on the stream.

use crate::server::Server;
use crate::traffic;
use crate::watched::too_many;
use crate::wire;
use hobnob_mcp_engine::{CallError, Change, ChangeSink, ShareKey, Subscriber, TaskOwner, Watch};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::subscriptions::{ListenParams, SubscriptionFilter};
use hobnob_mcp_types::{Method, RequestId, encode, meta};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The largest task notification. Unread notes are dropped, so one must not fill the outbox alone:
/// for a larger task only the status is sent, and the client asks for the rest.
const MAX_TASK_BYTES: usize = 256 << 10;

/// Listens until `stop` is cancelled. Dropping the future ends the listen without a final message.
pub(crate) async fn listen(
    server: &Server,
    id: &RequestId,
    params: ListenParams,
    owner: &TaskOwner,
    (subscriber, who): (Subscriber<'_>, ShareKey),
    outbox: &Arc<Outbox>,
    stop: &CancellationToken,
) -> Result<String, CallError> {
    let filter = honour(server, params.notifications, owner, subscriber)?;
    let named = filter.resource_subscriptions.len();
    let share = server.quotas().subscriptions.take_many(who, named);
    let _share = share.ok_or_else(|| CallError::Other(too_many()))?;
    let honoured = serde_json::to_string(&filter).map_err(CallError::internal)?;
    let listener = Arc::new(Listener {
        filter,
        tag: object(|object| id.write(object.key(meta::SUBSCRIPTION_ID))),
        outbox: Arc::clone(outbox),
        tasks: server.parts().tasks.clone(),
        owner: owner.clone(),
        before_acknowledgement: Mutex::new(Some(Vec::new())),
    });
    let sink: Arc<dyn ChangeSink> = Arc::clone(&listener) as _;
    let principal = subscriber.principal.clone();
    let _subscription = server.parts().hub.subscribe(principal, Arc::downgrade(&sink));
    let watch = |uri: &String| server.parts().hub.watch(uri);
    // Watch after subscribing, so that no update caused by the new interest is missed.
    let _watches: Vec<Watch> = listener.filter.resource_subscriptions.iter().map(watch).collect();
    // Acknowledge last: every change after the acknowledgement is reported.
    listener.acknowledge(&honoured);
    stop.cancelled().await;
    Ok(wire::modern_object(id, "complete", &listener.tag, |_| ()))
}

/// The part of a filter that this server can serve.
fn honour(
    server: &Server,
    asked: SubscriptionFilter,
    owner: &TaskOwner,
    subscriber: Subscriber<'_>,
) -> Result<SubscriptionFilter, CallError> {
    let max_names = server.limits().subscriptions;
    if asked.resource_subscriptions.len() + asked.task_ids.len() > max_names {
        let message = format!("`params.notifications` names more than {max_names} things");
        return Err(CallError::params(message));
    }
    let has = server.service().offer().capabilities;
    let subscribe = has.resources.as_ref().is_some_and(|resources| resources.subscribe);
    let mut resource_subscriptions = asked.resource_subscriptions;
    resource_subscriptions
        .retain(|uri| subscribe && server.service().may_subscribe(subscriber, uri));
    let mut task_ids = asked.task_ids;
    task_ids.retain(|id| server.parts().tasks.view(id, owner).is_some());
    Ok(SubscriptionFilter {
        tools_list_changed: asked.tools_list_changed
            && has.tools.is_some_and(|tools| tools.list_changed),
        prompts_list_changed: asked.prompts_list_changed
            && has.prompts.is_some_and(|prompts| prompts.list_changed),
        resources_list_changed: asked.resources_list_changed
            && has.resources.is_some_and(|resources| resources.list_changed),
        resource_subscriptions,
        task_ids,
    })
}

struct Listener {
    filter: SubscriptionFilter,
    /// The `_meta` of every message on the stream.
    tag: String,
    outbox: Arc<Outbox>,
    tasks: Tasks,
    owner: TaskOwner,
    /// Changes before the acknowledgement, which must be the first message on the stream; `None`
    /// once it is queued. There is no `.await` in between, so they are few.
    before_acknowledgement: Mutex<Option<Vec<Change>>>,
}

impl ChangeSink for Listener {
    fn changed(&self, change: &Change) {
        let is_foreign = matches!(change, Change::Task { owner, .. } if *owner != self.owner);
        if is_foreign || !change.is_wanted_by(&self.filter) {
            return;
        }
        match &mut *self.early() {
            Some(early) if early.contains(change) => {}
            Some(early) => early.push(change.clone()),
            None => self.notify(change),
        }
    }
}

impl Listener {
    /// Queues the acknowledgement, followed by the changes that preceded it.
    fn acknowledge(&self, honoured: &str) {
        let params = object(|object| {
            object.raw("notifications", honoured).raw("_meta", &self.tag);
        });
        let text = encode::notification(Method::SubscriptionsAcknowledged, &params);
        let mut early = self.early();
        traffic::note(&self.outbox, text, Merge::Never);
        for change in early.take().unwrap_or_default() {
            self.notify(&change);
        }
    }

    fn early(&self) -> MutexGuard<'_, Option<Vec<Change>>> {
        self.before_acknowledgement.lock()
    }

    fn notify(&self, change: &Change) {
        let tagged = |method: Method, key: &str| {
            let params = object(|object| {
                object.raw("_meta", &self.tag);
            });
            traffic::note(&self.outbox, encode::notification(method, &params), self.merge(key));
        };
        match change {
            Change::Tools => tagged(Method::ToolsListChanged, "tools"),
            Change::Prompts => tagged(Method::PromptsListChanged, "prompts"),
            Change::Resources => tagged(Method::ResourcesListChanged, "resources"),
            Change::Resource(uri) => {
                let params = object(|object| {
                    object.string("uri", uri).raw("_meta", &self.tag);
                });
                let merge = self.merge(&format!("resource {uri}"));
                traffic::note(
                    &self.outbox,
                    encode::notification(Method::ResourcesUpdated, &params),
                    merge,
                );
            }
            Change::Task { id, .. } => self.task_changed(id),
        }
    }

    /// Tagged with the listen's id: listens on one pipe must not replace each other's notes.
    fn merge(&self, key: &str) -> Merge {
        Merge::Always(format!("{} {key}", self.tag).into())
    }

    fn task_changed(&self, id: &str) {
        let Some(view) = self.tasks.view(id, &self.owner) else { return };
        let mut params = object(|object| {
            view.write_modern(object);
            object.raw("_meta", &self.tag);
        });
        if params.len() > MAX_TASK_BYTES {
            params = object(|object| {
                view.record.write_modern(object);
                object.raw("_meta", &self.tag);
            });
        }
        let merge = self.merge(&format!("task {id}"));
        traffic::note(&self.outbox, encode::notification(Method::TaskChanged, &params), merge);
    }
}
