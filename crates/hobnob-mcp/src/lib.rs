//! Write servers and clients of the [Model Context Protocol](https://modelcontextprotocol.io) in a
//! few lines. One handler serves every revision, and one client talks to servers of every revision.
//!
//! This page is a tutorial. The tests of this crate compile all of its examples, and run those that
//! need neither a port nor a program.
//!
//! 1. [Your first server](#your-first-server)
//! 2. [State and structured output](#state-and-structured-output)
//! 3. [Prompts, resources and templates](#prompts-resources-and-templates)
//! 4. [Asking the user](#asking-the-user)
//! 5. [Serving over HTTP](#serving-over-http)
//! 6. [A client](#a-client)
//! 7. [Tests](#tests)
//!
//! # Your first server
//!
//! A kit is a named group of tools, resources and prompts; [`Server::of`] makes it a server, and
//! [`Server::builder`] makes a server of several. The arguments of a tool are a type of yours; its
//! doc comments tell the model what to fill in.
//!
//! ```no_run
//! use hobnob_mcp::{Kit, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Echo {
//!     /// What to say back.
//!     message: String,
//! }
//!
//! async fn echo(echo: Echo) -> String {
//!     echo.message
//! }
//!
//! fn main() -> std::io::Result<()> {
//!     let kit = Kit::plain("echo").tool("echo", "Says back what it is given", echo);
//!     Server::of(kit).run_stdio()
//! }
//! ```
//!
//! A handler is a function of its arguments, of a [`Context`], of both or of neither; it returns a
//! result or a plain value. Your mistakes (two tools with the same name, an argument without a
//! description, an invalid schema) are a [`KitError`] before the server starts, all of them at
//! once. A model's mistakes never reach your code: arguments are checked against the schema before
//! the handler runs.
//!
//! # State and structured output
//!
//! All handlers of a kit share its state. [`Structured`] is data for programs; clients that know
//! only text get it as text.
//!
//! ```
//! use hobnob_mcp::{Context, Kit, Server, Structured, testkit};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
//! struct Count {
//!     /// How often the tool was called.
//!     count: u64,
//! }
//!
//! async fn count(context: Context<AtomicU64>) -> Structured<Count> {
//!     let before = context.state().fetch_add(1, Ordering::Relaxed);
//!     Structured(Count { count: before + 1 })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = Kit::plain("counter")
//!     .with_state(AtomicU64::new(0))
//!     .tool("count", "Counts its calls", count);
//! let server = Server::of(kit).build()?;
//!
//! let client = testkit::connect(&server).await?;
//! client.call::<_, Count>("count", &()).await?;
//! assert_eq!(client.call::<_, Count>("count", &()).await?, Count { count: 2 });
//! # Ok(()) }
//! ```
//!
//! # Prompts, resources and templates
//!
//! The arguments of a prompt and the variables of a template are types too. A missing or invalid
//! value is an error, never an empty text.
//!
//! ```
//! use hobnob_mcp::{Kit, Server, testkit};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Review {
//!     /// Which file.
//!     file: String,
//!     /// How many remarks to make.
//!     remarks: Option<u32>,
//! }
//!
//! async fn review(review: Review) -> String {
//!     let remarks = review.remarks.unwrap_or(3);
//!     format!("Please review {} and make {remarks} remarks.", review.file)
//! }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct FileName {
//!     /// The name of the file.
//!     name: String,
//! }
//!
//! /// `None` is an error: there is no such resource.
//! async fn read(file: FileName) -> Option<&'static str> {
//!     (file.name == "one").then_some("The first.")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = Kit::plain("files")
//!     .prompt("review", "Asks for a review of one file", review)
//!     .resource("files://readme", "Read me", async || "Files, by name.")
//!     .template("files://by-name/{name}", "A file", read);
//! let server = Server::of(kit).build()?;
//!
//! let client = testkit::connect(&server).await?;
//! assert_eq!(client.read_text("files://by-name/one").await?, "The first.");
//! assert!(client.read_text("files://by-name/two").await.is_err());
//! let prompt = client.get_prompt("review", &json!({ "file": "main.rs" })).await?;
//! let text = prompt.messages[0].content.as_text();
//! assert_eq!(text, Some("Please review main.rs and make 3 remarks."));
//! assert!(client.get_prompt("review", &json!({ "remarks": 1 })).await.is_err());
//! # Ok(()) }
//! ```
//!
//! # Asking the user
//!
//! The form comes from the type of the answer. A question ends the run of a handler, and its answer
//! comes with the next run, which starts again from the top: so ask first and act afterwards. The
//! same handler serves clients of every revision. For a yes or no, [`CallContext::confirm`] needs
//! no type.
//!
//! ```
//! use hobnob_mcp::{Client, Context, Kit, Server, ToolError, testkit};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Age {
//!     /// Files that are older than this many days are deleted.
//!     days: u32,
//! }
//!
//! async fn empty(context: Context) -> Result<String, ToolError> {
//!     let age: Age = context.elicit("age", "How long do you keep files?")?;
//!     Ok(format!("deleted what is older than {} days", age.days))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = Kit::plain("bin")
//!     .asks::<Age>()
//!     .tool("empty", "Empties the bin", empty);
//! let server = Server::of(kit).build()?;
//!
//! let agrees = Client::builder().on_form(|_| async { Some(json!({ "days": 7 })) });
//! let client = testkit::connect_with(&server, agrees).await?;
//! let emptied: String = client.call("empty", &()).await?;
//! assert_eq!(emptied, "deleted what is older than 7 days");
//! # Ok(()) }
//! ```
//!
//! # Serving over HTTP
//!
//! ```no_run
//! # use hobnob_mcp::Server;
//! use hobnob_mcp::{HttpOptions, bind, serve_http};
//!
//! # async fn serve(server: Server) -> Result<(), Box<dyn std::error::Error>> {
//! let options = HttpOptions::default();
//! let listener = bind("127.0.0.1:4815".parse()?, &options).await?;
//! serve_http(&server, listener, options, server.stopping()).await?;
//! # Ok(()) }
//! ```
//!
//! # A client
//!
//! [`Client::connect`] connects to a server by its URL, [`Client::spawn`] starts one, and
//! [`Client::builder`] takes settings first. [`Client::events`] is a stream of everything the
//! server sends without being asked.
//!
//! ```no_run
//! use hobnob_mcp::{CallFailed, Client};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::spawn(["uvx", "mcp-server-time"]).await?;
//! for tool in client.tools().await? {
//!     println!("{}", tool.name);
//! }
//! match client.call::<_, String>("get_current_time", &json!({ "timezone": "Mars" })).await {
//!     Ok(time) => println!("{time}"),
//!     Err(CallFailed::Tool(failure)) => println!("the tool failed: {}", failure.text()),
//!     Err(other) => return Err(other.into()),
//! }
//! client.close().await;
//! # Ok(()) }
//! ```
//!
//! # Tests
//!
//! With the feature `testkit`, a test of a server is three lines, and so is a test of a client:
//!
//! ```
//! use hobnob_mcp::{Kit, Server, testkit};
//!
//! # fn my_server() -> Result<Server, Box<dyn std::error::Error>> {
//! #     let kit = Kit::plain("greetings").tool("hello", "Greets a person", async || "hello");
//! #     Ok(Server::of(kit).build()?)
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A server, asked by a real client:
//! let client = testkit::connect(&my_server()?).await?;
//! let greeting: String = client.call("hello", &()).await?;
//! assert_eq!(greeting, "hello");
//!
//! // A client, answered by a script:
//! let script = r#"
//!     expect tools/call {"name":"hello"}
//!     answer {"content":[{"type":"text","text":"hello"}]}
//! "#;
//! let (client, server) = testkit::scripted(script).await?;
//! assert_eq!(client.call::<_, String>("hello", &()).await?, "hello");
//! server.finish().await;
//! # Ok(()) }
//! ```
//!
//! # Features
//!
//! | feature | what you get |
//! |---|---|
//! | `server` | [`Server`], [`Kit`] and everything that handlers use |
//! | `client` | [`Client`] and everything around it |
//! | `stdio` | [`ServerBuilder::run_stdio`], [`serve_stdio`] and [`Client::spawn`] |
//! | `http` | [`serve_http`] and [`Client::connect`] |
//! | `auth` | `hobnob_mcp::auth`: clients log in to servers with OAuth |
//! | `testkit` | `hobnob_mcp::testkit`: both ends in one process |
//!
//! All but `auth` and `testkit` are on by default. [`types`] has the whole vocabulary of the protocol.

