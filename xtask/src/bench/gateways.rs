//! The gateways that are compared, each with the bare loop on pipes behind it.
//!
//! Their settings are written anew for each start, so that nothing is remembered unless it is
//! meant to be.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::arguments::Args;
use super::artifact::{Artifact, Profile};
use super::plan::{Era, SLEEPING, TOOLS_EACH, UPSTREAMS};
use super::scratch::{Scratch, write};
use super::start::{OURS, PROXY, Start, text};
use crate::peers::{self, FASTMCP, MCP_PROXY, SUPERGATEWAY};
use crate::workspace::Workspace;

/// One gateway and what it can do.
pub(super) struct Gateway {
    make: Make,
    reach: Reach,
    scratch: Arc<Scratch>,
    /// The server that it is put in front of.
    raw: PathBuf,
}

/// Which calls get through it.
struct Reach {
    eras: &'static [Era],
    /// The longest message that gets through it.
    bytes: usize,
}

/// How its command is made.
enum Make {
    /// The bare proxy, which takes one server on its command line.
    Proxy(PathBuf),
    /// This binary, with a home folder of its own.
    Hobnob(PathBuf),
    /// This command, and the file that lists its servers after it.
    Listed(Vec<String>),
    /// This command, which needs no file and no argument more.
    Fixed(Vec<String>),
}

impl Gateway {
    /// In front of one server, unless such calls do not get through it.
    pub(super) fn start(&self, era: Era, payload: usize) -> anyhow::Result<Option<Start>> {
        if !self.reach.eras.contains(&era) || self.reach.bytes < payload {
            return Ok(None);
        }
        let raw = json!({ "command": text(&self.raw), "args": ["stdio"] });
        self.with_servers(Map::from_iter([("raw".to_owned(), raw)])).map(Some)
    }

    /// In front of one server, unless it has no streams.
    pub(super) fn start_with_streams(&self) -> anyhow::Result<Option<Start>> {
        match self.make {
            Make::Proxy(_) => Ok(None),
            Make::Hobnob(_) | Make::Listed(_) | Make::Fixed(_) => self.start(Era::Legacy, 0),
        }
    }

    /// In front of many, unless it takes only one.
    pub(super) fn start_many(&self) -> anyhow::Result<Option<Start>> {
        if matches!(self.make, Make::Proxy(_) | Make::Fixed(_)) {
            return Ok(None);
        }
        self.with_servers(self.upstreams(UPSTREAMS)).map(Some)
    }

    /// As somebody at a terminal has it, with several servers; only ours can be talked to.
    pub(super) fn start_chat(&self) -> anyhow::Result<Option<Start>> {
        let Make::Hobnob(program) = &self.make else { return Ok(None) };
        let command = vec![text(program), "chat".to_owned()];
        let start = self.with_servers(self.upstreams(SLEEPING))?;
        Ok(Some(Start { command, ..start }))
    }

    /// So many servers with many tools each.
    fn upstreams(&self, count: usize) -> Map<String, Value> {
        let arguments = ["stdio".to_owned(), "--tools".to_owned(), TOOLS_EACH.to_string()];
        let server = json!({ "command": text(&self.raw), "args": arguments });
        (1..=count).map(|number| (format!("raw{number}"), server.clone())).collect()
    }

    fn with_servers(&self, servers: Map<String, Value>) -> anyhow::Result<Start> {
        let servers = serde_json::to_string_pretty(&json!({ "mcpServers": servers }))?;
        let (mut environment, mut folder) = (Vec::new(), String::new());
        let (command, tool) = match &self.make {
            Make::Proxy(program) => {
                let behind = [text(&self.raw), "stdio".to_owned()];
                let command = [text(program), "{PORT}".to_owned()];
                (command.into_iter().chain(behind).collect(), "echo")
            }
            Make::Hobnob(program) => {
                let home = self.scratch.folder()?;
                write(&home.join("config/mcp.json"), &servers)?;
                write(&home.join("config/config.toml"), PERMISSIONS)?;
                folder = text(&home);
                environment.push(("HOBNOB_HOME", folder.clone()));
                let serve = ["serve", "--http", "127.0.0.1:{PORT}"].map(str::to_owned);
                ([text(program)].into_iter().chain(serve).collect(), "mcp__raw__echo")
            }
            Make::Listed(command) => {
                let file = self.scratch.folder()?.join("mcp.json");
                write(&file, &servers)?;
                (command.iter().cloned().chain([text(&file)]).collect(), "echo")
            }
            Make::Fixed(command) => (command.clone(), "echo"),
        };
        let (tool, upstream) = (tool.to_owned(), text(&self.raw));
        Ok(Start { command, environment, tool, upstream, folder, ..Start::default() })
    }
}

