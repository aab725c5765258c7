//! `hobnob ui`: opens the page of this project's hub in the person's browser. `main` runs it.
//!
//! What must stay true: the link goes to the person alone, since it opens the page with the rights
//! of the hub's owner: no program that Hobnob started gets one, and an assistant's command, which
//! has no terminal, gets none either.

use super::browser;
use super::person::require_owner;
use super::serve::start_for_page;
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::Places;
use hobnob_hub::page_link::{self, PageLink};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Output};
use serde_json::json;
use std::io::{self, IsTerminal as _};

#[derive(Debug, Args)]
pub(crate) struct UiArgs {
    /// Print the link, and leave the browser alone.
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: UiArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("pages are opened and servers are", &places)?;
    let url = runtime::current_thread()?.block_on(link(&places, context))?;
    match context.output {
        Output::Json => render::json(&json!({ "url": url })),
        Output::People => {
            let is_opened = !args.no_open && is_for_browser() && browser::open(&url);
            render::note(match is_opened {
                true => "The page opens in your browser. If it does not, open this link yourself:",
                false => "Open this link in a browser on this machine:",
            });
            render::line(&url)?;
            render::note(
                "It opens the page once, within two minutes; run `hobnob ui` again for another.",
            );
            Ok(())
        }
    }
}

/// Whether a person is here, and their browser can be opened.
fn is_for_browser() -> bool {
    io::stdout().is_terminal() && browser::can_open()
}

/// The link of the running hub, or of one that is started in the background.
async fn link(places: &Places, context: &CommandContext) -> anyhow::Result<String> {
    if let Some(link) = page_link::ask(places).await? {
        return url(link);
    }
    let started = start_for_page(places, context.places.typed()).await;
    let hub = started.context("no hub runs, and none can be started in the background")?;
    let Some(_stays_for_the_link) = hub else { return Err(no_hub(places)) };
    match page_link::ask(places).await? {
        Some(link) => url(link),
        None => Err(no_hub(places)),
    }
}

fn url(link: PageLink) -> anyhow::Result<String> {
    match link {
        PageLink::Url(url) => Ok(url),
        PageLink::OldHub(remedy) => {
            let remedy = remedy.unwrap_or_else(|| "stop it with `hobnob stop`".to_owned());
            let message = format!(
                "the running hub is older than this program and has no page; to use the new one: \
                 {remedy}; then run `hobnob ui` again"
            );
            Err(Ended::new(Code::Failed, message).into())
        }
        PageLink::Failed(why) => Err(Ended::new(Code::Failed, why).into()),
    }
}

/// The error if no hub runs, and none may be started in the background.
fn no_hub(places: &Places) -> anyhow::Error {
    let message = format!(
        "no hub runs for {}, and hubs in the background are switched off; start one yourself: \
         hobnob serve --http",
        places.project.display()
    );
    Ended::new(Code::Failed, message).into()
}