#[doc(inline)]
pub use hobnob_mcp_engine::{BoxFuture, Note, NoteSink, Notes, OutputStream, StreamEvent};
#[doc(inline)]
pub use hobnob_mcp_types as types;
#[doc(inline)]
pub use hobnob_mcp_types::annotations::Role;
#[doc(inline)]
pub use hobnob_mcp_types::content::Content;
#[doc(inline)]
pub use hobnob_mcp_types::elicitation::{
    ElicitAction, ElicitFormParams, ElicitParams, ElicitResult,
};
#[doc(inline)]
pub use hobnob_mcp_types::logging::LoggingLevel;
#[doc(inline)]
pub use hobnob_mcp_types::prompts::{GetPromptResult, Prompt, PromptArgument, PromptMessage};
#[doc(inline)]
pub use hobnob_mcp_types::resources::{
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
#[doc(inline)]
pub use hobnob_mcp_types::tools::{CallToolResult, Tool, ToolAnnotations};
#[doc(inline)]
pub use hobnob_mcp_types::{Era, ErrorCode, Revision, RpcError};

#[cfg(all(feature = "server", feature = "stdio"))]
#[doc(inline)]
pub use hobnob_mcp_server::serve_stdio;
#[cfg(feature = "server")]
#[doc(inline)]
pub use hobnob_mcp_server::{BuildError, Server, ServerBuilder};
#[cfg(feature = "server")]
#[doc(inline)]
pub use hobnob_mcp_toolbox::{
    CallContext, CompletionRequest, CompletionSource, Context, Elicited, IntoCompletions,
    IntoContents, IntoKit, IntoPrompt, IntoToolResult, Kit, KitBuilder, KitError, KitHandler,
    NoArguments, PromptSpec, ResourceSpec, Structured, TaskMode, TextWithData, ToolError,
    ToolReply, ToolSpec, Toolbox, encode_uri_component,
};

#[cfg(all(feature = "server", feature = "http"))]
#[doc(inline)]
pub use hobnob_mcp_http::{
    BindRefused, Exposure, HttpLimits, HttpOptions, Mount, OriginPolicy, SessionLimits,
    TlsCertificate, TlsFault, TlsFiles, TlsReload, TlsWarning, bind, serve_http,
};

#[cfg(feature = "client")]
#[doc(inline)]
pub use hobnob_mcp_client::{
    CallEvent, CallFailed, Client, ClientBuilder, ClientOptions, ConnectError, DeclineAll, EraHint,
    EventStream, FormHost, GreetError, Hello, Host, ListError, ListKind, ListLimits, ProgressEvent,
    Remote, RequestError, ServerEvent, Timeouts, ToolFailure,
};

#[cfg(feature = "auth")]
#[doc(inline)]
pub use hobnob_mcp_auth as auth;

#[cfg(feature = "testkit")]
#[doc(inline)]
pub use hobnob_mcp_testkit as testkit;

#[cfg(feature = "server")]
#[doc(no_inline)]
pub use schemars;
#[doc(no_inline)]
pub use {serde, serde_json};
