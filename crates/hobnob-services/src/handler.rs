//! How handlers of a kit get what all handlers of a service share.
//!
//! Every service uses it where it fills its kit; nothing else calls it.

use hobnob_mcp_server::toolbox::Context;

/// Turns a function into a handler that gets its own clone of `shared` at each call, so `shared`
/// must be cheap to clone.
pub(crate) fn with<Shared, Arguments, Work>(
    shared: &Shared,
    run: fn(Shared, Arguments, Context) -> Work,
) -> impl Fn(Arguments, Context) -> Work + Send + Sync + 'static
where
    Shared: Clone + Send + Sync + 'static,
    Arguments: 'static,
    Work: 'static,
{
    let shared = shared.clone();
    move |arguments, context| run(shared.clone(), arguments, context)
}
