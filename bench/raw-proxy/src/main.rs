//! The practical limit that every gateway is compared with: HTTP in, one child's pipes out, and
//! back. `load` starts it as `raw-proxy PORT COMMAND…`; the command is a server that speaks over
//! its pipes. It gives each request an id of its own and restores the caller's id in the answer,
//! because callers choose equal ids. It must stay without sessions, checks, limits and logs:
//! everything it does distorts the comparison.

mod http;
mod message;
mod upstream;

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, program, rest @ ..] = &arguments[..] else {
        anyhow::bail!("usage: raw-proxy PORT COMMAND…");
    };
    let port = port.parse().context("PORT is not a port number")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (upstream, answers) = upstream::start(program, rest)?;
        tokio::try_join!(answers, http::serve(port, upstream))?;
        Ok(())
    })
}
