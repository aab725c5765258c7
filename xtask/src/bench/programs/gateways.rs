//! The compared gateways, each in front of the bare loop on pipes.
//!
//! Their settings are written anew for each start, so that nothing is cached unless a case wants
//! that.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::builder::{Builder, Named};
use super::start::{Start, text, words};
use crate::bench::case::{Era, Setup, TOOLS_EACH, UPSTREAMS};
use crate::bench::kind::PROXY;
use crate::bench::scratch::{Scratch, write};
use crate::peers::{self, FASTMCP, MCP_PROXY, SUPERGATEWAY};

/// One gateway, and which calls it can pass on.
pub(super) struct Gateway {
    make: Make,
    reach: Reach,
    scratch: Rc<Scratch>,
    /// The server behind it.
    raw: PathBuf,
}

/// Which calls a gateway can pass on.
struct Reach {
    eras: &'static [Era],
    /// The longest message that it passes on.
    bytes: usize,
}

impl Reach {
    const ALL: Self = Self { eras: &[Era::Legacy, Era::Stateless], bytes: usize::MAX };
}

/// How to make a gateway's command.
enum Make {
    /// Our binary, with a home folder of its own.
    Hub(PathBuf),
    /// This command, followed by the file that lists its servers.
    Listed(Vec<String>),
    /// This command, which needs no further file or argument.
    Fixed(Vec<String>),
}

impl Gateway {
    /// Starts it in front of one server or many; `None` if it cannot pass on such calls.
    pub(super) fn start(&self, setup: Setup) -> anyhow::Result<Option<Start>> {
        let server = |arguments: Value| json!({ "command": text(&self.raw), "args": arguments });
        let servers: Map<String, Value> = match setup {
            Setup::Gateway { era, payload }
                if self.reach.eras.contains(&era) && payload <= self.reach.bytes =>
            {
                Map::from_iter([("raw".to_owned(), server(json!(["stdio"])))])
            }
            Setup::Upstreams if matches!(self.make, Make::Hub(_) | Make::Listed(_)) => {
                let server = server(json!(["stdio", "--tools", TOOLS_EACH.to_string()]));
                (1..=UPSTREAMS).map(|number| (format!("raw{number}"), server.clone())).collect()
            }
            _ => return Ok(None),
        };
        self.with_servers(servers).map(Some)
    }

    fn with_servers(&self, servers: Map<String, Value>) -> anyhow::Result<Start> {
        let servers = serde_json::to_string_pretty(&json!({ "mcpServers": servers }))?;
        let mut start = Start { tool: "echo", ..Start::default() };
        start.command = match &self.make {
            Make::Hub(program) => {
                let home = self.scratch.folder()?;
                write(&home.join("config/mcp.json"), &servers)?;
                write(&home.join("config/config.toml"), SETTINGS)?;
                start.environment.push(("HOBNOB_HOME", text(&home)));
                start.tool = "mcp__raw__echo";
                [vec![text(program)], words("serve --http 127.0.0.1:{PORT}")].concat()
            }
            Make::Listed(command) => {
                let file = self.scratch.folder()?.join("mcp.json");
                write(&file, &servers)?;
                [command.clone(), vec![text(&file)]].concat()
            }
            Make::Fixed(command) => command.clone(),
        };
        Ok(start)
    }
}

/// Allows every call, and lists all tools, however many there are.
const SETTINGS: &str = "\
[gateway]
tool_search = \"never\"

[[permissions]]
tool = \"mcp__*\"
action = \"allow\"
";

/// The bare proxy, our binary and other builds of it, then other projects' gateways.
pub(super) fn all(builder: Builder<'_>, raw: &Path) -> anyhow::Result<Vec<Named<Gateway>>> {
    let Builder { workspace, args } = builder;
    let scratch = Rc::new(Scratch::new(workspace, "gateways")?);
    let gateway = |make, reach| {
        let (scratch, raw) = (Rc::clone(&scratch), raw.to_owned());
        Gateway { make, reach, scratch, raw }
    };
    let proxy = [text(&builder.bench("raw-proxy")), "{PORT}".into(), text(raw), "stdio".into()];
    let proxy = gateway(Make::Fixed(proxy.into()), Reach::ALL);
    let mut all: Vec<Named<Gateway>> = vec![(PROXY.to_owned(), Ok(proxy))];
    let hub = |program| gateway(Make::Hub(program), Reach::ALL);
    all.extend(builder.hubs().map(|(name, program)| (name, program.map(hub))));
    let legacy = |bytes| Reach { eras: &[Era::Legacy], bytes };
    let contenders = [
        ("mcp-proxy 0.13", MCP_PROXY, legacy(usize::MAX)),
        // It accepts bodies of up to 100 KiB, which leaves less for the message.
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
