//! `cargo xtask vm`: boots the machine and reads the results of the tests.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::root::{EMULATOR, build_tests, install, kernel, pack};
use crate::process::Companion;
use crate::workspace::Workspace;

/// The arguments of `cargo xtask vm`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// How long the machine may run: an emulated processor is slow.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The ways to delegate a cgroup, under the names in `init.sh`.
const DELEGATIONS: [&str; 2] = ["marked", "container"];

/// The prefix of each line of `init.sh`; the firmware and the kernel print before the first one.
const OWN_LINE: &str = "vm: ";

/// Boots the machine; fails unless all tests pass in it.
pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let folder = workspace.target().join("vm");
    fs::create_dir_all(&folder)?;
    install()?;
    let kernel = kernel(&folder)?;
    let archive = pack(&folder, &build_tests(&workspace)?)?;
    let mut emulator = Command::new(EMULATOR.0);
    emulator
        .args(["-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "2048"])
        .args(["-nographic", "-no-reboot", "-nic", "none"])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(archive)
        .args(["-append", "console=ttyS0 panic=-1 quiet loglevel=3"]);
    eprintln!("\n▶ virtual machine");
    let log = folder.join("console.log");
    let ended = Companion::start(&mut emulator, &log)?.finish(LIMIT);
    let console = String::from_utf8_lossy(&fs::read(&log)?).replace('\r', "");
    let said = console.find(OWN_LINE).map_or("", |start| &console[start..]);
    println!("{said}");
    ended?;
    for way in DELEGATIONS {
        let passed = said.contains(&format!("{OWN_LINE}{way}: passed\n"));
        anyhow::ensure!(passed, "{way}: tests failed, or did not run; see {}", log.display());
    }
    Ok(())
}
