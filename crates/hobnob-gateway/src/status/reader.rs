//! The current status of the whole gateway, or of one view.
//!
//! The binary reads the whole; clients read their view's part as `hobnob://status`.

use crate::catalog::Catalogue;
use crate::first_starts::tasks::FirstStartTasks;
use crate::identity::HubIdentity;
use crate::servers::registry::ServerRegistry;
use crate::status::upstream::upstream_status;
use crate::upstream::server::Upstream;
use crate::upstream::shown_connections::ShownConnections;
use crate::upstream::status::{Phase, UpstreamStatus};
use crate::view::View;
use crate::view::open_views::OpenViews;
use hobnob_mcp_engine::Principal;
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// How many lines of standard error are shown.
const TAIL_LINES: usize = 200;

/// The version, the problems and the status of every server.
#[derive(Debug, Clone, Serialize)]
pub struct GatewayStatus {
    /// The version of this Hobnob.
    pub version: &'static str,
    /// The id of the process that answers.
    pub pid: u32,
    /// An id that is unique to this process, across machines.
    pub instance: String,
    /// The folder of the project that it serves.
    pub project: String,
    /// Problems with the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Every configured server, by name.
    pub servers: Vec<UpstreamStatus>,
}

/// Returns the current problems of some part, as text.
type ProblemSource = Box<dyn Fn() -> Vec<String> + Send + Sync>;

/// Assembles the status of the gateway.
pub(crate) struct StatusReader {
    pub(crate) identity: Arc<HubIdentity>,
    /// The folder of the project.
    pub(crate) project: PathBuf,
    pub(crate) views: Arc<OpenViews>,
    pub(crate) servers: Arc<ServerRegistry>,
    pub(crate) first_starts: Arc<FirstStartTasks>,
    /// Sources of problems outside servers: built-in services, the listener.
    pub(crate) other_problems: Mutex<Vec<ProblemSource>>,
}

impl StatusReader {
    /// Adds a source of problems to the status.
    pub(crate) fn add_problem_source(&self, source: ProblemSource) {
        self.other_problems.lock().push(source);
    }

    /// The status of everything.
    pub(crate) fn read_all(&self) -> GatewayStatus {
        let (mut problems, servers) = self.servers.overview();
        // Many problems are the same in every view; each is reported once.
        let mut reported = BTreeSet::new();
        for view in self.views.all().iter() {
            for flaw in flaws(&view.snapshot().catalogue) {
                if reported.insert(flaw.clone()) {
                    problems.push(match &view.name {
                        Some(name) => format!("profile `{name}`: {flaw}"),
                        None => flaw,
                    });
                }
            }
        }
        let catalogues = servers.values().filter_map(|server| server.catalogue.as_ref());
        let rejected = catalogues.flat_map(|catalogue| catalogue.entries.rejected());
        problems.extend(rejected.map(ToString::to_string));
        let servers = servers.values().map(|server| {
            let held = server.held_back().iter().map(|(tool, _)| tool.clone());
            self.read_upstream(&server.upstream, &ShownConnections::All, held.collect())
        });
        self.assemble(problems, servers.collect())
    }

    /// The status of what this view shows, for a reader who may see these connections.
    pub(crate) fn read_view(&self, view: &View, shown: &ShownConnections) -> GatewayStatus {
        let snapshot = view.snapshot();
        let mut problems = snapshot.problems.clone();
        problems.extend(flaws(&snapshot.catalogue));
        problems.extend(snapshot.catalogue.report.rejected.iter().map(ToString::to_string));
        let held = |name: &str| {
            let held = snapshot.quarantine.values().filter(|held| *held.server == *name);
            held.map(|held| held.tool.clone()).collect()
        };
        let status = |it: &Arc<Upstream>| {
            let all = self.read_upstream(it, shown, held(it.name()));
            // Tools that are denied or held back are not listed and do not count.
            UpstreamStatus { tools: snapshot.catalogue.tools_of(it.name()), ..all }
        };
        let servers = snapshot.upstreams.values().map(status);
        self.assemble(problems, servers.collect())
    }

    /// The status of the view of this profile, or of the plain one, for its client with this name.
    /// `None` if the view is not open or shows no status.
    pub(crate) fn read_profile(
        &self,
        profile: Option<&str>,
        principal: &Principal,
    ) -> Option<GatewayStatus> {
        let views = self.views.all();
        let name = |view: &View| view.name.as_ref().map(|name| name.as_str().to_owned());
        let view = views.iter().find(|view| name(view).as_deref() == profile)?;
        let shown = ShownConnections::of(principal);
        view.has_hobnob_tools().then(|| self.read_view(view, &shown))
    }

    fn assemble(&self, mut problems: Vec<String>, servers: Vec<UpstreamStatus>) -> GatewayStatus {
        let others = self.other_problems.lock();
        problems.extend(others.iter().flat_map(|source| source()));
        drop(others);
        GatewayStatus {
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            instance: self.identity.instance().to_owned(),
            project: self.project.display().to_string(),
            problems,
            servers,
        }
    }

    fn read_upstream(
        &self,
        upstream: &Upstream,
        shown: &ShownConnections,
        quarantined: Vec<String>,
    ) -> UpstreamStatus {
        // A process that keeps no servers running has none that could wake up.
        let rest = match self.first_starts.keeps_servers() {
            true => Phase::Sleeping,
            false => Phase::Stopped,
        };
        let first_start = self.first_starts.state(upstream);
        UpstreamStatus { first_start, ..upstream_status(upstream, shown, rest, quarantined) }
    }
}

/// The last lines that a server of a view wrote to standard error on these connections.
pub(crate) fn log_of(view: &View, server: &str, shown: &ShownConnections) -> Option<String> {
    let snapshot = view.snapshot();
    let upstream = snapshot.upstreams.get(server)?;
    let summary = upstream.connections.summary(shown);
    let logs = summary.running.iter().filter_map(|running| running.stderr.as_ref());
    let text = logs.map(|log| log.tail(TAIL_LINES)).collect::<Vec<_>>().join("\n");
    Some(upstream.configured().conceal(&text))
}

/// Conflicts of names, and overrides that cannot be applied, in one view.
fn flaws(catalogue: &Catalogue) -> Vec<String> {
    let conflicts = catalogue.report.conflicts.iter().map(|conflict| {
        format!(
            "`{}` is taken by {}, so {} does not have it",
            conflict.key, conflict.kept, conflict.dropped
        )
    });
    conflicts.chain(catalogue.report.invalid_overrides.iter().map(ToString::to_string)).collect()
}
