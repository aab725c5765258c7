//! A PID namespace around the program, with two processes: one outside that waits, and one inside
//! that is the namespace's init. [`run`](super::run) calls both, each in a process of its own.
//! Runners and the probe make their namespaces with the same steps, `enter` and `settle`.
//!
//! When the init ends, the kernel ends everything else in the namespace. The whole guarantee rests
//! on that, so the init must never outlive the process outside.

use super::level::CONFINED;
use super::program::{KILLED, SupervisedProgram, ourselves, report, start};
use super::watch::{ChildWatcher, Ending};
use super::{all_ids, subreaper};
use crate::sandbox::to_arguments;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::process::{Signal, getgid, getuid, kill_process, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    set_capabilities,
};
use std::fs;
use std::io;
use std::time::Duration;

/// The `/proc` that the program sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proc {
    /// The `/proc` of the namespace.
    Fresh,
    /// Our `/proc`, where the system does not let us mount another.
    Inherited,
}

/// The rights with which the init of a namespace starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InitRights {
    /// No special rights; it sees this `/proc`.
    Open(Proc),
    /// All rights that it needs to build a root of its own.
    BuildsRoot,
}

/// The process outside: makes the namespace, starts its init, and exits as the init does.
///
/// It sets no parent-death signal for itself: the signal would come when the *thread* that started
/// it ends, which says nothing about the process. The lifeline does.
pub(super) fn outside(mut watcher: ChildWatcher, program: SupervisedProgram) -> io::Result<u8> {
    let entered = match program.has_own_root() {
        // Without a namespace there is no such root, and no weaker supervision may replace it.
        true => enter_confined().map(|()| "init-confined"),
        false => enter().map(|proc| if proc == Proc::Fresh { "init-proc" } else { "init" }),
    };
    let role = match entered {
        Ok(role) => role,
        Err(error) if program.has_own_root() => return Err(error),
        Err(error) => {
            // This can happen when a limit is reached; the fallback needs no permission.
            report(&format!("no PID namespace ({error}): a supervisor process takes its place"));
            return subreaper::supervise(watcher, program);
        }
    };
    let mut command = match &program.sandbox {
        None => ourselves(role),
        Some(_) => ourselves(CONFINED),
    };
    if let Some(sandbox) = &program.sandbox {
        command.args([role, &program.lifeline.number()]).args(to_arguments(sandbox));
    } else {
        command.arg(program.lifeline.number());
    }
    command.arg(&program.program).args(&program.arguments);
    let init = match start(&mut watcher, &mut command, &program.program)? {
        Ok(init) => init,
        Err(code) => return Ok(code),
    };
    program.lifeline.seal()?;
    match watcher.until_end(init, &program.lifeline)? {
        Ending::Exited(code) => Ok(code),
        Ending::Released => {
            // The init has seen the end of the lifeline too; this is for the case that it hangs.
            let _ = kill_process(init, Signal::KILL);
            while rustix::process::test_kill_process(init).is_ok() {
                watcher.pause(Duration::from_millis(100));
            }
            Ok(KILLED)
        }
    }
}

/// The init of the namespace: starts the program, and ends everything else when it ends itself.
pub(super) fn init(
    mut watcher: ChildWatcher,
    program: SupervisedProgram,
    rights: InitRights,
) -> io::Result<u8> {
    match rights {
        InitRights::Open(proc) => settle(proc)?,
        InitRights::BuildsRoot => settle_confined()?,
    }
    program.lifeline.seal()?;
    if let Err(code) = program.confine()? {
        return Ok(code);
    }
    let pid = match start(&mut watcher, &mut program.command(), &program.program)? {
        Ok(pid) => pid,
        Err(code) => return Ok(code),
    };
    Ok(match watcher.until_end(pid, &program.lifeline)? {
        Ending::Exited(code) => code,
        Ending::Released => KILLED,
    })
}

/// The first steps of a namespace's init: its own `/proc`, no rights, the same end as its parent.
pub(crate) fn settle(proc: Proc) -> io::Result<()> {
    if proc == Proc::Fresh {
        // Containers often forbid it. The program then only sees the processes outside.
        let _refused = mount_proc();
        drop_capabilities()?;
    }
    end_with_parent()
}

/// The first steps of an init that will build a sandbox, and therefore keeps its rights.
pub(crate) fn settle_confined() -> io::Result<()> {
    end_with_parent()?;
    mount_proc()
}

fn mount_proc() -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    Ok(mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>)?)
}

/// Arranges that this process ends with its parent.
fn end_with_parent() -> io::Result<()> {
    // The parent has one thread, so the signal comes when the process ends. If it ended before this
    // call, the lifeline ends soon, because our owner lets go of it.
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Makes sure that the program gets no right that its user does not have.
fn drop_capabilities() -> io::Result<()> {
    if !getuid().is_root() {
        clear_ambient_capability_set()?;
        let mut sets = capabilities(None)?;
        sets.inheritable.remove(CapabilitySet::SYS_ADMIN);
        set_capabilities(None, sets)?;
    }
    Ok(())
}

/// Children of this process will be in a namespace of their own.
pub(crate) fn enter() -> io::Result<Proc> {
    if getuid().is_root() {
        unshare(CloneFlags::CLONE_NEWPID)?;
    } else {
        user_namespace(CloneFlags::CLONE_NEWPID)?;
    }
    Ok(own_mounts(CapabilitySet::SYS_ADMIN).map_or(Proc::Inherited, |()| Proc::Fresh))
}

/// Like [`enter`], but the first process has the rights to build a sandbox, and no capability
/// outside of its namespace, not even those of root.
pub(crate) fn enter_confined() -> io::Result<()> {
    let flags = CloneFlags::CLONE_NEWPID;
    if getuid().is_root() {
        all_ids::user_namespace()?;
        unshare(flags)?;
    } else {
        user_namespace(flags)?;
    }
    own_mounts(CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN)
}

/// An ordinary user needs a user namespace too, in which the user and the group keep their numbers.
fn user_namespace(others: CloneFlags) -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | others)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok(())
}

/// Makes a mount namespace that follows the outside but does not change it. An ordinary user's init
/// inherits `needed`: only the init can mount the namespace's own `/proc`.
fn own_mounts(needed: CapabilitySet) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let slave = MsFlags::MS_REC | MsFlags::MS_SLAVE;
    // Without this, a new /proc would appear outside too.
    mount(None::<&str>, "/", None::<&str>, slave, None::<&str>)?;
    if !getuid().is_root() {
        let mut sets = capabilities(None)?;
        sets.inheritable |= needed;
        set_capabilities(None, sets)?;
        for capability in needed.iter() {
            configure_capability_in_ambient_set(capability, true)?;
        }
    }
    Ok(())
}
