//! This hub's identity. A hub never ends up behind itself, however many other hubs are in between.
//!
//! Every hub has an instance id for its process and a configuration id for its settings. It passes
//! both, and those of all hubs in front of it, to the programs it starts (in a variable) and to the
//! servers it greets and lists (in `_meta`). A hub that finds itself there refuses. Peers are
//! trusted no further.

mod chain;
#[cfg(test)]
mod tests;

use parking_lot::{Mutex, MutexGuard};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hobnob_config::{Digest, OwnProgram, Places, Target};
use hobnob_mcp_types::json::{field, object};

use chain::{Chain, HubId};

/// The variable that tells a server's program which hubs started it.
pub const INSTANCES: &str = "HOBNOB_INSTANCES";

/// The member of `_meta` with the hubs that a request comes through, or the hub that answers.
pub(crate) const HUBS: &str = "dev.hobnob/hubs";

/// Part of every refusal for this reason; [`is_refusal`] recognises it.
pub(crate) const BEHIND_ITSELF: &str = "Hobnob would be behind itself";

/// The most hubs in a row.
const MAX_DEPTH: usize = 8;

/// How long after its last request a hub counts as being in front of this one.
const MAX_CLIENT_AGE: Duration = Duration::from_secs(15 * 60);

/// The most hubs in front of this one that are remembered.
const MAX_CLIENTS: usize = 64;

/// The id of this hub, and the hubs in front of it.
#[derive(Debug)]
pub struct HubIdentity {
    own: HubId,
    program: OwnProgram,
    /// The hubs that started this process.
    ancestors: Chain,
    /// The hubs that sent a request lately, with the depth that each reported.
    clients: Mutex<Vec<Client>>,
}

#[derive(Debug)]
struct Client {
    hub: HubId,
    depth: usize,
    last: Instant,
}

impl HubIdentity {
    /// This process with these settings; `inherited` (the value of [`INSTANCES`]) names the hubs
    /// that started it.
    pub fn new(places: &Places, executable: PathBuf, inherited: Option<&str>) -> Self {
        Self {
            own: HubId {
                instance: format!("{:032x}", fastrand::u128(..)).into(),
                configuration: configuration(places).into(),
            },
            program: OwnProgram::new(executable, places),
            ancestors: Chain::from_variable(inherited.unwrap_or_default()),
            clients: Mutex::default(),
        }
    }

    /// Fails if this process must not start any server: too many hubs started each other already.
    pub fn check_depth(&self) -> Result<(), String> {
        if self.ancestors.depth < MAX_DEPTH {
            return Ok(());
        }
        Err(format!(
            "{MAX_DEPTH} Hobnobs have started each other already, and this would be one more: \
             {BEHIND_ITSELF}; look which of their servers starts `hobnob`"
        ))
    }

    /// Fails if this process must not serve: a hub with the same settings has started it.
    pub fn check_start(&self) -> Result<(), String> {
        self.check_depth()?;
        if self.ancestors.hubs.iter().any(|hub| hub.configuration == self.own.configuration) {
            return Err(format!(
                "{BEHIND_ITSELF}: one of the servers in these settings started this process; \
                 remove that server, or give this Hobnob settings of its own with --config-dir"
            ));
        }
        Ok(())
    }

    /// Whether this target would start this hub again.
    pub(crate) fn is_started_by(&self, target: &Target) -> bool {
        self.program.is_started_by(target)
    }

