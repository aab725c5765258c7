//! A program under its name in the tables.

use super::gateways::Gateway;
use super::hub::Hub;
use super::machine::Machine;
use super::start::Start;
use crate::bench::case::Setup;
use crate::bench::kind::Group;

/// One row of the tables of one group.
pub(in crate::bench) struct Server {
    pub(in crate::bench) name: String,
    pub(in crate::bench) group: Group,
    pub(super) program: Program,
}

pub(super) enum Program {
    /// It has the echo tool itself; its command gets a word for the transport.
    Echo(Vec<String>),
    /// It has the tool from another server.
    Gateway(Gateway),
    /// It has the built-in services.
    Hub(Hub),
    /// It acts on the machine, through a service or by itself.
    Machine(Machine),
    /// It emits the requested number of events.
    Events(String),
}

impl Server {
    /// A server with the echo tool, for `gate`, which needs no other.
    pub(in crate::bench) fn echo(name: &str, command: Vec<String>) -> Self {
        let (name, program) = (name.to_owned(), Program::Echo(command));
        Self { name, group: Group::Servers, program }
    }

    /// How to start it; `None` if the setup does not apply to it.
    pub(in crate::bench) fn start(&self, setup: Setup) -> anyhow::Result<Option<Start>> {
        match &self.program {
            Program::Echo(command) => Ok(start_echo(command, setup)),
            Program::Gateway(gateway) => gateway.start(setup),
            Program::Hub(hub) => hub.start(setup),
            Program::Machine(machine) => machine.start(setup),
            Program::Events(program) => {
                let command = vec![program.clone(), "{PORT}".to_owned()];
                Ok(Some(Start { command, ..Start::default() }))
            }
        }
    }
}

fn start_echo(command: &[String], setup: Setup) -> Option<Start> {
    let words: &[&str] = match setup {
        Setup::Stdio => &["stdio"],
        // Direct calls are the reference for calls through gateways.
        Setup::Http | Setup::Gateway { .. } => &["http", "{PORT}"],
        _ => return None,
    };
    let words = words.iter().map(|word| (*word).to_owned());
    let command = command.iter().cloned().chain(words).collect();
    Some(Start { command, tool: "echo", ..Start::default() })
}
