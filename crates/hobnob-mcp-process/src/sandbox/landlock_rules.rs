//! Translates a [`Sandbox`] into Landlock rules, and finds the kernel's version of Landlock.
//! [`enter`](super::enter) calls [`restrict_self`] once, in a runner or a supervisor; no process
//! started afterwards can lift the rules.
//!
//! Inside a root of its own it is a second line of defence: the same files, and no others, exist.

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

/// The newest version whose rights we ask for; older kernels grant as many of them as they know.
const NEWEST: ABI = ABI::V6;

/// The first version that can refuse every change of a file's contents.
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

/// The rights that the kernel must be able to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeededRights {
    /// None: older kernels refuse what they can.
    None,
    /// All rights that change files, truncation included: version 3.
    AllWrites,
}

/// Confines this process, and every process it starts from now on. It must have one thread.
pub(super) fn restrict_self(sandbox: &Sandbox, needed: NeededRights) -> io::Result<()> {
    let named = NamedFiles::open(sandbox)?;
    let closed_ports = match &sandbox.network {
        // The sandbox has no socket left, or none that leads anywhere.
        NetworkAccess::Denied => &[][..],
        NetworkAccess::Host { closed_ports } => closed_ports,
    };
    rules(named, closed_ports, needed).map_err(io::Error::other)
}

/// The files that the sandbox names, opened and checked: no path is followed again.
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

/// The rule for a path; `None` if nothing is there and the sandbox does not require it.
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
        // The kernel refuses directory rights in a rule for a file.
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
        // Rules can only allow, so there is one for every other port. Sharing a ruleset among
        // several starts, or a layer of its own, would not help much: the kernel copies every rule
        // whenever a layer is added, which takes about half of the time.
        let open = (0..=u16::MAX).filter(|port| !closed_ports.contains(port));
        let rule = |port| Ok::<_, RulesetError>(NetPort::new(port, AccessNet::ConnectTcp));
        created = created.add_rules(open.map(rule))?;
    }
    // This also sets "no new privileges".
    created.restrict_self().map(|_| ())
}
