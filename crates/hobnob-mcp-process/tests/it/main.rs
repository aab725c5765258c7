//! Real processes, at every level that this machine allows.

#![cfg(test)]
#![cfg(unix)]

mod carrier;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod confined;
mod process;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod runner_cgroup;
#[cfg(target_os = "linux")]
mod runner_limits;
#[cfg(target_os = "linux")]
mod runner_sandbox;
mod supervision;
mod support;
#[cfg(target_os = "linux")]
mod trace;
