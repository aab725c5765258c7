//! Integration tests of the services, as their callers see them.
#![cfg(test)]

#[cfg(target_os = "linux")]
mod agents_chat;
#[cfg(target_os = "linux")]
mod agents_server;
mod arbor_server;
mod arbor_tools;
mod arbor_transcripts;
mod arbor_views;
mod calls;
mod cone_chat;
mod cone_server;
mod cone_sessions;
#[expect(unreachable_pub, reason = "the example is written as part of a library")]
mod digest;
mod echo;
mod example_service;
#[cfg(target_os = "linux")]
mod files_escapes;
#[cfg(target_os = "linux")]
mod files_server;
#[cfg(target_os = "linux")]
mod files_tools;
#[cfg(target_os = "linux")]
mod files_watching;
mod grants;
mod logs_server;
mod logs_tools;
mod memory_facts;
mod memory_order;
#[path = "../../../hobnob-llm/tests/it/server.rs"]
#[expect(dead_code, reason = "another crate asks the provider itself")]
mod model_server;
mod registry_server;
mod registry_tools;
#[cfg(target_os = "linux")]
mod shell_processes;
#[cfg(target_os = "linux")]
mod shell_run;
#[cfg(target_os = "linux")]
mod shell_runaways;
#[cfg(target_os = "linux")]
mod shell_server;
mod tasks_server;
mod tasks_tools;
mod tasks_transcripts;
mod tasks_views;
#[path = "../../../hobnob-machine/tests/it/wine.rs"]
#[expect(dead_code, reason = "another crate looks at the disk too")]
mod wine;
