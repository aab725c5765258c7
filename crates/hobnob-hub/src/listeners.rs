//! The addresses at which this user's `hobnob serve --http` processes listen.
//!
//! `serve` announces its address here; `add`, `import` and the gateway check it, so that Hobnob is
//! never configured as one of its own servers.
//!
//! A running process holds a lock on the file with its address; a file without a lock is stale.

use hobnob_config::Places;
use hobnob_disk::{FileMode, make_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// Where `serve --http` listens by default.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:4815";

/// Parses an address as people type it: `HOST:PORT`, a local port, or a host with the default port.
pub fn parse_address(typed: &str) -> Result<SocketAddr, String> {
    let usual: SocketAddr = DEFAULT_ADDRESS.parse().map_err(|_| DEFAULT_ADDRESS.to_owned())?;
    if let Ok(address) = typed.parse() {
        return Ok(address);
    }
    if let Ok(port) = typed.strip_prefix(':').unwrap_or(typed).parse() {
        return Ok(SocketAddr::new(usual.ip(), port));
    }
    let (host, port) = match typed.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, port.parse().ok()),
        _ => (typed, Some(usual.port())),
    };
    let host = match host {
        "localhost" => Some(usual.ip()),
        host => host.trim_matches(['[', ']']).parse().ok(),
    };
    let address = host.zip(port).map(|(host, port)| SocketAddr::new(host, port));
    address.ok_or_else(|| {
        format!("no address; try {DEFAULT_ADDRESS}, a port such as {}, or localhost", usual.port())
    })
}

/// Why an entry with such an address is refused, and what to do instead.
pub const REACHES_OURSELVES: &str = "this is the address of Hobnob itself (see `hobnob serve \
     --http`), so it would list its own tools again and again; start the other Hobnob at another \
     address: hobnob serve --http ADDR";

/// The contents of the file, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Listener {
    address: SocketAddr,
    config_dir: PathBuf,
}

/// An announced address. Dropping it removes the announcement.
pub struct Announced {
    path: PathBuf,
    _lock: File,
}

/// Announces to other commands of this user that this process listens at the address.
pub fn announce(places: &Places, address: SocketAddr) -> io::Result<Announced> {
    announce_in(places, &format!("http-{}.json", std::process::id()), address)
}

/// The same for the listener that this process opens for its page alone.
pub(crate) fn announce_page(places: &Places, address: SocketAddr) -> io::Result<Announced> {
    announce_in(places, &format!("http-{}-page.json", std::process::id()), address)
}

fn announce_in(places: &Places, name: &str, address: SocketAddr) -> io::Result<Announced> {
    make_folder(&places.runtime_dir)?;
    let path = places.runtime_dir.join(name);
    let listener = Listener { address, config_dir: places.config_dir.clone() };
    let text = serde_json::to_vec(&listener)?;
    write_atomic(&path, &text, FileMode::Private)?;
    let lock = File::open(&path)?;
    lock.try_lock().map_err(io::Error::from)?;
    Ok(Announced { path, _lock: lock })
}

impl Drop for Announced {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

/// Whether the URL of a server's entry is the address of a hub with these settings.
pub fn is_own_address(places: &Places, url: &str) -> bool {
    let Some((host, port)) = authority(url) else { return false };
    let on_port: Vec<Listener> =
        listeners(places).into_iter().filter(|it| it.address.port() == port).collect();
    let default = DEFAULT_ADDRESS.parse::<SocketAddr>().ok();
    if on_port.is_empty() {
        return is_this_machine(&host, None) && default.is_some_and(|it| it.port() == port);
    }
    let ours = |it: &Listener| it.config_dir == places.config_dir;
    on_port.iter().any(|it| ours(it) && is_this_machine(&host, Some(it.address.ip())))
}

/// The ports of all hubs of this user that listen now.
pub(crate) fn open_ports(places: &Places) -> Vec<u16> {
    listeners(places).iter().map(|listener| listener.address.port()).collect()
}

/// The listeners of all running hubs of this user.
fn listeners(places: &Places) -> Vec<Listener> {
    let Ok(entries) = fs::read_dir(&places.runtime_dir) else { return Vec::new() };
    let is_listener = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("http-") && name.ends_with(".json")
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_listener);
    paths.filter_map(|path| running(&path)).collect()
}

