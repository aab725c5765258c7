//! Installs peers: each has its own folder, its own dependencies, and a stamp once it is complete.
//!
//! A second run finds the stamps and does nothing. Packages are requested by name, so they come
//! from the registries that this machine is configured for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow};

use super::Roster;
use super::manifest::{NODE_MAJOR, Peer, Registry, node_package};
use crate::process::quiet;

/// How long `npm` and `pip` wait for one download before they retry, in seconds.
const TIMEOUT_SECONDS: u32 = 60;

/// Installs missing peers. Fails only if the folder itself cannot be created.
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

/// The system's Node if it is new enough, or one from the registry.
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

/// The program of a Debian package, which is installed if it is missing. There is no stamp, because
/// another machine may use the same folder.
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

/// Package lists may be missing or outdated; a user who is not root may have `sudo`; and another
/// installation may hold the lock.
const INSTALL: &str = "\
    as_root=; test \"$(id -u)\" = 0 || as_root='sudo -n'
    get() { $as_root apt-get -q -o DPkg::Lock::Timeout=300 \"$@\"; }
    get install --yes --no-install-recommends \"$@\" \
        || { get update && get install --yes --no-install-recommends \"$@\"; }";

fn npm(home: &Path, peer: &Peer) -> anyhow::Result<()> {
    // Without a package.json here, npm would install into a parent folder that has one.
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
    let files = fs::read_dir(home)?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_wheel = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "whl");
    let file = files.into_iter().find(is_wheel).context("pip downloaded no wheel")?;
    quiet(python().args(["-m", "zipfile", "-e"]).arg(file).arg(".")).map(drop)
}

fn pip(home: &Path, peer: &Peer) -> anyhow::Result<()> {
    quiet(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(home))?;
    let package = format!("{}=={}", peer.package, peer.version);
    let mut command = Command::new(home.join("venv/bin/python"));
    command
        // Python compiles modules when it imports them; most of a package is never imported.
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"])
        .args(["--timeout", &TIMEOUT_SECONDS.to_string(), &package])
        .args(peer.beside)
        .current_dir(home);
    quiet(&mut command).map(drop)
}
