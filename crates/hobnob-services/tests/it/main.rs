//! The services as those see them who call them.
#![cfg(test)]

#[expect(unreachable_pub, reason = "the example is written as part of a library")]
mod digest;
mod example_service;
mod tasks_server;
mod tasks_tools;
mod tasks_transcripts;
mod tasks_views;
