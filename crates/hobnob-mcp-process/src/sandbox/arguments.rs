//! Encodes a [`Sandbox`] as arguments of a process and decodes it, so that the supervisor of a
//! confined server knows which sandbox to enter.
//!
//! Names of files are bytes, so each has an argument of its own. `--` ends the list.

use super::spec::{FileIdentity, NetworkAccess, Sandbox, SandboxLevel, SandboxPath};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

const END: &str = "--";
const NO_NETWORK: &str = "no-network";
const NETWORK: &str = "network";

/// The arguments that describe the sandbox, with `--` at the end.
pub(crate) fn to_arguments(sandbox: &Sandbox) -> Vec<OsString> {
    let network = match &sandbox.network {
        NetworkAccess::Denied => NO_NETWORK.to_owned(),
        NetworkAccess::Host { closed_ports } => {
            let ports = closed_ports.iter().map(|port| format!(":{port}"));
            std::iter::once(NETWORK.to_owned()).chain(ports).collect()
        }
    };
    let mut arguments = vec![sandbox.level.name().into(), network.into()];
    for (word, paths) in [("read", &sandbox.read), ("write", &sandbox.write)] {
        for SandboxPath { path, identity } in paths {
            let kind = match identity {
                None => word.to_owned(),
                Some(FileIdentity { device, inode }) => format!("{word}:{device}:{inode}"),
            };
            arguments.extend([kind.into(), path.into()]);
        }
    }
    arguments.push(END.into());
    arguments
}

/// Takes the arguments of a sandbox from the front of the list.
pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> io::Result<Sandbox> {
    let mut next = || arguments.next().ok_or_else(malformed);
    let word = |argument: OsString| argument.into_string().map_err(|_| malformed());
    let level = word(next()?)?;
    let level = SandboxLevel::ALL.into_iter().find(|it| it.name() == level);
    let network = network(&word(next()?)?)?;
    let mut sandbox = Sandbox {
        level: level.ok_or_else(malformed)?,
        read: Vec::new(),
        write: Vec::new(),
        network,
    };
    loop {
        let kind = word(next()?)?;
        if kind == END {
            return Ok(sandbox);
        }
        let path = PathBuf::from(next()?);
        let mut parts = kind.split(':');
        let paths = match parts.next() {
            Some("read") => &mut sandbox.read,
            Some("write") => &mut sandbox.write,
            _ => return Err(malformed()),
        };
        let mut numbers = parts.map(|part| part.parse::<u64>().map_err(|_| malformed()));
        let identity = match (numbers.next(), numbers.next()) {
            (None, _) => None,
            (Some(device), Some(inode)) => Some(FileIdentity { device: device?, inode: inode? }),
            (Some(_), None) => return Err(malformed()),
        };
        paths.push(SandboxPath { path, identity });
    }
}

fn network(word: &str) -> io::Result<NetworkAccess> {
    let mut parts = word.split(':');
    match parts.next() {
        Some(NO_NETWORK) => Ok(NetworkAccess::Denied),
        Some(NETWORK) => {
            let closed_ports = parts.map(str::parse).collect::<Result<_, _>>();
            Ok(NetworkAccess::Host { closed_ports: closed_ports.map_err(|_| malformed())? })
        }
        _ => Err(malformed()),
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the arguments are not those of a sandbox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_survives_the_way_through_arguments() {
        let identity = Some(FileIdentity { device: 7, inode: u64::MAX });
        let read =
            vec![SandboxPath::unchecked("/a b:c"), SandboxPath { path: "/--".into(), identity }];
        let write = vec![SandboxPath::unchecked("--")];
        for level in SandboxLevel::ALL {
            for network in [
                NetworkAccess::Denied,
                NetworkAccess::Host { closed_ports: vec![] },
                NetworkAccess::Host { closed_ports: vec![80, 65535] },
            ] {
                let sandbox = Sandbox { level, read: read.clone(), write: write.clone(), network };
                let mut arguments = to_arguments(&sandbox);
                arguments.push("program".into());
                let mut rest = arguments.into_iter();
                assert_eq!(from_arguments(&mut rest).unwrap(), sandbox);
                assert_eq!(rest.next().unwrap(), "program");
            }
        }
        for words in [
            &["full"][..],
            &["best", "network", "--"],
            &["full", "network:x", "--"],
            &["full", "network", "run", "/a", "--"],
            &["full", "network", "read:1", "/a", "--"],
            &["full", "network", "read", "/a"],
        ] {
            let arguments = words.iter().map(OsString::from);
            assert!(from_arguments(arguments).is_err(), "{words:?}");
        }
    }
}
