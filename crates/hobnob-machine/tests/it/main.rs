//! Tests of the file effects on real files in temporary folders, and of registries.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod deleting;
mod escapes;
mod fuzzed_paths;
mod granted;
mod logs_files;
mod logs_granted;
mod logs_hostile;
mod logs_system;
mod path_resolver;
mod performing;
mod permitted;
mod races;
mod reading;
mod registry;
mod resolver_model;
mod search_oracle;
mod searching;
mod watching;
mod wine;
mod working_folders;
mod writing;
