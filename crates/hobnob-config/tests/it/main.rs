//! Settings as users write them: files in a temporary folder, read and written through the API.
#![cfg(test)]

mod support;

mod approvals;
mod catalogues;
mod connect;
mod edit;
mod expand;
mod grants;
mod groups;
mod import;
mod places;
mod profile;
mod projects;
mod reload;
mod rules;
mod servers;
mod service_file;
mod settings;
mod small;
