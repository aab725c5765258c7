//! A server of one's own in a few lines: one tool, `echo`, on standard input and output.

use hobnob_mcp::{Kit, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    message: String,
}

fn main() -> std::io::Result<()> {
    let kit = Kit::plain("echo")
        .tool("echo", "Returns the message", |args: Echo| async move { args.message });
    Server::of(kit).run_stdio()
}
