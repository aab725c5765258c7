//! A [`Sandbox`] as Landlock rules, and which version of Landlock the kernel has. A runner calls
//! [`restrict_self`] once; afterwards neither it nor anything it starts can get out again.
//!
//! Mounting is impossible inside, so a runner mounts its `/proc` before.

use crate::sandbox::{FileIdentity, LandlockSupport, NetworkAccess, Sandbox, SandboxPath};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    path_beneath_rules,
};
use rustix::fs::{FileType, fstat};
use std::io;

/// The newest version whose rights we ask for; older kernels give as many of them as they have.
const NEWEST: ABI = ABI::V6;

/// Every version that adds a right we ask for, newest first.
const VERSIONS: [(ABI, u8); 6] =
    [(ABI::V6, 6), (ABI::V5, 5), (ABI::V4, 4), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];

/// Programs, libraries and their settings: to be read and run.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/sys/devices/system/cpu",
];

/// What programs expect to be able to write to, and what harms nobody.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

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

/// Whether the kernel keeps to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enforcement {
    /// As far as its version goes.
    Enforced,
    /// The kernel has no Landlock.
    Missing,
}

/// Confines this process, and everything it starts from now on. It must have one thread.
pub(crate) fn restrict_self(sandbox: &Sandbox) -> io::Result<Enforcement> {
    let named = NamedFiles::open(sandbox)?;
    let status = rules(sandbox.network, named).map_err(io::Error::other)?;
    Ok(match status {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Enforcement::Enforced,
        RulesetStatus::NotEnforced => Enforcement::Missing,
    })
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
            rules.filter_map(Result::transpose).collect::<io::Result<_>>()
        };
        Ok(Self {
            read: open(&sandbox.read, AccessFs::from_read(NEWEST))?,
            write: open(&sandbox.write, AccessFs::from_all(NEWEST))?,
        })
    }
}

/// The rule for a path, or none if nothing is there and nothing has to be.
fn open_path(
    SandboxPath { path, identity }: &SandboxPath,
    access: BitFlags<AccessFs>,
) -> io::Result<Option<PathBeneath<PathFd>>> {
    let replaced = || io::Error::other("a folder is not the one that was granted any more");
    let Ok(file) = PathFd::new(path) else {
        return if identity.is_none() { Ok(None) } else { Err(replaced()) };
    };
    let stat = fstat(&file)?;
    let found = FileIdentity { device: stat.st_dev, inode: stat.st_ino };
    if identity.is_some_and(|identity| identity != found) {
        return Err(replaced());
    }
    let access = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => access,
        // The kernel refuses a rule about entries of something that has none.
        _ => access & AccessFs::from_file(NEWEST),
    };
    Ok(Some(PathBeneath::new(file, access)))
}

fn rules(network: NetworkAccess, named: NamedFiles) -> Result<RulesetStatus, RulesetError> {
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::from_all(NEWEST))?;
    if network == NetworkAccess::Denied {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let as_rules = |files: Vec<PathBeneath<PathFd>>| files.into_iter().map(Ok::<_, RulesetError>);
    let restricted = ruleset
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(["/proc"], read))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(as_rules(named.read))?
        .add_rules(as_rules(named.write))?
        // Sets "no new privileges" too.
        .restrict_self()?;
    Ok(restricted.ruleset)
}
