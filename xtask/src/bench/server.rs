//! The programs that are compared, each under its name in the tables.

use super::builtins::BuiltIns;
use super::compile::Sources;
use super::gateways::Gateway;
use super::machine::Machine;
use super::plan::Transport;
use super::start::{RAW, Start};

/// What is measured under one name.
pub(super) struct Server {
    pub(super) name: String,
    program: Program,
}

enum Program {
    /// It has the echo tool itself; a word for the transport is added to its command.
    Echo(Vec<String>),
    /// It has the tool from another server.
    Gateway(Gateway),
    /// It has tools of its own.
    BuiltIns(BuiltIns),
    /// It works on the machine, or does by itself what others do through a service.
    Machine(Machine),
    /// It measures one part of ours and answers nobody.
    Part { program: String, transport: Transport },
    /// It emits as many events as it is asked for.
    Events(String),
    /// It has the echo tool, and asks for the token that it wrote into a file.
    Tokens { program: String, file: String },
    /// It is not there yet.
    Sources(Sources),
}

impl Server {
    pub(super) fn echo(name: &str, command: Vec<String>) -> Self {
        Self { name: name.to_owned(), program: Program::Echo(command) }
    }

    pub(super) fn gateway(name: &str, gateway: Gateway) -> Self {
        Self { name: name.to_owned(), program: Program::Gateway(gateway) }
    }

    pub(super) fn built_ins(name: &str, built_ins: BuiltIns) -> Self {
        Self { name: name.to_owned(), program: Program::BuiltIns(built_ins) }
    }

    pub(super) fn machine(name: &str, machine: Machine) -> Self {
        Self { name: name.to_owned(), program: Program::Machine(machine) }
    }

    pub(super) fn part(name: &str, program: String, transport: Transport) -> Self {
        Self { name: name.to_owned(), program: Program::Part { program, transport } }
    }

    pub(super) fn events(name: &str, program: String) -> Self {
        Self { name: name.to_owned(), program: Program::Events(program) }
    }

    pub(super) fn tokens(name: &str, program: String, file: String) -> Self {
        Self { name: name.to_owned(), program: Program::Tokens { program, file } }
    }

    pub(super) fn sources(name: &str, sources: Sources) -> Self {
        Self { name: name.to_owned(), program: Program::Sources(sources) }
    }

    /// How to start it, unless this is not for it.
    pub(super) fn start(&self, transport: Transport) -> anyhow::Result<Option<Start>> {
        match &self.program {
            Program::Gateway(gateway) => match transport {
                Transport::Gateway(era, payload) => gateway.start(era, payload),
                Transport::GatewayStreams => gateway.start_with_streams(),
                Transport::Upstreams => gateway.start_many(),
                Transport::Chat => gateway.start_chat(),
                _ => Ok(None),
            },
            Program::BuiltIns(built_ins) => built_ins.start(transport),
            Program::Machine(machine) => match transport {
                Transport::Machine(task) => machine.start(task),
                _ => Ok(None),
            },
            Program::Part { program, transport: measures } => {
                let start = || Start { command: vec![program.clone()], ..Start::default() };
                Ok((transport == *measures).then(start))
            }
            Program::Events(program) => {
                let is_for_it = match transport {
                    Transport::Streams => true,
                    Transport::StreamsOfOurs => self.name != RAW,
                    _ => false,
                };
                let command = vec![program.clone(), "{PORT}".to_owned()];
                Ok(is_for_it.then(|| Start { command, ..Start::default() }))
            }
            Program::Tokens { program, file } => {
                let Transport::Tokens(kind) = transport else { return Ok(None) };
                let kind = if self.name == RAW { "none" } else { kind };
                let command = [program, "{PORT}", kind, file].map(str::to_owned).into();
                let environment = vec![("LOAD_TOKEN_FILE", file.clone())];
                let tool = "echo".to_owned();
                Ok(Some(Start { command, environment, tool, ..Start::default() }))
            }
            Program::Sources(sources) => match transport {
                Transport::Sources(profile) => sources.start(profile).map(Some),
                _ => Ok(None),
            },
            Program::Echo(command) => Ok(self.start_echo(command, transport)),
        }
    }

    fn start_echo(&self, command: &[String], transport: Transport) -> Option<Start> {
        let words: &[&str] = match transport {
            Transport::Stdio => &["stdio"],
            Transport::Http => &["http", "{PORT}"],
            // The way without a gateway.
            Transport::Gateway(..) | Transport::GatewayStreams if self.name == RAW => {
                &["http", "{PORT}"]
            }
            _ => return None,
        };
        let words = words.iter().map(|word| (*word).to_owned());
        let command = command.iter().cloned().chain(words).collect();
        Some(Start { command, tool: "echo".to_owned(), ..Start::default() })
    }
}
