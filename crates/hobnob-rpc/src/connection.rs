//! The requests of one connection: resolved, answered, and their streams run.
//!
//! On a stream, the response is sent before the first event, so that the client can cancel a silent
//! call; a client that reads no stream gets one response with all events. A call that cannot begin
//! is an error response; one that began ends with an event, unless the client cancels it.

use crate::collected::CollectedEvents;
use crate::directory::{MethodDirectory, RpcMethod};
use crate::documents;
use crate::event_messages::EventMessages;
use crate::flow::Flow;
use crate::positional::named_arguments;
use crate::resolve::{RpcTarget, SchemaScope, resolve, unknown};
use crate::rpc_view::RpcView;
use crate::stream_call::{EventDelivery, stream_call};
use crate::subscriptions::{NotSubscribed, SubscriptionTable};
use futures_util::future::Abortable;
use hobnob_mcp_engine::{Answers, Arrival, BoxFuture, Call, Caller, Notes, Share, TaskOffer};
use hobnob_mcp_server::{OtherCalls, OtherClient, OtherDelivery, ServiceCalls};
use hobnob_mcp_transport::{Fault, Outbox};
use hobnob_mcp_types::json::{elements, field, object};
use hobnob_mcp_types::{ErrorCode, Method, Params, Request, RequestId, RpcError, encode};
use serde_json::Value;
use std::sync::Arc;

/// One connection with its subscriptions.
pub(crate) struct RpcConnection(Arc<ConnectionParts>);

/// The parts that the futures of requests share. Cheap to clone.
struct ConnectionParts {
    view: Arc<RpcView>,
    service: ServiceCalls,
    caller: Caller,
    subscriptions: Arc<SubscriptionTable>,
    flow: Arc<Flow>,
}

impl RpcConnection {
    pub(crate) fn new(view: Arc<RpcView>, service: ServiceCalls, client: OtherClient) -> Self {
        // Native calls cannot ask questions: there is no way back for an answer.
        let caller = Caller::new(client.client_id, client.principal);
        let subscriptions = SubscriptionTable::new(view.limits.subscriptions);
        let flow = Flow::new(view.limits.queued_bytes);
        Self(Arc::new(ConnectionParts { view, service, caller, subscriptions, flow }))
    }
}

impl OtherCalls for RpcConnection {
    fn answer(
        &self,
        request: Request,
        outbox: Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> BoxFuture<'static, ()> {
        let parts = Arc::clone(&self.0);
        Box::pin(async move {
            let id = request.id.clone();
            if let Err(error) = parts.answer(request, &outbox, delivery).await {
                outbox.reply(encode::error(Some(&id), &error), Some(fault(&error)));
            }
        })
    }

    fn end(&self) {
        self.0.subscriptions.end_all();
    }
}