/// The contents of a hub's file, if the hub is still running.
fn running(path: &Path) -> Option<Listener> {
    let file = File::open(path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => serde_json::from_reader(&file).ok(),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Host and port of an `http` or `https` address.
fn authority(url: &str) -> Option<(String, u16)> {
    let lower = url.to_ascii_lowercase();
    let (rest, usual) = match lower.strip_prefix("http://") {
        Some(rest) => (rest, 80),
        None => (lower.strip_prefix("https://")?, 443),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit('@').next()?;
    let (host, port) = match authority.strip_prefix('[') {
        Some(bracketed) => {
            let (host, rest) = bracketed.split_once(']')?;
            (host, rest.strip_prefix(':'))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = port.map_or(Ok(usual), str::parse).ok()?;
    Some((host.to_owned(), port))
}

/// Whether a host is this machine, for a hub that listens at `at`.
fn is_this_machine(host: &str, at: Option<IpAddr>) -> bool {
    let host = host.trim_end_matches('.');
    if host == "localhost" || host.ends_with(".localhost") {
        return true;
    }
    let Ok(address) = host.parse::<IpAddr>() else { return false };
    address.is_loopback() || address.is_unspecified() || Some(address) == at
}

#[cfg(test)]
mod tests {
    use super::{announce, announce_page, is_own_address, open_ports, parse_address};
    use hobnob_config::Places;
    use std::path::Path;

    fn places(folder: &Path) -> Places {
        let inside = |name: &str| folder.join(name);
        Places {
            home: folder.into(),
            config_dir: inside("config"),
            data_dir: inside("data"),
            state_dir: inside("state"),
            runtime_dir: inside("run"),
            project: folder.into(),
        }
    }

    #[test]
    fn every_spelling_of_a_listeners_address_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        assert!(open_ports(&places).is_empty());
        let announced = announce(&places, "127.0.0.1:4999".parse().unwrap()).unwrap();
        assert_eq!(open_ports(&places), [4999]);
        for url in [
            "http://127.0.0.1:4999/mcp",
            "http://localhost:4999/sse",
            "HTTP://user@LocalHost:4999",
            "http://[::1]:4999/p/x/mcp",
            "http://0.0.0.0:4999/",
            "http://127.0.0.1:4815/mcp",
        ] {
            assert!(is_own_address(&places, url), "{url}");
        }
        for url in ["http://127.0.0.1:5000/mcp", "http://example.com:4999/mcp", "http://[::1", ""] {
            assert!(!is_own_address(&places, url), "{url}");
        }
        let page = announce_page(&places, "127.0.0.1:4998".parse().unwrap()).unwrap();
        let mut open = open_ports(&places);
        open.sort_unstable();
        assert_eq!(open, [4998, 4999], "one process may have both");
        assert!(is_own_address(&places, "http://127.0.0.1:4998/ui"));
        drop(page);
        assert_eq!(open_ports(&places), [4999]);
        let other = Places { config_dir: "/elsewhere".into(), ..places.clone() };
        assert!(!is_own_address(&other, "http://127.0.0.1:4999/mcp"), "another hub may be reached");
        drop(announced);
        assert!(!is_own_address(&places, "http://127.0.0.1:4999/mcp"), "it is gone");
    }

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (typed, expected) in [
            ("127.0.0.1:9000", Some("127.0.0.1:9000")),
            ("[::1]:0", Some("[::1]:0")),
            ("4815", Some("127.0.0.1:4815")),
            (":9000", Some("127.0.0.1:9000")),
            ("localhost", Some("127.0.0.1:4815")),
            ("localhost:9000", Some("127.0.0.1:9000")),
            ("0.0.0.0", Some("0.0.0.0:4815")),
            ("::1", Some("[::1]:4815")),
            ("[::1]", Some("[::1]:4815")),
            ("", None),
            ("70000", None),
            ("localhost:x", None),
            ("example.org", None),
            ("http://localhost:4815", None),
        ] {
            let address = parse_address(typed).ok().map(|address| address.to_string());
            assert_eq!(address.as_deref(), expected, "{typed}");
        }
    }
}