const PERMISSIONS: &str = "[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";

/// The programs without which no gateway is measured.
#[derive(Clone, Copy)]
pub(super) struct Bare<'a> {
    /// The server behind every gateway.
    pub(super) raw: &'a Path,
    pub(super) proxy: &'a Path,
}

/// Every gateway that is wanted, or why it cannot be had.
pub(super) fn all(
    workspace: &Workspace,
    args: &Args,
    Bare { raw, proxy }: Bare<'_>,
) -> anyhow::Result<Vec<(String, anyhow::Result<Gateway>)>> {
    let scratch = Arc::new(Scratch::new(workspace, "gateways")?);
    let gateway =
        |make, reach| Gateway { make, reach, scratch: Arc::clone(&scratch), raw: raw.to_owned() };
    let both = || Reach { eras: &[Era::Legacy, Era::Stateless], bytes: usize::MAX };
    let hobnob = |program| gateway(Make::Hobnob(program), both());
    let bare = gateway(Make::Proxy(proxy.to_owned()), both());
    let mut all = vec![(PROXY.to_owned(), Ok(bare))];
    if args.wants(OURS) {
        let program = Artifact::Program("hobnob").build(workspace, Profile::SHIPPED, &["hobnob"]);
        all.push((OURS.to_owned(), program.map(hobnob)));
    }
    let others = args.other_builds.iter();
    all.extend(others.map(|(name, program)| (name.clone(), Ok(hobnob(program.clone())))));
    let legacy = |bytes| Reach { eras: &[Era::Legacy], bytes };
    let contenders = [
        ("mcp-proxy 0.13", MCP_PROXY, legacy(usize::MAX)),
        // It takes bodies of up to 100 KiB, which leaves less for the message.
        ("supergateway 4.0", SUPERGATEWAY, legacy(99 * 1024)),
        // It also lists tools for callers of the newest revision, but refuses their calls.
        ("fastmcp 4.1", FASTMCP, legacy(usize::MAX)),
    ];
    for (name, peer, reach) in contenders.into_iter().filter(|(name, ..)| args.wants(name)) {
        let roster = peers::install(&workspace.peers(), &[peer])?;
        let bench = workspace.root.join("bench/peers");
        let made = match roster.ready(peer.key) {
            Ok((node, home)) => Ok(gateway(command(peer.key, node, home, &bench, raw), reach)),
            Err(reason) => Err(anyhow::anyhow!(reason)),
        };
        all.push((name.to_owned(), made));
    }
    Ok(all)
}

fn command(key: &str, node: &Path, home: &Path, bench: &Path, raw: &Path) -> Make {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let behind = format!("{} stdio", text(raw));
    if key == MCP_PROXY.key {
        let program = vec![text(&home.join("venv/bin/mcp-proxy"))];
        let options = words("--log-level ERROR --port {PORT} --");
        return Make::Fixed([program, options, words(&behind)].concat());
    }
    if key == SUPERGATEWAY.key {
        let program = vec![text(node), text(&home.join("node_modules/.bin/supergateway"))];
        let options = words(
            "--outputTransport streamableHttp --stateful --port {PORT} --logLevel none --stdio",
        );
        return Make::Fixed([program, options, vec![behind]].concat());
    }
    let python = text(&home.join("venv/bin/python"));
    Make::Listed(vec![python, text(&bench.join("fastmcp_proxy.py")), "{PORT}".to_owned()])
}
