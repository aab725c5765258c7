//! `/ui/api/servers`, `/ui/api/servers/preview` and the steps below `/ui/api/servers/{name}` that
//! change the settings of a server or log in to it.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::ports::NotDone;
use crate::routes::ServerStep;
use crate::server_changes::{AddServers, ServerPaste};
use http::Method;
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct AddedJson {
    added: Vec<String>,
}

#[derive(Serialize)]
struct SaidJson {
    said: String,
}

/// The body of a removal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemovalBody {
    digest: String,
}

pub(super) async fn preview(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let paste: ServerPaste = request.body()?;
    let preview = request.page.options.servers.preview(paste).await;
    json(&preview.map_err(|why| problem(why, ""))?)
}

pub(super) async fn add(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let wanted: AddServers = request.body()?;
    let added = request.page.options.servers.add(wanted).await;
    json(&AddedJson { added: added.map_err(|why| problem(why, ""))? })
}

pub(super) async fn step(
    request: &SessionRequest<'_>,
    name: &str,
    step: ServerStep,
) -> Result<PageResponse, PageProblem> {
    let servers = &request.page.options.servers;
    let failed = |why| problem(why, name);
    match step {
        ServerStep::Entry => json(&servers.entry(name).await.map_err(failed)?),
        ServerStep::Remove => {
            let RemovalBody { digest } = request.body()?;
            servers.remove(name, &digest).await.map_err(failed)?;
            Ok(done())
        }
        ServerStep::Review => json(&servers.review(name).await.map_err(failed)?),
        ServerStep::Approve => {
            servers.approve(name, request.body()?).await.map_err(failed)?;
            Ok(done())
        }
        ServerStep::Login if request.request.method() == Method::POST => {
            json(&servers.begin_login(name).await.map_err(failed)?)
        }
        ServerStep::Login => {
            // A hub that stops does not wait for a person.
            let stop = &request.page.options.stop;
            let progress = stop.run_until_cancelled(servers.login_progress(name)).await;
            json(&progress.ok_or_else(PageProblem::stopping)?.map_err(failed)?)
        }
        ServerStep::Logout => {
            let said = servers.log_out(name).await.map_err(failed)?;
            json(&SaidJson { said })
        }
    }
}

fn problem(why: NotDone, name: &str) -> PageProblem {
    match why {
        NotDone::Unknown => {
            PageProblem::not_found(format!("there is no server `{name}` in the configuration"))
        }
        NotDone::Failed(why) => PageProblem::conflict(why),
    }
}
