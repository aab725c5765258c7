//! Turns a server's sandbox settings into the sandbox that its supervisor enters.
//!
//! `launch` asks for each start. Paths are resolved then, because what they lead to may have
//! changed. If something cannot be enforced here, the error says what to do and nothing starts.

use crate::upstream::supervision::SupervisionPolicy;
use hobnob_config::{AcceptedSandbox, Secret, ServerSandbox};
use hobnob_mcp_process::child::{ChildSpec, Supervision};
use hobnob_mcp_process::supervisor::{Level, sandbox_support};
use hobnob_mcp_process::{
    NetworkAccess, SCRATCH, SYSTEM_PATHS, Sandbox, SandboxLevel, SandboxPath, SandboxSupport,
    landlock_support,
};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What this process contributes to the sandboxes of servers.
#[derive(Clone)]
pub struct SandboxOptions {
    /// The folder that `~` stands for in paths.
    pub home: PathBuf,
    /// Hobnob's own folders, which no confined server may see.
    pub own_folders: Vec<PathBuf>,
    /// Returns the TCP ports at which hubs of this user listen now.
    pub own_ports: Arc<dyn Fn() -> Vec<u16> + Send + Sync>,
}

impl fmt::Debug for SandboxOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SandboxOptions").field("home", &self.home).finish_non_exhaustive()
    }
}

/// Builds the sandboxes of servers; detects once what this machine supports.
#[derive(Debug, Clone)]
pub struct SandboxBuilder {
    options: SandboxOptions,
    found: Arc<OnceLock<SandboxSupport>>,
}

impl SandboxBuilder {
    /// A builder that detects the machine's support with the first sandbox.
    pub fn new(options: SandboxOptions) -> Self {
        Self { options, found: Arc::default() }
    }

    /// The sandbox level of this machine, if it was detected already.
    pub(crate) fn known_level(&self) -> Option<SandboxLevel> {
        self.found.get().map(|support| support.level)
    }

    /// Puts a program into its sandbox, or fails if that is impossible. `cwd` is the folder that
    /// its entry names; `supervision` is what the program would have without a sandbox.
    pub(crate) async fn confine(
        &self,
        program: &mut ChildSpec,
        wanted: &ServerSandbox,
        cwd: Option<&Path>,
        supervision: &SupervisionPolicy,
    ) -> Result<(), String> {
        let file = program.find_program().map_err(|error| error.to_string())?;
        let supervisor = supervision.supervisor();
        let level = self.level(wanted.accept, supervisor).await?;
        let network = self.network(wanted.network)?;
        let named = self.named_paths(wanted)?;
        let (read, write) = reachable(&named, &file, self.readable_cwd(cwd));
        let supervised = match level {
            SandboxLevel::Full => Level::Namespace,
            SandboxLevel::Partial | SandboxLevel::Weak => supervision.detect().await,
        };
        if supervised == Level::Group {
            return Err("its sandbox needs a supervisor process, and none can be started here: \
                        `hobnob doctor` says more"
                .into());
        }
        if level == SandboxLevel::Full {
            use_scratch(&mut program.env);
        }
        let sandbox = Box::new(Sandbox { level, read, write, network });
        let supervisor = supervisor.to_owned();
        program.supervision =
            Supervision::Confined { program: supervisor, level: supervised, sandbox };
        Ok(())
    }

    async fn level(
        &self,
        accept: AcceptedSandbox,
        supervisor: &Path,
    ) -> Result<SandboxLevel, String> {
        let (needed, accepted) = match accept {
            AcceptedSandbox::Full => (SandboxLevel::Full, "partial"),
            AcceptedSandbox::Partial => (SandboxLevel::Partial, "any"),
            AcceptedSandbox::Any => (SandboxLevel::Weak, "any"),
        };
        let (supervisor, found) = (supervisor.to_owned(), Arc::clone(&self.found));
        let finding = tokio::task::spawn_blocking(move || {
            found.get_or_init(|| sandbox_support(&supervisor)).clone()
        });
        let nothing = SandboxSupport { level: SandboxLevel::Weak, obstacle: None };
        let SandboxSupport { level, obstacle } = finding.await.unwrap_or(nothing);
        if needed <= level {
            return Ok(level);
        }
        let why = obstacle.map_or_else(String::new, |why| format!(" ({why})"));
        Err(format!(
            "its sandbox must be of level `{needed}`, and this machine has only `{level}`{why}: \
             `hobnob doctor` says more; to start it with less, write accept = \"{accepted}\" in its \
             `sandbox`"
        ))
    }

    /// The machine's network without the ports that lead back into a hub.
    fn network(&self, wanted: bool) -> Result<NetworkAccess, String> {
        if !wanted {
            return Ok(NetworkAccess::Denied);
        }
        let mut closed_ports = (self.options.own_ports)();
        closed_ports.sort_unstable();
        closed_ports.dedup();
        if !closed_ports.is_empty() && !landlock_support().closes_ports() {
            return Err("its sandbox has the network, and this kernel cannot keep it away from \
                        Hobnob's own address (that needs Linux 6.7): stop `hobnob serve --http`, or \
                        write network = false in its `sandbox`"
                .into());
        }
        Ok(NetworkAccess::Host { closed_ports })
    }

