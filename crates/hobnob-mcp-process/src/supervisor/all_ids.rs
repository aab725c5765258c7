//! A user namespace for root in which every user and group keeps its number.
//!
//! A process can map only its own number by itself. A process that maps more must stay outside of
//! the namespace: a helper, our own program again, writes the maps and ends.

use super::program::ourselves;
use nix::sched::{CloneFlags, unshare};
use rustix::process::getppid;
use std::fs;
use std::io::{self, Read as _};
use std::process::Stdio;

/// Moves this process, which belongs to root, into the namespace.
pub(super) fn user_namespace() -> io::Result<()> {
    let mut helper = ourselves("map-ids").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // The end of the helper's input tells it that the namespace exists.
    drop(helper.stdin.take());
    if helper.wait()?.success() {
        Ok(())
    } else {
        Err(io::Error::other("users and groups cannot be mapped"))
    }
}

/// The helper's work: maps the ids of its parent, once its input ends.
pub(super) fn map_ids_of_parent() -> io::Result<u8> {
    let parent = getppid().ok_or(io::ErrorKind::NotFound)?;
    let (users, groups) = (own_ids("uid_map")?, own_ids("gid_map")?);
    io::stdin().read_to_end(&mut Vec::new())?;
    fs::write(format!("/proc/{parent}/uid_map"), users)?;
    fs::write(format!("/proc/{parent}/gid_map"), groups)?;
    Ok(0)
}

/// A map of each id that exists here to itself.
fn own_ids(map: &str) -> io::Result<String> {
    let ranges = fs::read_to_string(format!("/proc/self/{map}"))?;
    let lines = ranges.lines().map(|line| {
        let mut numbers = line.split_ascii_whitespace();
        let (first, count) = (numbers.next()?, numbers.nth(1)?);
        Some(format!("{first} {first} {count}\n"))
    });
    lines.collect::<Option<_>>().ok_or_else(|| io::ErrorKind::InvalidData.into())
}
