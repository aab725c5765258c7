//! The practical limit that every server is compared with: it only parses and echoes. `load` starts
//! it as `raw-echo stdio` or `raw-echo http PORT`, gateways as the former. It must stay without
//! checks, logs and layers: everything it does distorts the comparison.

mod answer;
mod http;
mod stdio;

use anyhow::{Context as _, bail};

use crate::answer::Echo;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => stdio::serve(&Echo::with_tools(1)),
        ["stdio", "--tools", count] => {
            stdio::serve(&Echo::with_tools(count.parse().context("COUNT is not a number")?))
        }
        ["http", port] => {
            let port = port.parse().context("PORT is not a port number")?;
            http::serve(port, Echo::with_tools(1))
        }
        _ => bail!("usage: raw-echo stdio [--tools COUNT] | raw-echo http PORT"),
    }
}
