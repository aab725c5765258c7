//! Having a peer here: its own folder, its own dependencies, a stamp when it is complete.
//!
//! A second run finds the stamps and does nothing. Packages are asked for by name, so whichever
//! registry the machine is set up for serves them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow};

use super::Roster;
use super::manifest::{NODE_MAJOR, Peer, Registry, node_package};
use crate::process::quiet;

/// Seconds that `npm` and `pip` wait for one download before they try again.
const TIMEOUT_SECONDS: u32 = 60;

/// Installs what is not installed yet. Fails only when the folder itself cannot be had.
pub(crate) fn install(folder: &Path, peers: &[Peer]) -> anyhow::Result<Roster> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut roster = Roster::default();
    let node = find_node(folder);
    for peer in peers {
        let usable = match (peer.registry, &node) {
            (Registry::Debian, _) => debian(peer),
            (Registry::Npm, Err(error)) => Err(anyhow!("needs Node {NODE_MAJOR}: {error:#}")),
            _ => obtain(folder, peer),
        };
        match usable {
            Ok(path) => drop(roster.installed.insert(peer.key, path)),
            Err(error) => drop(roster.missing.insert(peer.key, format!("{error:#}"))),
        }
    }
    roster.node = node.ok();
    Ok(roster)
}

/// A system Node that is new enough, or one from the registry.
fn find_node(folder: &Path) -> anyhow::Result<PathBuf> {
    let major = |text: &str| text.trim().strip_prefix('v')?.split('.').next()?.parse::<u32>().ok();
    let system = quiet(Command::new("node").arg("--version")).ok();
    if system.as_deref().and_then(major).is_some_and(|found| NODE_MAJOR <= found) {
        return Ok(PathBuf::from("node"));
    }
    let peer = node_package().context("no Node package is known for this platform")?;
    let home = obtain(folder, &peer)?;
    let program = format!("node{}", std::env::consts::EXE_SUFFIX);
    Ok(home.join("node_modules").join(peer.package).join("bin").join(program))
}

fn obtain(folder: &Path, peer: &Peer) -> anyhow::Result<PathBuf> {
    let home = folder.join(peer.key);
    let stamp = home.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == peer.stamp()) {
        return Ok(home);
    }
    eprintln!("installing {} {} ({:?})", peer.package, peer.version, peer.registry);
    if home.exists() {
        fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    fs::create_dir_all(&home)?;
    match peer.registry {
        Registry::Npm => npm(&home, peer)?,
        Registry::Pypi => pip(&home, peer)?,
        Registry::Wheel => wheel(&home, peer)?,
        Registry::Debian => drop(debian(peer)?),
    }
    fs::write(&stamp, peer.stamp())?;
    Ok(home)
}

/// The program of a package of the system, installed if it is missing. Nothing is stamped: another
/// machine may use the same folder.
pub(crate) fn debian(peer: &Peer) -> anyhow::Result<PathBuf> {
    let program = || quiet(Command::new("which").arg(peer.key));
    if program().is_err() {
        eprintln!("installing {} ({:?})", peer.package, peer.registry);
        let mut install = Command::new("sh");
        install.args(["-c", INSTALL, "install", peer.package]).args(peer.beside);
        quiet(&mut install)?;
    }
    Ok(PathBuf::from(program()?.trim()))
}

/// The lists of packages may be missing or too old; whoever is not root may be allowed to be; and
/// another installation may be under way.
const INSTALL: &str = "\
    as_root=; test \"$(id -u)\" = 0 || as_root='sudo -n'
    get() { $as_root apt-get -q -o DPkg::Lock::Timeout=300 \"$@\"; }
    get install --yes --no-install-recommends \"$@\" \
        || { get update && get install --yes --no-install-recommends \"$@\"; }";

fn npm(home: &Path, peer: &Peer) -> anyhow::Result<()> {
    // Without a package.json of its own, npm would walk up and install into a parent folder.
    fs::write(home.join("package.json"), "{\"private\":true}\n")?;
    let timeout = format!("--fetch-timeout={}", TIMEOUT_SECONDS * 1000);
    let package = format!("{}@{}", peer.package, peer.version);
    let mut command = Command::new("npm");
    command
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"])
        .args([&timeout, &package])
        .args(peer.beside)
        .current_dir(home);
    quiet(&mut command).map(drop)
}

fn wheel(home: &Path, peer: &Peer) -> anyhow::Result<()> {
    quiet(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(home))?;
    let python = || {
        let mut command = Command::new(home.join("venv/bin/python"));
        command.current_dir(home);
        command
    };
    let package = format!("{}=={}", peer.package, peer.version);
    quiet(
        python()
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-deps", "--only-binary", ":all:", "--dest", "."])
            .args(["--timeout", &TIMEOUT_SECONDS.to_string(), &package]),
    )?;
    let file = format!("{}-{}-py3-none-any.whl", peer.package.replace('-', "_"), peer.version);
    quiet(python().args(["-m", "zipfile", "-e", &file, "."])).map(drop)
}

fn pip(home: &Path, peer: &Peer) -> anyhow::Result<()> {
    quiet(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(home))?;
    let package = format!("{}=={}", peer.package, peer.version);
    let mut command = Command::new(home.join("venv/bin/python"));
    command
        // Python compiles what it imports; most of a package never is.
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"])
        .args(["--timeout", &TIMEOUT_SECONDS.to_string(), &package])
        .args(peer.beside)
        .current_dir(home);
    quiet(&mut command).map(drop)
}
