//! A [`Sandbox`] as Landlock rules, and which version of Landlock the kernel has. A runner calls
//! [`restrict_self`] once; afterwards neither it nor anything it starts can get out again.
//!
//! In a root of its own it is the second wall: the same files are in reach, and no others exist.

use super::spec::{
    LandlockSupport, NetworkAccess, SCRATCH, SYSTEM_PATHS, Sandbox, SandboxLevel, SandboxPath,
};
use super::system_paths::{DEVICES, identity_of, replaced};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::fs::{FileType, fstat};
use std::io;

/// The newest version whose rights we ask for; older kernels give as many of them as they have.
const NEWEST: ABI = ABI::V6;

/// The first version that can refuse everything that changes the contents of a file.
const ALL_WRITES: ABI = ABI::V3;

/// Every version that adds a right we ask for, newest first.
const VERSIONS: [(ABI, u8); 6] =
    [(ABI::V6, 6), (ABI::V5, 5), (ABI::V4, 4), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];

/// Which version of Landlock the kernel has. Asks the kernel and changes nothing.
pub fn landlock_support() -> LandlockSupport {
    let works = |abi: ABI| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let handled = ruleset.handle_access(AccessFs::from_all(abi)).and_then(|ruleset| {
            if AccessNet::from_all(abi).is_empty() {
                Ok(ruleset)
            } else {
                ruleset.handle_access(AccessNet::from_all(abi))
            }
        });
        let scoped = handled.and_then(|ruleset| {
            if Scope::from_all(abi).is_empty() {
                Ok(ruleset)
            } else {
                ruleset.scope(Scope::from_all(abi))
            }
        });
        scoped.and_then(Ruleset::create).is_ok()
    };
    let found = VERSIONS.iter().find(|(abi, _)| works(*abi));
    found.map_or(LandlockSupport::Missing, |(_, version)| LandlockSupport::Version(*version))
}

/// What the kernel must be able to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeededRights {
    /// Nothing: it does what it can.
    None,
    /// All that changes files, cutting them off included: version 3.
    AllWrites,
}

/// Confines this process, and everything it starts from now on. It must have one thread.
pub(super) fn restrict_self(sandbox: &Sandbox, needed: NeededRights) -> io::Result<()> {
    let named = NamedFiles::open(sandbox)?;
    let closed_ports = match &sandbox.network {
        // No socket is left, or none that leads anywhere.
        NetworkAccess::Denied => &[][..],
        NetworkAccess::Host { closed_ports } => closed_ports,
    };
    rules(named, closed_ports, needed).map_err(io::Error::other)
}

/// What the sandbox names, opened and looked at: no path is followed again.
struct NamedFiles {
    read: Vec<PathBeneath<PathFd>>,
    write: Vec<PathBeneath<PathFd>>,
}

impl NamedFiles {
    fn open(sandbox: &Sandbox) -> io::Result<Self> {
        let open = |paths: &[SandboxPath], access: BitFlags<AccessFs>| {
            let rules = paths.iter().map(|path| open_path(path, access));
            rules.filter_map(Result::transpose).collect::<io::Result<Vec<_>>>()
        };
        let mut write = open(&sandbox.write, AccessFs::from_all(NEWEST))?;
        if sandbox.level == SandboxLevel::Full {
            write.extend(open_path(&SandboxPath::unchecked(SCRATCH), AccessFs::from_all(NEWEST))?);
        }
        Ok(Self { read: open(&sandbox.read, AccessFs::from_read(NEWEST))?, write })
    }
}

/// The rule for a path, or none if nothing is there and nothing has to be.
fn open_path(
    SandboxPath { path, identity }: &SandboxPath,
    access: BitFlags<AccessFs>,
) -> io::Result<Option<PathBeneath<PathFd>>> {
    let Ok(file) = PathFd::new(path) else {
        return if identity.is_none() { Ok(None) } else { Err(replaced()) };
    };
    let stat = fstat(&file)?;
    if identity.is_some_and(|identity| identity != identity_of(&stat)) {
        return Err(replaced());
    }
    let access = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => access,
        // The kernel refuses a rule about entries of something that has none.
        _ => access & AccessFs::from_file(NEWEST),
    };
    Ok(Some(PathBeneath::new(file, access)))
}

fn rules(
    named: NamedFiles,
    closed_ports: &[u16],
    needed: NeededRights,
) -> Result<(), RulesetError> {
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let mut ruleset = Ruleset::default();
    if needed == NeededRights::AllWrites {
        ruleset = ruleset
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ALL_WRITES))?;
    }
    if !closed_ports.is_empty() {
        ruleset = ruleset
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessNet::ConnectTcp)?;
    }
    ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?;
    let as_rules = |files: Vec<PathBeneath<PathFd>>| files.into_iter().map(Ok::<_, RulesetError>);
    let mut created = ruleset
        .create()?
        .add_rules(path_beneath_rules(SYSTEM_PATHS, read))?
        .add_rules(path_beneath_rules(["/proc"], read))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(as_rules(named.read))?
        .add_rules(as_rules(named.write))?;
    if !closed_ports.is_empty() {
        // Rules can only allow: every port but those. A ruleset that several starts share, or a layer of
        // its own, would not help much: the kernel copies every rule whenever a layer is added, and that
        // is about half of the time.
        let open = (0..=u16::MAX).filter(|port| !closed_ports.contains(port));
        let rule = |port| Ok::<_, RulesetError>(NetPort::new(port, AccessNet::ConnectTcp));
        created = created.add_rules(open.map(rule))?;
    }
    // Sets "no new privileges" too.
    created.restrict_self().map(|_| ())
}