    /// Resolves every path that the settings name.
    fn named_paths(&self, wanted: &ServerSandbox) -> Result<Vec<NamedPath>, String> {
        let mut named = Vec::new();
        let lists = [("read", &wanted.read, Access::Read), ("write", &wanted.write, Access::Write)];
        for (member, paths, access) in lists {
            for (at, path) in paths.iter().enumerate() {
                let one = self.named_path(path, access);
                named.push(one.map_err(|why| {
                    format!("`sandbox.{member}[{at}]` (`{}`) {why}", path.written())
                })?);
            }
        }
        let inner = named.iter().find_map(|inner| {
            let outer =
                named.iter().find(|outer| outer.access == Access::Write && inner.is_inside(outer));
            outer.map(|outer| (inner, outer))
        });
        match inner {
            // It could put a link there that leads anywhere, and the next start would follow it.
            Some((inner, outer)) => Err(format!(
                "`sandbox` names `{}`, which is inside `{}`, where the server can replace it: \
                 remove it from `sandbox`",
                inner.path.display(),
                outer.path.display()
            )),
            None => Ok(named),
        }
    }

    fn named_path(&self, written: &Secret, access: Access) -> Result<NamedPath, String> {
        let path = ServerSandbox::path(&self.options.home, written);
        let target = path.canonicalize().map_err(|error| {
            format!("cannot be used: {error}; create it, or remove it from `sandbox`")
        })?;
        if let Some(own) = self.own_folder_at(&target) {
            return Err(format!(
                "holds files of Hobnob itself (`{}`): name the files and folders beside them that \
                 the server needs",
                own.display()
            ));
        }
        Ok(NamedPath { path, target, access })
    }

    /// The folder of Hobnob that contains this path or is inside it.
    fn own_folder_at(&self, path: &Path) -> Option<PathBuf> {
        let own = self.options.own_folders.iter();
        let mut own = own.map(|own| own.canonicalize().unwrap_or_else(|_| own.clone()));
        own.find(|own| own.starts_with(path) || path.starts_with(own))
    }

    /// The folder that an entry names for its program, unless it contains the whole home: an entry
    /// that names it does not mean to give all of that away.
    fn readable_cwd<'a>(&self, cwd: Option<&'a Path>) -> Option<&'a Path> {
        cwd.filter(|cwd| {
            let target = cwd.canonicalize().unwrap_or_default();
            !self.options.home.starts_with(&target) && self.own_folder_at(&target).is_none()
        })
    }
}

/// What a server may do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// A path in the settings, and the file or folder that it leads to.
#[derive(Debug)]
struct NamedPath {
    path: PathBuf,
    target: PathBuf,
    access: Access,
}

impl NamedPath {
    fn is_inside(&self, outer: &Self) -> bool {
        let inside = |inner: &Path, outer: &Path| inner != outer && inner.starts_with(outer);
        inside(&self.path, &outer.path) || inside(&self.target, &outer.target)
    }
}

/// The paths that the sandbox exposes: each target and, if a link led to it, the path of the link.
fn reachable(
    named: &[NamedPath],
    program: &Path,
    cwd: Option<&Path>,
) -> (Vec<SandboxPath>, Vec<SandboxPath>) {
    let (mut read, mut write) = (Vec::new(), Vec::new());
    // Links inside an exposed folder are exposed already.
    let is_there = |path: &Path| {
        let beneath = |folder: &Path| path != folder && path.starts_with(folder);
        named.iter().any(|it| beneath(&it.target))
            || SYSTEM_PATHS.iter().any(|it| beneath(Path::new(it)))
    };
    for NamedPath { path, target, access } in named {
        let paths = match access {
            Access::Read => &mut read,
            Access::Write => &mut write,
        };
        paths.push(SandboxPath::unchecked(target));
        if path != target && !is_there(path) {
            paths.push(SandboxPath::unchecked(path));
        }
    }
    // A writable folder's contents are exposed already; following them could lead out.
    let is_writable = |path: &Path| {
        named.iter().any(|it| {
            it.access == Access::Write
                && (path.starts_with(&it.path) || path.starts_with(&it.target))
        })
    };
    for path in [Some(program), cwd].into_iter().flatten() {
        let Ok(target) = path.canonicalize() else { continue };
        if is_writable(path) || is_writable(&target) {
            continue;
        }
        if path != target && !is_there(path) {
            read.push(SandboxPath::unchecked(path));
        }
        read.push(SandboxPath::unchecked(target));
    }
    (read, write)
}

/// Sends temporary files to the sandbox's own folder; one that the entry names stays.
fn use_scratch(environment: &mut [(OsString, OsString)]) {
    for (name, value) in environment {
        let is_ours = std::env::var_os(&name).is_some_and(|ours| ours == *value);
        if is_ours && (name == "TMPDIR" || name == "TEMP") {
            *value = SCRATCH.into();
        }
    }
}

#[cfg(test)]
mod tests;
