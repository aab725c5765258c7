//! The options of `hobnob serve`, and the address that they name. `cli` parses them, `serve` reads
//! them.
//!
//! What must stay true: options that apply to the other transport are refused, not ignored.

use crate::logs::TraceArgs;
use clap::{Args, ValueEnum};
use hobnob_config::NativeCallAccess;
use hobnob_hub::listeners::{DEFAULT_ADDRESS, parse_address};
use hobnob_terminal::ended::Ended;
use std::net::SocketAddr;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve over HTTP at this address instead of standard input and output.
    ///
    /// Clients use http://ADDR/mcp (or http://ADDR/sse for the oldest ones); https if the settings
    /// name a certificate. A port alone is one of this machine, a host alone has port 4815; port 0
    /// picks a free one.
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS,
          value_parser = parse_address)]
    pub(super) http: Option<SocketAddr>,

    /// Serve on standard input and output, which is the default.
    #[arg(long, conflicts_with_all = ["http", "transport", "port"])]
    pub(super) stdio: bool,

    /// Do not share the servers of a hub that runs already for this project; start them here.
    ///
    /// Without it, a pipe without --profile is passed on to such a hub, if its settings are the
    /// same.
    #[arg(long, conflicts_with_all = ["http", "port"])]
    pub(super) no_attach: bool,

    /// Answer native calls only after `initialize`, as MCP's own requests; for one --profile.
    ///
    /// Without it, a client may call `service.method` without a handshake.
    #[arg(long)]
    pub(super) mcp: bool,

    /// Same as --http (`http`), or the default (`stdio`), as other servers spell it.
    #[arg(long, value_enum, conflicts_with = "http")]
    pub(super) transport: Option<ServeTransport>,

    /// The port for --transport http, on this machine only.
    #[arg(long, requires = "transport")]
    pub(super) port: Option<u16>,

    /// Listen on an address that other machines can reach, without authentication.
    ///
    /// Everyone who can reach the port can use every tool. Use it only on networks that you trust
    /// entirely. If clients use a host name for this machine, allow it too: --allow-host NAME.
    #[arg(long)]
    pub(super) allow_remote_without_auth: bool,

    /// Accept this name in the Host header besides the loopback names (may be repeated).
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(super) allow_host: Vec<String>,

    /// Accept web pages of this origin besides local ones (may be repeated).
    #[arg(long, value_name = "ORIGIN")]
    pub(super) allow_origin: Vec<String>,

    /// Serve this profile: a built-in one, or a file in the folder `profiles`.
    ///
    /// With one profile, clients see that profile and nothing else. With --http you may repeat the
    /// option: each profile is then at http://ADDR/p/NAME/mcp, and everything is at /mcp. Without
    /// it, --http serves all profiles.
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Vec<String>,

    /// Be a hub in the background, without a client of its own; a pipe starts it so.
    #[arg(long, hide = true, conflicts_with_all = ["http", "transport", "port", "profile", "no_attach"])]
    pub(crate) background: bool,

    #[command(flatten)]
    pub(crate) trace: TraceArgs,
}

/// The values of `--transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ServeTransport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP, and HTTP+SSE for the oldest clients.
    Http,
}

impl ServeArgs {
    /// When native calls are answered, unless a profile asks for more.
    pub(super) fn native_calls(&self, profiles: &[String]) -> anyhow::Result<NativeCallAccess> {
        match (self.mcp, profiles) {
            (false, _) => Ok(NativeCallAccess::AnyTime),
            (true, [_]) => Ok(NativeCallAccess::AfterHandshake),
            // Commands of the same user make native calls to the whole hub.
            (true, _) => {
                let message = "--mcp applies to one profile; name it with --profile, for example \
                               --profile substrate";
                Err(Ended::usage(message).into())
            }
        }
    }

    /// The address to listen on over HTTP; `None` for standard input and output.
    pub(super) fn http_address(&self) -> anyhow::Result<Option<SocketAddr>> {
        let address = match (self.http, self.transport) {
            (Some(address), _) => Some(address),
            (None, Some(ServeTransport::Http)) => {
                let mut address: SocketAddr = DEFAULT_ADDRESS.parse()?;
                address.set_port(self.port.unwrap_or(address.port()));
                Some(address)
            }
            (None, Some(ServeTransport::Stdio)) if self.port.is_some() => {
                let message = "--port does not apply to stdio; use it with --transport http";
                return Err(Ended::usage(message).into());
            }
            (None, Some(ServeTransport::Stdio) | None) => None,
        };
        let for_http = self.allow_remote_without_auth
            || !self.allow_host.is_empty()
            || !self.allow_origin.is_empty();
        if address.is_none() && for_http {
            return Err(Ended::usage("--allow-… options apply to HTTP; add --http").into());
        }
        Ok(address)
    }
}
