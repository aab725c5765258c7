//! A connected server, as a program uses it: typed lists, typed calls, events.
//!
//! Authors of clients, the command line and the tests call it. `hosted_calls` makes the calls, and
//! this file gives them their types. Requests without a typed method go through [`Client::remote`].

use crate::call_failed::{CallFailed, ToolFailure};
use crate::event_stream::{EventSender, EventStream};
use crate::forward::ForwardOptions;
use crate::greet::Hello;
use crate::host::Host;
use crate::hosted_calls::HostedCalls;
use crate::lists::{ListError, ListKind};
use crate::mirror::{HeaderPlan, mirror};
use crate::owned_connection::OwnedConnection;
use crate::remote::Remote;
use crate::subscriptions::SubscriptionState;
use crate::values::{arguments, output, prompt_arguments};
use hobnob_mcp_engine::{Caller, ClientId, Notes, Principal};
use hobnob_mcp_types::completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionReference,
    PromptReference, ResourceTemplateReference,
};
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::prompts::{GetPromptResult, Prompt};
use hobnob_mcp_types::resources::{
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use hobnob_mcp_types::tools::{CallToolResult, Tool};
use hobnob_mcp_types::{ErrorCode, Method, RpcError};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;

/// A handle on a connected server. Cheap to clone.
///
/// [`Client::connect`] and [`Client::spawn`] make one with the settings that most programs want;
/// [`Client::builder`] takes others. When the last clone is dropped, the connection is closed, and
/// a program that was started for it is killed; [`Client::close`] ends both in order.
#[derive(Clone)]
pub struct Client {
    calls: HostedCalls,
    /// Which arguments of each tool are repeated in HTTP headers, according to the latest list.
    plans: Arc<Mutex<HashMap<String, HeaderPlan>>>,
    /// `None` if the events go to a handler.
    events: Option<EventSender>,
    /// Receives the notes of each call; `None` turns them into events.
    notes: Option<Notes>,
    /// `None` if the code that made the connection also closes it.
    pub(crate) connection: Option<Arc<OwnedConnection>>,
}

impl Client {
    /// A client over a connection that the caller made and closes; `host` answers its questions.
    /// The connection's events go to its own handler, so [`Client::events`] has none.
    pub fn new(remote: Arc<Remote>, host: Arc<dyn Host>) -> Self {
        let caller = Caller {
            capabilities: Arc::new(host.capabilities()),
            client: Some(Arc::new(remote.options().implementation.clone())),
            ..Caller::new(ClientId::next(), Principal::anonymous())
        };
        let calls = HostedCalls { remote, host, caller };
        Self { calls, plans: Arc::default(), events: None, notes: None, connection: None }
    }

    /// A client over a connection that ends with it.
    pub(crate) fn owning(
        connection: OwnedConnection,
        host: Arc<dyn Host>,
        events: EventSender,
        log_level: Option<LoggingLevel>,
    ) -> Self {
        let mut client = Self::new(Arc::clone(connection.remote()), host);
        client.calls.caller.log_level = log_level;
        Self { events: Some(events), connection: Some(Arc::new(connection)), ..client }
    }

    /// The connection below, for requests that have no typed method here.
    pub fn remote(&self) -> &Arc<Remote> {
        &self.calls.remote
    }

    /// What the server reported about itself: its name, its revision, its capabilities.
    pub fn server_info(&self) -> &Hello {
        self.remote().hello()
    }

    /// A clone of this client that sends the progress and the log messages of its calls to `notes`.
    #[must_use]
    pub fn with_notes(&self, notes: Notes) -> Self {
        Self { notes: Some(notes), ..self.clone() }
    }

    /// A clone of this client that asks for log messages of its calls, from this level upwards.
    #[must_use]
    pub fn with_log_level(&self, level: LoggingLevel) -> Self {
        let mut client = self.clone();
        client.calls.caller.log_level = Some(level);
        client
    }

    /// Lists every tool. A modern server over HTTP wants some arguments repeated in headers; tools
    /// with an invalid schema for that are left out, as the protocol demands.
    pub async fn tools(&self) -> Result<Vec<Tool>, ListError> {
        decode_all(ListKind::Tools, &self.list_text(ListKind::Tools).await?)
    }

    /// Lists every resource of the server.
    pub async fn resources(&self) -> Result<Vec<Resource>, ListError> {
        decode_all(ListKind::Resources, &self.list_text(ListKind::Resources).await?)
    }

    /// Lists every template of resources.
    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, ListError> {
        decode_all(ListKind::Templates, &self.list_text(ListKind::Templates).await?)
    }

    /// Lists every prompt of the server.
    pub async fn prompts(&self) -> Result<Vec<Prompt>, ListError> {
        decode_all(ListKind::Prompts, &self.list_text(ListKind::Prompts).await?)
    }

    /// Lists every entry as JSON text with all its members, including those that no type here has.
    pub async fn list_text(&self, list: ListKind) -> Result<Vec<Box<str>>, ListError> {
        let mut entries = self.remote().list(list).await?;
        if list == ListKind::Tools {
            self.plan_headers(&mut entries);
        }
        Ok(entries)
    }

    /// Calls a tool and reads its structured output.
    ///
    /// The arguments are anything that serializes to a JSON object, or `&()` for none. A tool or a
    /// revision without structured output answers with text: it is read as JSON, or returned
    /// unchanged if `Out` is a `String`. A tool that failed is [`CallFailed::Tool`].
    ///
    /// ```
    /// # use hobnob_mcp_client::{CallFailed, Client};
    /// #[derive(serde::Serialize)]
    /// struct Add {
    ///     a: i64,
    ///     b: i64,
    /// }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// # async fn example(client: &Client) -> Result<(), CallFailed> {
    /// let Sum { sum } = client.call("add", &Add { a: 1, b: 2 }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn call<Args, Out>(&self, name: &str, args: &Args) -> Result<Out, CallFailed>
    where
        Args: Serialize + ?Sized,
        Out: DeserializeOwned,
    {
        let result = self.call_tool(name, args).await?;
        if result.is_error {
            return Err(CallFailed::Tool(Box::new(ToolFailure { tool: name.into(), result })));
        }
        output(&result)
    }

    /// Calls a tool and returns everything it answered: texts, images, links, structured output. If
    /// the tool failed, the result has `is_error` set.
    pub async fn call_tool<Args>(
        &self,
        name: &str,
        args: &Args,
    ) -> Result<CallToolResult, CallFailed>
    where
        Args: Serialize + ?Sized,
    {
        let arguments = arguments(name, args)?;
        self.call_tool_text(name, arguments.as_deref(), &self.notes(name)).await
    }

    /// Calls a tool with arguments that are JSON text already, and with notes for this call only.
    pub async fn call_tool_text(
        &self,
        name: &str,
        arguments: Option<&str>,
        notes: &Notes,
    ) -> Result<CallToolResult, CallFailed> {
        let params = object(|object| {
            object.string("name", name);
            if let Some(arguments) = arguments {
                object.raw("arguments", arguments);
            }
        });
        let forward = || {
            let plans = self.plans.lock();
            let plan = plans.get(name);
            let mirrored = plan.map(|plan| mirror(plan, arguments.unwrap_or("{}")));
            ForwardOptions { mirrored: mirrored.unwrap_or_default(), ..ForwardOptions::default() }
        };
        match self.call_raw(Method::ToolsCall, params.clone(), &forward(), notes).await {
            // The list of tools says which arguments headers repeat. It has changed since it was
            // read, or was never read.
            Err(CallFailed::Refused(error)) if error.code == ErrorCode::HEADER_MISMATCH => {
                if let Err(failed) = self.list_text(ListKind::Tools).await {
                    tracing::debug!(%failed, "cannot list the tools");
                    return Err(CallFailed::Refused(error));
                }
                decode(&self.call_raw(Method::ToolsCall, params, &forward(), notes).await?)
            }
            done => decode(&done?),
        }
    }

    /// Reads a resource; the result has one entry for each of its contents.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallFailed> {
        let params = object(|object| {
            object.string("uri", uri);
        });
        self.request(Method::ResourcesRead, params, uri).await
    }

    /// Reads a resource that is text; any other kind is [`CallFailed::Unreadable`].
    pub async fn read_text(&self, uri: &str) -> Result<String, CallFailed> {
        let contents = self.read_resource(uri).await?.contents;
        let texts = contents.into_iter().map(|contents| match contents {
            ResourceContents::Text(contents) => Ok(contents.text),
            ResourceContents::Blob(_) => {
                Err(CallFailed::Unreadable(format!("the resource `{uri}` is not text")))
            }
        });
        texts.collect()
    }

    /// Gets a prompt with these arguments: anything that serializes to a JSON object of strings,
    /// numbers and booleans, or `&()` for none.
    pub async fn get_prompt<Args>(
        &self,
        name: &str,
        args: &Args,
    ) -> Result<GetPromptResult, CallFailed>
    where
        Args: Serialize + ?Sized,
    {
        let arguments = prompt_arguments(name, args)?;
        let params = object(|object| {
            object.string("name", name);
            if let Some(arguments) = &arguments {
                object.raw("arguments", arguments);
            }
        });
        self.request(Method::PromptsGet, params, name).await
    }

    /// Suggests values for an argument of a prompt, given what a person has typed so far.
    pub async fn complete_prompt(
        &self,
        prompt: &str,
        argument: &str,
        typed: &str,
    ) -> Result<Completion, CallFailed> {
        let reference = PromptReference { name: prompt.into(), title: None };
        self.complete(CompletionReference::Prompt(reference), argument, typed).await
    }

    /// Suggests values for a variable of a resource template, given the text typed so far.
    pub async fn complete_template(
        &self,
        uri_template: &str,
        variable: &str,
        typed: &str,
    ) -> Result<Completion, CallFailed> {
        let reference = ResourceTemplateReference { uri: uri_template.into() };
        self.complete(CompletionReference::Resource(reference), variable, typed).await
    }

    async fn complete(
        &self,
        reference: CompletionReference,
        argument: &str,
        typed: &str,
    ) -> Result<Completion, CallFailed> {
        let argument = CompletionArgument { name: argument.into(), value: typed.into() };
        let params = CompleteParams { reference, argument, context: None, meta: None };
        let params =
            serde_json::to_string(&params).map_err(|error| CallFailed::unreadable(&error))?;
        let result: CompleteResult = self.request(Method::Complete, params, "").await?;
        Ok(result.completion)
    }

    /// Subscribes to a resource and waits until the server has agreed; its updates come as
    /// [`ServerEvent::ResourceUpdated`](crate::ServerEvent::ResourceUpdated).
    pub async fn subscribe(&self, uri: &str) -> Result<(), CallFailed> {
        let refused = || {
            let message = format!("the server sends no updates of `{uri}`");
            CallFailed::Refused(RpcError::new(ErrorCode::METHOD_NOT_FOUND, message))
        };
        if !self.remote().can_subscribe() {
            return Err(refused());
        }
        let limit = self.remote().options().timeouts.call;
        match tokio::time::timeout(limit, self.remote().subscribe(uri)).await {
            Ok(SubscriptionState::Accepted) => Ok(()),
            Ok(SubscriptionState::Refused) => Err(refused()),
            Err(_) => Err(CallFailed::NoAnswer(crate::RequestError::Late(limit))),
        }
    }

    /// Ends a subscription. Updates that are on their way may still come.
    pub fn unsubscribe(&self, uri: &str) {
        self.remote().unsubscribe(uri);
    }

    /// A stream of what the server sends unasked from now on: changed lists, updated resources, log
    /// messages, and the progress of this client's calls.
    ///
    /// Each stream holds a bounded number of events (256 by default). If you read too slowly, the
    /// oldest are dropped, and [`ServerEvent::Missed`](crate::ServerEvent::Missed) says how many.
    ///
    /// ```
    /// use hobnob_mcp_client::{Client, ServerEvent};
    ///
    /// async fn follow(client: &Client) {
    ///     let mut events = client.events();
    ///     while let Some(event) = events.next().await {
    ///         match event {
    ///             ServerEvent::ToolsChanged => println!("read the tools again"),
    ///             ServerEvent::ResourceUpdated(uri) => println!("{uri} has changed"),
    ///             ServerEvent::Progress(progress) => println!("{}", progress.progress),
    ///             other => println!("{other:?}"),
    ///         }
    ///     }
    /// }
    /// ```
    pub fn events(&self) -> EventStream {
        self.events.as_ref().map_or_else(EventStream::ended, EventSender::stream)
    }

    /// Waits until the server has agreed to send notifications. Changes before that are not
    /// announced, which matters to tests, and rarely to programs.
    pub async fn listening(&self) {
        self.remote().listening().await;
    }

    /// Closes the connection, for all clones of this client. A program that was started for it gets
    /// some time to end by itself, and is then killed.
    pub async fn close(&self) {
        self.remote().close();
        if let Some(connection) = &self.connection {
            connection.close().await;
        }
    }

    /// Makes any call, lets the host answer the server's questions, and returns the JSON result.
    pub async fn call_raw(
        &self,
        method: Method,
        params: String,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<String, CallFailed> {
        self.calls.call(method, params, forward, notes).await
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: Method,
        params: String,
        target: &str,
    ) -> Result<T, CallFailed> {
        let (forward, notes) = (ForwardOptions::default(), self.notes(target));
        decode(&self.call_raw(method, params, &forward, &notes).await?)
    }

    fn notes(&self, target: &str) -> Notes {
        match (&self.notes, &self.events) {
            (Some(notes), _) => notes.clone(),
            (None, Some(events)) => events.notes(target),
            (None, None) => Notes::silent(),
        }
    }

    /// Records which arguments headers repeat, and leaves out tools with invalid marks.
    fn plan_headers(&self, tools: &mut Vec<Box<str>>) {
        let mut plans = self.plans.lock();
        plans.clear();
        tools.retain(|tool| {
            let name = field(tool, "name").and_then(|raw| serde_json::from_str(raw).ok());
            let Some(name): Option<String> = name else { return false };
            match HeaderPlan::of(field(tool, "inputSchema").unwrap_or("{}")) {
                HeaderPlan::Invalid(reason) => {
                    let message = "left out a tool: its header marks are invalid";
                    tracing::warn!(tool = name, reason, message);
                    false
                }
                plan => {
                    plans.insert(name, plan);
                    true
                }
            }
        });
    }
}

fn decode<T: DeserializeOwned>(text: &str) -> Result<T, CallFailed> {
    serde_json::from_str(text).map_err(|error| CallFailed::unreadable(&error))
}

fn decode_all<T: DeserializeOwned>(
    list: ListKind,
    entries: &[Box<str>],
) -> Result<Vec<T>, ListError> {
    let decode = |entry: &str| {
        let unreadable =
            |error: serde_json::Error| ListError::Entry(list.member(), error.to_string());
        serde_json::from_str(entry).map_err(unreadable)
    };
    entries.iter().map(|entry| decode(entry)).collect()
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({:?})", self.server_info().implementation.name)
    }
}