    /// The environment variable for a program that is started now.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (INSTANCES.into(), self.chain(Instant::now()).to_variable().into())
    }

    /// The `_meta` of a request that this hub sends.
    pub(crate) fn request_meta(&self) -> String {
        object(|meta| {
            meta.raw(HUBS, &self.chain(Instant::now()).to_json());
        })
    }

    /// Checks the `_meta` of a request to this hub. The result goes into the answer to a greeting;
    /// only a hub gets one.
    pub(crate) fn admit(&self, meta: Option<&str>) -> Result<Option<String>, String> {
        self.admit_at(meta, Instant::now())
    }

    fn admit_at(&self, meta: Option<&str>, now: Instant) -> Result<Option<String>, String> {
        let Some(hubs) = meta.and_then(|meta| field(meta, HUBS)) else { return Ok(None) };
        let chain = Chain::from_json(hubs).ok_or("the list of hubs in `_meta` is not valid")?;
        if chain.hubs.iter().any(|hub| self.is_us(hub)) {
            return Err(format!(
                "{BEHIND_ITSELF}: this request comes from one of this Hobnob's own servers; remove \
                 this Hobnob from that server's settings, or that server from this Hobnob's"
            ));
        }
        if chain.depth >= MAX_DEPTH {
            return Err(format!(
                "this request comes through {MAX_DEPTH} Hobnobs already; somewhere among them \
                 {BEHIND_ITSELF}"
            ));
        }
        self.remember(chain, now);
        let own = Chain { hubs: vec![self.own.clone()], depth: 0 };
        Ok(Some(object(|meta| {
            meta.raw(HUBS, &own.to_json());
        })))
    }

    /// Checks the `_meta` of a server's greeting; returns why it must not be used, if so.
    pub(crate) fn recognise(&self, meta: &str) -> Option<String> {
        let server = Chain::from_json(field(meta, HUBS)?)?;
        let clients = self.chain(Instant::now());
        let known = |hub: &HubId| self.is_us(hub) || clients.hubs.iter().any(|it| it == hub);
        server.hubs.iter().any(known).then(|| {
            format!("{BEHIND_ITSELF}: this server is this Hobnob, or one that this one serves")
        })
    }

    /// The instance id of this process, as the status shows it.
    pub(crate) fn instance(&self) -> &str {
        &self.own.instance
    }

    /// Whether `instance` is the id of this process.
    pub(crate) fn has_instance(&self, instance: &str) -> bool {
        *self.own.instance == *instance
    }

    /// The reason to refuse a server whose lists lead back to this hub.
    pub(crate) fn reflected() -> String {
        format!("{BEHIND_ITSELF}: this server passes on what this very Hobnob offers")
    }

    fn is_us(&self, hub: &HubId) -> bool {
        hub.instance == self.own.instance || hub.configuration == self.own.configuration
    }

    fn remember(&self, chain: Chain, now: Instant) {
        let depth = chain.depth;
        let mut clients = self.clients();
        for hub in chain.hubs {
            clients.retain(|client| client.hub != hub);
            clients.push(Client { hub, depth, last: now });
        }
        let excess = clients.len().saturating_sub(MAX_CLIENTS);
        clients.drain(..excess);
    }

    /// This hub and all hubs in front of it.
    fn chain(&self, now: Instant) -> Chain {
        let mut clients = self.clients();
        clients.retain(|client| now.saturating_duration_since(client.last) < MAX_CLIENT_AGE);
        let deepest = clients.iter().map(|client| client.depth).max().unwrap_or(0);
        let mut hubs = vec![self.own.clone()];
        for hub in self.ancestors.hubs.iter().chain(clients.iter().map(|client| &client.hub)) {
            if !hubs.contains(hub) {
                hubs.push(hub.clone());
            }
        }
        Chain { hubs, depth: 1 + deepest.max(self.ancestors.depth) }
    }

    fn clients(&self) -> MutexGuard<'_, Vec<Client>> {
        self.clients.lock()
    }
}

/// Whether a failure is the refusal of a hub that would be behind itself.
pub(crate) fn is_refusal(failure: &str) -> bool {
    failure.contains(BEHIND_ITSELF)
}

/// The folder of the settings as an id: the same for every hub on this machine that reads it,
/// different on another machine whose folder has the same path.
fn configuration(places: &Places) -> String {
    let folder = places.config_dir.canonicalize().unwrap_or_else(|_| places.config_dir.clone());
    let machine = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let inode = inode(&folder);
    let digest = Digest::of_parts([machine.trim(), &inode, &folder.to_string_lossy()]);
    digest.to_string().chars().take(32).collect()
}

#[cfg(unix)]
fn inode(folder: &std::path::Path) -> String {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder)
        .map_or_else(|_| String::new(), |it| format!("{}:{}", it.dev(), it.ino()))
}

#[cfg(not(unix))]
fn inode(_: &std::path::Path) -> String {
    String::new()
}
