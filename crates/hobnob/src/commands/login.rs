//! `hobnob login NAME`: logs in to a server, in a browser, by a pasted address, or on another
//! device. `main` runs it.
//!
//! What must stay true: a project's server is contacted only after the user approved it, and no
//! token is ever shown.

mod device;
mod loggable;
mod prompt;

pub(super) use loggable::{LoggableServer, find};

use super::{browser, completions};
use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use device::TerminalDevice;
use hobnob_config::{Places, Target};
use hobnob_gateway::{LOGIN_PORT, forget_start_failure};
use hobnob_hub::compose;
use hobnob_hub::control::{self, ControlRequest};
use hobnob_mcp_auth::{LoginStatus, NextToken, OAuthAuthorizer};
use hobnob_mcp_client::Client;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use prompt::TerminalLogin;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// The name of the server.
    #[arg(add = completions::servers())]
    name: String,

    /// Log in on another device: shows an address and a code to type there.
    #[arg(long)]
    device: bool,

    /// End the login that there is, and register and log in anew.
    #[arg(long)]
    reset: bool,

    /// Print the address instead of opening a browser.
    #[arg(long)]
    no_browser: bool,

    /// Log in for this user of the hub instead of yourself.
    #[arg(long = "as", value_name = "PRINCIPAL")]
    principal: Option<String>,
}

pub(crate) fn run(args: &LoginArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let server = find(&places, &args.name, args.principal.as_deref())?;
    let runtime = runtime::with_threads(1)?;
    let done = runtime.block_on(log_in(args, context, &places, &server));
    // A thread may still be blocked on standard input, so do not wait for it.
    runtime.shutdown_background();
    done
}

async fn log_in(
    args: &LoginArgs,
    context: &CommandContext,
    places: &Places,
    server: &LoggableServer,
) -> anyhow::Result<()> {
    if args.device && !server.needs_person() {
        let why = "logs in by itself, as `oauth.grant` of its entry says; leave out --device";
        return Err(Ended::usage(format!("server `{}` {why}", server.name())).into());
    }
    let asked = Arc::new(AtomicBool::new(false));
    let mut builder = server.builder()?;
    if args.reset {
        drop(server.builder()?.build().log_out().await?);
        builder = builder.register_anew();
    }
    let builder = match args.device {
        true => builder.device(TerminalDevice { asked: Arc::clone(&asked) }),
        false => {
            let port = server.callback_port();
            let opens = !args.no_browser && browser::can_open();
            builder.prompt(TerminalLogin::new(port, LOGIN_PORT, opens, Arc::clone(&asked)))
        }
    };
    let authorizer = builder.build();
    let connected = connect(server, &authorizer).await;
    let was_asked = asked.load(Ordering::Relaxed);
    let status = authorizer.status();
    authorizer.close().await;
    let name = server.name();
    match (&connected, &status) {
        (Ok(()), _) => {}
        (Err(why), LoginStatus::LoggedIn { .. }) if was_asked => {
            render::warn(&format!("the login is stored, but `{name}` does not answer: {why}"));
        }
        (Err(why), _) => {
            let remedy = match server.needs_person() {
                true => {
                    "if the server wants a key instead of a login, set it in `headers` of its entry"
                }
                false => "check `oauth` of its entry",
            };
            let words = format!("server `{name}`: {why}; {remedy}");
            return Err(Ended::new(Code::Unavailable, words).into());
        }
    }
    forget_start_failure(places, &server.configured);
    if was_asked || args.reset {
        // The running hub uses the new login at once; other hubs notice it by themselves.
        let request =
            ControlRequest::Restart { server: name.to_owned(), principal: args.principal.clone() };
        drop(control::ask(places, &request).await);
    }
    report(context, server, &status, was_asked)
}

/// Connects to the server, so that it asks for a login if it wants one.
async fn connect(server: &LoggableServer, authorizer: &Arc<OAuthAuthorizer>) -> Result<(), String> {
    let Target::Url { url, headers, .. } = &server.spec().target else {
        return Err("it is a program".into());
    };
    let about = compose::implementation();
    let mut client = Client::builder().name(about.name, about.version);
    for (name, value) in headers {
        client = client.header(name.clone(), value.expose());
    }
    let connected = client.authorizer(Arc::clone(authorizer) as _).connect(url.expose()).await;
    match connected {
        Ok(_) => Ok(()),
        Err(error) => Err(server.spec().conceal(&error.to_string()).into_owned()),
    }
}

fn report(
    context: &CommandContext,
    server: &LoggableServer,
    status: &LoginStatus,
    was_asked: bool,
) -> anyhow::Result<()> {
    let name = server.name();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (logged_in, left, renews) = match status {
        LoginStatus::NotLoggedIn => (false, None, false),
        LoginStatus::LoggedIn { expires_at, next } => {
            let left = expires_at.map(|at| at.saturating_sub(now));
            (true, left, *next != NextToken::ByLogin)
        }
    };
    if context.output == Output::Json {
        return render::json(&json!({
            "server": name,
            "logged_in": logged_in,
            "new": was_asked,
            "expires_in_seconds": left,
            "renews": renews,
        }));
    }
    let words = match (logged_in, was_asked) {
        (false, _) => format!("server `{name}` wants no login"),
        (true, true) => format!("logged in to {name}"),
        (true, false) if !server.needs_person() => {
            format!("{name} logs in by itself, as its entry says, and that works")
        }
        (true, false) => format!("you are logged in to {name} already; --reset logs in anew"),
    };
    let end = match (left, renews) {
        (_, true) => "; the login is renewed by itself".to_owned(),
        (Some(left), false) => format!("; the login ends in {} min", left.div_ceil(60)),
        (None, false) => String::new(),
    };
    render::line(&format!("{words}{end}"))
}