impl ConnectionParts {
    /// Answers a request. An error becomes the error response.
    async fn answer(
        &self,
        request: Request,
        outbox: &Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> Result<(), RpcError> {
        let Request { id, method, params } = request;
        let name = method.as_str();
        let directory = self.directory_with(name).await;
        let answer = match resolve(&directory, name).map_err(|unknown| unknown.to_rpc())? {
            RpcTarget::Method(method) => {
                return self.call(&id, name, method, params.raw(), outbox, delivery).await;
            }
            RpcTarget::Unsubscribe => {
                Value::Bool(self.subscriptions.cancel(subscription_of(params.raw())?))
            }
            RpcTarget::Schema(scope) => schema(&directory, scope, params.raw())?,
            RpcTarget::Hash(scope) => hash(&directory, scope, params.raw())?,
        };
        outbox.reply(encode::result(&id, |out| out.push_str(&answer.to_string())), None);
        Ok(())
    }

    /// Calls a method and delivers its events.
    async fn call(
        &self,
        id: &RequestId,
        name: &str,
        method: &RpcMethod,
        params: &str,
        outbox: &Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> Result<(), RpcError> {
        let arguments = named_arguments(method, params)?;
        let call = self.tool_call(&method.tool, &arguments)?;
        let _share: Share =
            self.service.reserve(Method::ToolsCall, &self.caller).ok_or_else(busy)?;
        let (subscription, registration) = self.subscriptions.open().map_err(|why| match why {
            NotSubscribed::Full => too_many_subscriptions(self.view.limits.subscriptions),
            NotSubscribed::Ended => RpcError::invalid_request("the connection is over"),
        })?;
        let number = subscription.number;
        let messages = EventMessages::new(name, number, &self.view.name, method);
        match delivery {
            OtherDelivery::Stream => {
                outbox.reply(encode::result(id, |out| out.push_str(&number.to_string())), None);
                let delivery = EventDelivery::Stream {
                    outbox: Arc::clone(outbox),
                    flow: Arc::clone(&self.flow),
                };
                let calling =
                    stream_call(&self.service, call, messages, delivery, &self.view.limits);
                // Cancelled or not, there is nothing left to send.
                let _cancelled = Abortable::new(calling, registration).await;
            }
            OtherDelivery::Single => {
                let collected = Arc::new(CollectedEvents::new(self.view.limits.collected_bytes));
                let delivery = EventDelivery::Single(Arc::clone(&collected));
                stream_call(&self.service, call, messages, delivery, &self.view.limits).await;
                outbox.reply(collected.response(id, number), None);
            }
        }
        drop(subscription);
        Ok(())
    }

    /// The call that `tools/call` would make, except that it can neither ask nor become a task.
    fn tool_call(&self, tool: &str, arguments: &str) -> Result<Call, RpcError> {
        let params = object(|params| {
            params.string("name", tool).raw("arguments", arguments);
        });
        Ok(self.plain_call(Method::ToolsCall, Params::from_json(params)?))
    }

    fn plain_call(&self, method: Method, params: Params) -> Call {
        Call {
            method,
            params: Arc::new(params),
            caller: Caller { arrival: Arrival::next(), ..self.caller.clone() },
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        }
    }

    /// The directory. If it lacks the name, a list request first makes servers that are still
    /// unknown list their tools.
    async fn directory_with(&self, name: &str) -> Arc<MethodDirectory> {
        let directory = self.view.methods.directory();
        if resolve(&directory, name).is_ok() {
            return directory;
        }
        let list = self.plain_call(Method::ToolsList, Params::default());
        if let Err(error) = self.service.call(list, Notes::silent()).await {
            tracing::debug!(?error, "tools cannot be listed");
        }
        self.view.methods.directory()
    }
}

/// The number in `[7]` or in `{"subscription":7}`.
fn subscription_of(params: &str) -> Result<u64, RpcError> {
    let number = match elements(params).as_slice() {
        [only] => Some(*only),
        _ => field(params, "subscription"),
    };
    let number = number.and_then(|number| number.parse().ok());
    number.ok_or_else(|| {
        RpcError::invalid_params(
            "`params` must be [SUBSCRIPTION] or {\"subscription\": SUBSCRIPTION}",
        )
    })
}

/// The name that narrows a scope: `["bash"]`, `["bash.execute"]`, or the same as `name`.
fn name_in(params: &str) -> Result<Option<String>, RpcError> {
    let name = match elements(params).as_slice() {
        [] => field(params, "name"),
        [only] => Some(*only),
        _ => return Err(RpcError::invalid_params("`params` must be [] or [SERVICE or METHOD]")),
    };
    name.map(serde_json::from_str)
        .transpose()
        .map_err(|_| RpcError::invalid_params("the name of a service or a method is a string"))
}

fn schema(
    directory: &MethodDirectory,
    scope: SchemaScope<'_>,
    params: &str,
) -> Result<Value, RpcError> {
    match (scope, name_in(params)?) {
        (SchemaScope::Everything, None) => Ok(documents::everything(directory)),
        (SchemaScope::Service(service), None) => Ok(documents::service(directory, service)),
        (scope, Some(name)) => match found(directory, scope, &name)? {
            Named::Service => Ok(documents::service(directory, &name)),
            Named::Method(method) => Ok(documents::method(method)),
        },
    }
}

fn hash(
    directory: &MethodDirectory,
    scope: SchemaScope<'_>,
    params: &str,
) -> Result<Value, RpcError> {
    let hash = match (scope, name_in(params)?) {
        (SchemaScope::Everything, None) => Some(directory.hash()),
        (SchemaScope::Service(service), None) => directory.service_hash(service),
        (scope, Some(name)) => match found(directory, scope, &name)? {
            Named::Service => directory.service_hash(&name),
            Named::Method(method) => Some(&*method.hash),
        },
    };
    Ok(hash.map_or(Value::Null, |hash| hash.into()))
}

/// What a name in the parameters refers to.
enum Named<'a> {
    Service,
    Method(&'a RpcMethod),
}

fn found<'a>(
    directory: &'a MethodDirectory,
    scope: SchemaScope<'_>,
    name: &str,
) -> Result<Named<'a>, RpcError> {
    let method = match scope {
        SchemaScope::Everything if directory.has_service(name) => return Ok(Named::Service),
        SchemaScope::Everything => directory.method(name),
        SchemaScope::Service(service) => directory.methods_of(service).find(|it| it.method == name),
    };
    method.map(Named::Method).ok_or_else(|| unknown(directory, name).to_rpc())
}

fn busy() -> RpcError {
    RpcError::new(ErrorCode::BUSY, "too many calls at once; try again later")
}

fn too_many_subscriptions(limit: usize) -> RpcError {
    let message =
        format!("this connection has {limit} subscriptions; end one, or open another one");
    RpcError::new(ErrorCode::BUSY, message)
}

/// The HTTP status class of an error.
fn fault(error: &RpcError) -> Fault {
    match error.code {
        ErrorCode::METHOD_NOT_FOUND => Fault::NotFound,
        ErrorCode::BUSY => Fault::Busy,
        _ => Fault::BadRequest,
    }
}
