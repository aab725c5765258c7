//! The binary from outside: as a person, an operating system and other people's clients see it.
//!
//! Everything runs against the built program, on pipes and on the loopback interface, and every
//! wait has a deadline. `cargo xtask test` brings the clients; without it their tests say that
//! they were skipped.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says aloud when it is skipped"
)]

#[cfg(target_os = "linux")]
mod agents_service;
mod apps;
mod attach;
mod background_hub;
mod behind_proxies;
mod build_commit;
mod built_in_schemas;
#[cfg(target_os = "linux")]
mod canaries;
#[cfg(target_os = "linux")]
mod chat_cancel;
#[cfg(target_os = "linux")]
mod chat_commands;
#[cfg(target_os = "linux")]
mod chat_dialects;
#[cfg(target_os = "linux")]
mod chat_failures;
#[cfg(target_os = "linux")]
mod chat_first_page;
#[cfg(target_os = "linux")]
mod chat_first_start;
#[cfg(target_os = "linux")]
mod chat_hostile;
#[cfg(target_os = "linux")]
mod chat_long;
#[cfg(target_os = "linux")]
mod chat_notices;
mod chat_once;
#[cfg(target_os = "linux")]
mod chat_sampling;
#[cfg(target_os = "linux")]
mod chat_screens;
#[cfg(target_os = "linux")]
mod chat_seed;
#[cfg(target_os = "linux")]
mod chat_setup;
#[cfg(target_os = "linux")]
mod chat_terminal;
#[cfg(target_os = "linux")]
mod chat_typing;
#[cfg(target_os = "linux")]
mod claude_code;
#[cfg(unix)]
mod cli_call;
#[cfg(unix)]
mod cli_call_live;
#[cfg(unix)]
mod cli_call_setup;
#[cfg(unix)]
mod cli_completion;
#[cfg(unix)]
mod cli_config;
#[cfg(unix)]
mod cli_config_approve;
#[cfg(unix)]
mod cli_config_audit;
#[cfg(unix)]
mod cli_config_doctor;
#[cfg(unix)]
mod cli_config_home;
#[cfg(unix)]
mod cli_config_import;
#[cfg(unix)]
mod cli_config_rules;
mod cli_connect;
#[cfg(target_os = "linux")]
mod cli_first_starts;
#[cfg(target_os = "linux")]
mod cli_grants;
#[cfg(target_os = "linux")]
mod cli_hostile;
#[cfg(unix)]
mod cli_output;
#[cfg(unix)]
mod cli_secrets;
#[cfg(unix)]
mod cli_settings;
#[cfg(unix)]
mod cli_terminal;
#[cfg(unix)]
mod cli_users;
#[cfg(unix)]
mod cli_verbs;
mod cli_verbs_screen;
#[cfg(unix)]
mod cli_width;
mod command_line;
#[cfg(target_os = "linux")]
mod cone_dialects;
#[cfg(target_os = "linux")]
mod cone_service;
#[cfg(target_os = "linux")]
mod cone_streams;
#[cfg(target_os = "linux")]
mod cone_tools;
#[cfg(unix)]
mod config_projects;
#[cfg(unix)]
mod config_secrets;
mod dialogue;
#[cfg(target_os = "linux")]
mod doc_pages;
#[cfg(target_os = "linux")]
mod doc_pages_blocks;
#[cfg(target_os = "linux")]
mod doc_pages_machine;
#[cfg(target_os = "linux")]
mod durable_calls;
#[cfg(target_os = "linux")]
mod embedded_browser;
#[cfg(unix)]
mod embedded_login;
#[cfg(unix)]
mod embedded_programs;
#[cfg(unix)]
mod embeddings_install;
#[cfg(unix)]
mod every_door;
#[cfg(target_os = "linux")]
mod faults_client;
#[cfg(target_os = "linux")]
mod faults_dying;
#[cfg(target_os = "linux")]
mod faults_http;
#[cfg(target_os = "linux")]
mod faults_noise;
#[cfg(target_os = "linux")]
mod faults_reload;
#[cfg(target_os = "linux")]
mod faults_setup;
#[cfg(target_os = "linux")]
mod files_service;
#[cfg(unix)]
mod front_page;
#[cfg(target_os = "linux")]
mod gateway_bridge;
#[cfg(target_os = "linux")]
mod gateway_consent;
#[cfg(target_os = "linux")]
mod gateway_isolation;
#[cfg(target_os = "linux")]
mod gateway_permissions;
#[cfg(target_os = "linux")]
mod gateway_seed;
#[cfg(target_os = "linux")]
mod gateway_trust;
mod health;
mod interop;
mod lifecycle;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod local_secret;
#[cfg(target_os = "linux")]
mod local_users;
#[cfg(unix)]
mod login;
#[cfg(unix)]
mod login_hostile;
#[cfg(unix)]
mod login_machines;
#[cfg(unix)]
mod login_oidc;
#[cfg(unix)]
mod login_pages;
#[cfg(unix)]
#[path = "../../../hobnob-mcp-auth/tests/it/embedded/person.rs"]
mod login_person;
#[cfg(target_os = "linux")]
mod login_principals;
#[cfg(unix)]
mod login_servers;
mod logs_files;
mod matrix;
mod matrix_home;
mod matrix_ours;
mod matrix_plan;
mod matrix_rmcp;
mod matrix_server;
mod memory_changes;
#[cfg(unix)]
mod memory_cli;
mod memory_client;
#[cfg(unix)]
mod memory_git;
mod memory_merging;
mod memory_native;
mod memory_sampling;
mod memory_secrets;
mod metrics;
#[cfg(target_os = "linux")]
#[path = "../../../hobnob-llm/tests/it/server.rs"]
#[expect(dead_code, reason = "another crate asks the provider itself")]
mod model_server;
#[cfg(target_os = "linux")]
mod native_rpc;
#[cfg(target_os = "linux")]
mod one_page;
#[cfg(target_os = "linux")]
mod org_roles_http;
#[cfg(target_os = "linux")]
mod own_call_questions;
#[cfg(target_os = "linux")]
mod owner_question_paths;
#[cfg(target_os = "linux")]
mod owner_questions;
#[cfg(target_os = "linux")]
mod page_adding;
#[cfg(target_os = "linux")]
mod page_browser;
#[cfg(target_os = "linux")]
mod page_link;
#[cfg(target_os = "linux")]
mod page_live;
#[cfg(target_os = "linux")]
mod page_own_questions;
#[cfg(target_os = "linux")]
mod page_polish;
#[cfg(target_os = "linux")]
mod page_principals;
#[cfg(target_os = "linux")]
mod page_recorder;
#[cfg(target_os = "linux")]
mod page_rules;
mod page_setup;
mod page_users;
mod peers;
#[cfg(target_os = "linux")]
mod pins;
#[cfg(unix)]
mod principal_logs;
#[cfg(target_os = "linux")]
mod principal_notices;
#[cfg(target_os = "linux")]
mod principals_http;
mod profiles;
mod program;
#[cfg(target_os = "linux")]
mod question_origin;
#[cfg(target_os = "linux")]
mod readme;
#[cfg(target_os = "linux")]
mod registry_wine;
#[cfg(target_os = "linux")]
mod replaced_program;
#[cfg(unix)]
#[path = "../../../hobnob-mcp-http/tests/it/request_text.rs"]
mod request_text;
#[cfg(unix)]
mod rule_callers;
mod rules_unmatched;
mod rust_sdk;
#[cfg(target_os = "linux")]
mod sandbox_attack;
mod seed_bossman;
mod seed_subcog;
#[cfg(target_os = "linux")]
mod seed_substrate;
#[cfg(target_os = "linux")]
mod seed_substrate_content;
#[cfg(target_os = "linux")]
mod seed_substrate_http;
#[cfg(target_os = "linux")]
mod seed_substrate_mcp;
#[cfg(target_os = "linux")]
mod seed_substrate_native;
mod seed_wire;
#[cfg(target_os = "linux")]
mod self_reference;
#[cfg(unix)]
#[cfg(target_os = "linux")]
mod server_sandbox;
#[cfg(target_os = "linux")]
mod shell_service;
mod store_missing;
#[cfg(target_os = "linux")]
mod stream_cancel;
mod stream_load;
#[cfg(target_os = "linux")]
mod stream_peers;
mod sysmcp_protocol;
#[cfg(target_os = "linux")]
mod sysmcp_seed;
#[cfg(unix)]
mod tasks_cli;
#[cfg(unix)]
mod tls;
mod tokens;
mod tool_search;
mod tool_search_peers;
#[cfg(unix)]
mod traces_peer;
#[cfg(unix)]
mod trees_cli;
#[cfg(target_os = "linux")]
mod trees_service;
#[cfg(unix)]
mod usage;
#[cfg(unix)]
mod user_roles;
#[cfg(target_os = "linux")]
#[path = "../../../hobnob-machine/tests/it/wine.rs"]
#[expect(dead_code, reason = "another crate looks at the disk too")]
mod wine;
#[cfg(unix)]
mod wire_trace;
