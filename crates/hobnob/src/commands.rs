//! The commands, one file each: `run` takes the options and the global context.
//!
//! `main` calls them. Code that several commands share is in `scope`, `service`, `switch`,
//! `granting`, `change_log`, `service_access`, `own_program`, `held_back`, `known_tools`,
//! `client_words`, `bar`, `browser` and `tool_cost`.

pub(crate) mod add;
pub(crate) mod answer;
pub(crate) mod approve;
pub(crate) mod approve_login;
pub(crate) mod audit;
pub(crate) mod backup;
mod bar;
mod browser;
pub(crate) mod call;
pub(crate) mod chat;
mod chat_folder;
mod client_words;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod disable;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod embeddings;
pub(crate) mod enable;
pub(crate) mod grant;
mod granting;
pub(crate) mod grants;
mod held_back;
pub(crate) mod hubs;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod logs;
pub(crate) mod man_pages;
pub(crate) mod memory;
mod person;
pub(crate) mod profiles;
pub(crate) mod prompt;
pub(crate) mod prompts;
pub(crate) mod questions;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod resources;
pub(crate) mod restart;
pub(crate) mod restore;
pub(crate) mod revoke;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod scope;
mod scope_names;
pub(crate) mod serve;
mod service;
mod service_access;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod switch;
pub(crate) mod system_service;
pub(crate) mod tasks;
pub(crate) mod token;
mod tool_cost;
mod tool_ranking;
pub(crate) mod tools;
pub(crate) mod trees;
pub(crate) mod ui;
pub(crate) mod usage;
pub(crate) mod user;
pub(crate) mod watch;

use bar::bytes_bar;
