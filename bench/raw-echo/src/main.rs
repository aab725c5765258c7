//! The practical limit that every other server is compared with: parse, echo, nothing else.
//! `load` starts it as `raw-echo stdio` or `raw-echo http PORT`.
//! It must stay without checks, logs and layers: whatever it does becomes part of the yardstick.

mod answer;
mod http;
mod stdio;

use anyhow::{Context as _, bail};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => stdio::serve(),
        ["http", port] => http::serve(port.parse().context("PORT is not a port number")?),
        _ => bail!("usage: raw-echo stdio | raw-echo http PORT"),
    }
}
