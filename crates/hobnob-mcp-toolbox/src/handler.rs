//! The trait of handlers: functions and closures with or without arguments and a context.
//!
//! Everything a kit registers implements this one trait, so authors learn one shape. The trait only
//! describes the call; the method that registers the handler bounds the result type, so that the
//! compiler names the bound that does not hold.

use crate::context::{CallParts, Context, ContextSource};
use crate::error::ToolError;
use crate::schema::NoArguments;
use hobnob_mcp_engine::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

/// A function or closure that a kit can call: with `(Arguments, Context<State>)`, with one of them,
/// or with nothing.
///
/// You never implement it. `Shape` distinguishes the four forms and is always inferred.
///
/// ```
/// # use hobnob_mcp_toolbox::{Context, Kit, ToolError};
/// # use schemars::JsonSchema;
/// # use serde::Deserialize;
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     /// The name that the greeting is for.
///     name: String,
/// }
///
/// async fn greet(args: Greet, context: Context<String>) -> Result<String, ToolError> {
///     Ok(format!("{}, {}!", context.state(), args.name))
/// }
///
/// let kit = Kit::plain("greetings")
///     .with_state(String::from("Hello"))
///     .tool("greet", "Greets a person", greet)
///     .tool("greeting", "Tells the greeting", |context: Context<String>| async move {
///         context.state().clone()
///     })
///     .tool("shout", "Shouts a name", |args: Greet| async move { args.name.to_uppercase() })
///     .tool("ping", "Answers", || async { "pong" });
/// # kit.build().unwrap();
/// ```
///
/// A handler for another state than the kit's does not compile:
///
/// ```compile_fail,E0277
/// # use hobnob_mcp_toolbox::{Context, Kit};
/// async fn count(context: Context<Vec<u8>>) -> String {
///     context.state().len().to_string()
/// }
///
/// let kit = Kit::plain("greetings")
///     .with_state(String::from("Hello"))
///     .tool("count", "Counts", count);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a handler in a kit whose state is `{S}`",
    label = "not a handler for this kit",
    note = "a handler is `async fn(Arguments, Context<State>) -> Result<Output, ToolError>` or a \
            closure like it; leave out `Arguments` or `Context` if you do not need them",
    note = "`Arguments` comes first and derives `Deserialize` and `JsonSchema`",
    note = "`State` is the type that `with_state` was given; in a kit without state, write `Context`"
)]
pub trait KitHandler<S, Shape> {
    /// The arguments besides the context; [`NoArguments`] if there are none.
    type Arguments;
    /// What the call returns: a future, unless the handler blocks.
    type Returned;

    #[doc(hidden)]
    fn handle(&self, arguments: Self::Arguments, context: ContextSource<'_, S>) -> Self::Returned;
}

impl<S, F, R> KitHandler<S, fn()> for F
where
    F: Fn() -> R,
{
    type Arguments = NoArguments;
    type Returned = R;

    fn handle(&self, _: NoArguments, _: ContextSource<'_, S>) -> R {
        self()
    }
}

impl<S, F, R, A> KitHandler<S, fn(A)> for F
where
    A: DeserializeOwned,
    F: Fn(A) -> R,
{
    type Arguments = A;
    type Returned = R;

    fn handle(&self, arguments: A, _: ContextSource<'_, S>) -> R {
        self(arguments)
    }
}

impl<S, F, R> KitHandler<S, fn(Context<S>)> for F
where
    F: Fn(Context<S>) -> R,
{
    type Arguments = NoArguments;
    type Returned = R;

    fn handle(&self, _: NoArguments, context: ContextSource<'_, S>) -> R {
        self(context.make())
    }
}

impl<S, F, R, A> KitHandler<S, fn(A, Context<S>)> for F
where
    A: DeserializeOwned,
    F: Fn(A, Context<S>) -> R,
{
    type Arguments = A;
    type Returned = R;

    fn handle(&self, arguments: A, context: ContextSource<'_, S>) -> R {
        self(arguments, context.make())
    }
}

/// The future of one run of a handler.
pub(crate) type Run<T> = BoxFuture<'static, Result<T, ToolError>>;

/// Decodes the arguments at once, then runs the handler; fails only if decoding fails.
pub(crate) type RunHandler<T> =
    Box<dyn Fn(Value, CallParts) -> Result<Run<T>, serde_json::Error> + Send + Sync>;

/// Boxes an asynchronous handler with its state. `convert` turns its return value into a result.
pub(crate) fn run_handler<S, Shape, H, T>(
    state: Arc<S>,
    handler: H,
    convert: impl Fn(<H::Returned as Future>::Output) -> Result<T, ToolError>
    + Copy
    + Send
    + Sync
    + 'static,
) -> RunHandler<T>
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape> + Send + Sync + 'static,
    H::Arguments: DeserializeOwned,
    H::Returned: Future + Send + 'static,
{
    Box::new(move |arguments, parts| {
        let arguments = serde_json::from_value(arguments)?;
        let mut running = None;
        let work = handler.handle(arguments, ContextSource::new(parts, &state, &mut running));
        Ok(Box::pin(async move {
            let _running = running;
            convert(work.await)
        }))
    })
}
