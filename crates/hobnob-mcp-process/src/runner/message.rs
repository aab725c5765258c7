//! The messages between Hobnob and a runner over their socket: length-prefixed frames.
//!
//! [`exchange`](super::exchange) and [`serve`](super::serve) send and receive them. Names of files
//! and variables are bytes, not text, so a text format would not do. A frame that cannot be decoded
//! ends the runner: both sides are the same program.

use super::spec::{CommandEnd, CommandReport, RunnerSpec};
use super::user_tasks::user_tasks;
use crate::limits::{LimitKind, ProcessLimits};
use crate::sandbox::{FileIdentity, NetworkAccess, Sandbox, SandboxLevel, SandboxPath};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of the length before each frame.
pub(super) const HEAD: usize = 4;
/// More than the system accepts as arguments and environment of one program.
pub(super) const MAX_FRAME_BYTES: usize = 8 << 20;

/// The first message to a runner: how it must restrict itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Preparation {
    pub(super) limits: ProcessLimits,
    /// How many tasks the user has now, on the whole machine.
    pub(super) user_tasks: u64,
    pub(super) sandbox: Option<Sandbox>,
    /// The folder of the cgroup that the runner moves into, if there is one.
    pub(super) cgroup: Option<PathBuf>,
}

impl Preparation {
    pub(super) fn new(spec: &RunnerSpec, cgroup: Option<&Path>) -> Self {
        let (limits, sandbox) = (spec.limits, spec.sandbox.clone());
        Self { limits, user_tasks: user_tasks(), sandbox, cgroup: cgroup.map(Path::to_owned) }
    }
}

/// One command. Its descriptors come with the frame: output, errors, its folder unless it starts in
/// its scratch space, and its input if it has one.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub(super) starts_in: StartsIn,
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// Where a command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartsIn {
    /// In the folder whose descriptor comes with the frame.
    Folder,
    /// In the scratch space of its runner's root.
    Scratch,
}

/// A message from Hobnob to a runner.
pub(super) enum ToRunner {
    Prepare(Preparation),
    Start(CommandLine),
    /// A signal for the process group of the command.
    Signal(i32),
    /// End the command and everything it has started.
    Kill,
}

/// A message from a runner to Hobnob, in the order of a command's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FromRunner {
    /// The runner has restricted itself.
    Ready(SandboxState, CgroupState),
    /// The runner cannot restrict itself as requested, and will end.
    Refused(String),
    /// The command runs. Not sent for a command that ends at once.
    Started,
    /// The command cannot be run; the number is the system's error.
    Failed(i32),
    /// The command and everything it has started are gone.
    Ended(CommandReport, Afterwards),
}

/// What a runner does after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It waits for another command: nothing of the last one is left.
    Waits,
    /// It ends, and with it all processes that are left in its namespace.
    Ends,
}

/// Whether a runner is in the cgroup that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CgroupState {
    /// It was given none, or could not enter it.
    Outside,
    Inside,
}

/// Whether a command is in the sandbox that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxState {
    /// The caller asked for no sandbox.
    NotAsked,
    /// The command is inside a sandbox of this level.
    On(SandboxLevel),
}

impl ToRunner {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut frame = FrameWriter::new();
        match self {
            Self::Prepare(preparation) => {
                frame.number(0);
                frame.preparation(preparation);
            }
            Self::Start(command) => return encode_start(command),
            Self::Signal(signal) => {
                frame.number(2);
                frame.number((*signal).cast_unsigned().into());
            }
            Self::Kill => frame.number(3),
        }
        frame.finish()
    }

    pub(super) fn decode(frame: &[u8]) -> io::Result<Self> {
        let mut frame = FrameReader(frame);
        Ok(match frame.number()? {
            0 => Self::Prepare(frame.preparation()?),
            1 => {
                let starts_in = match frame.number()? {
                    0 => StartsIn::Folder,
                    1 => StartsIn::Scratch,
                    _ => return Err(malformed()),
                };
                let program = frame.name()?;
                let arguments = frame.list()?;
                let names = frame.list()?;
                let environment = names.into_iter().zip(frame.list()?).collect();
                Self::Start(CommandLine { starts_in, program, arguments, environment })
            }
            2 => Self::Signal(frame.small()?),
            3 => Self::Kill,
            _ => return Err(malformed()),
        })
    }
}

/// The frame [`ToRunner::Start`] for a borrowed command.
pub(super) fn encode_start(command: &CommandLine) -> Vec<u8> {
    let mut frame = FrameWriter::new();
    frame.number(1);
    frame.number(match command.starts_in {
        StartsIn::Folder => 0,
        StartsIn::Scratch => 1,
    });
    frame.bytes(command.program.as_bytes());
    frame.list(command.arguments.iter().map(|it| it.as_bytes()));
    frame.list(command.environment.iter().map(|(name, _)| name.as_bytes()));
    frame.list(command.environment.iter().map(|(_, value)| value.as_bytes()));
    frame.finish()
}

impl FromRunner {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut frame = FrameWriter::new();
        match self {
            Self::Ready(state, cgroup) => {
                frame.number(0);
                frame.number(match cgroup {
                    CgroupState::Outside => 0,
                    CgroupState::Inside => 1,
                });
                match state {
                    SandboxState::NotAsked => frame.number(0),
                    SandboxState::On(level) => {
                        frame.number(1);
                        frame.level(*level);
                    }
                }
            }
            Self::Refused(why) => {
                frame.number(1);
                frame.bytes(why.as_bytes());
            }
            Self::Started => frame.number(2),
            Self::Failed(error) => {
                frame.number(3);
                frame.number((*error).cast_unsigned().into());
            }
            Self::Ended(report, afterwards) => {
                frame.number(4);
                frame.number(match afterwards {
                    Afterwards::Waits => 0,
                    Afterwards::Ends => 1,
                });
                frame.report(report);
            }
        }
        frame.finish()
    }

    pub(super) fn decode(frame: &[u8]) -> io::Result<Self> {
        let mut frame = FrameReader(frame);
        Ok(match frame.number()? {
            0 => {
                let cgroup = match frame.number()? {
                    0 => CgroupState::Outside,
                    _ => CgroupState::Inside,
                };
                let sandbox = match frame.number()? {
                    0 => SandboxState::NotAsked,
                    1 => SandboxState::On(frame.level()?),
                    _ => return Err(malformed()),
                };
                Self::Ready(sandbox, cgroup)
            }
            1 => Self::Refused(frame.name()?.to_string_lossy().into_owned()),
            2 => Self::Started,
            3 => Self::Failed(frame.small()?),
            4 => {
                let afterwards = match frame.number()? {
                    0 => Afterwards::Waits,
                    _ => Afterwards::Ends,
                };
                Self::Ended(frame.report()?, afterwards)
            }
            _ => return Err(malformed()),
        })
    }
}

/// The length of the frame after this head.
pub(super) fn length(head: [u8; HEAD]) -> io::Result<usize> {
    let length = usize::try_from(u32::from_le_bytes(head)).map_err(|_| malformed())?;
    if MAX_FRAME_BYTES < length { Err(malformed()) } else { Ok(length) }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a frame between Hobnob and a runner is malformed")
}

/// Writes a frame from front to back, after a placeholder for its length.
struct FrameWriter(Vec<u8>);

impl FrameWriter {
    fn new() -> Self {
        Self(vec![0; HEAD])
    }

    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.number(items.len() as u64);
        items.for_each(|item| self.bytes(item));
    }

    fn preparation(&mut self, preparation: &Preparation) {
        let ProcessLimits { memory, processes, cpu, descriptors } = preparation.limits;
        let cpu = u64::try_from(cpu.as_millis()).unwrap_or(u64::MAX);
        for number in [memory, processes.into(), cpu, descriptors, preparation.user_tasks] {
            self.number(number);
        }
        self.list(preparation.cgroup.iter().map(|it| it.as_os_str().as_bytes()));
        let Some(sandbox) = &preparation.sandbox else { return self.number(0) };
        self.number(1);
        self.level(sandbox.level);
        match &sandbox.network {
            NetworkAccess::Denied => self.number(0),
            NetworkAccess::Host { closed_ports } => {
                self.number(1);
                self.number(closed_ports.len() as u64);
                closed_ports.iter().for_each(|port| self.number((*port).into()));
            }
        }
        for paths in [&sandbox.read, &sandbox.write] {
            self.sandbox_paths(paths);
        }
    }

    fn level(&mut self, level: SandboxLevel) {
        self.number(match level {
            SandboxLevel::Weak => 0,
            SandboxLevel::Partial => 1,
            SandboxLevel::Full => 2,
        });
    }

    fn sandbox_paths(&mut self, paths: &[SandboxPath]) {
        self.list(paths.iter().map(|it| it.path.as_os_str().as_bytes()));
        for SandboxPath { identity, .. } in paths {
            let numbers = identity.map_or([0; 3], |it| [1, it.device, it.inode]);
            numbers.into_iter().for_each(|number| self.number(number));
        }
    }

    fn report(&mut self, report: &CommandReport) {
        let (kind, value) = match report.end {
            CommandEnd::Code(code) => (0, code.cast_unsigned().into()),
            CommandEnd::Signal(signal) => (1, signal.cast_unsigned().into()),
            CommandEnd::Limit(LimitKind::Memory) => (2, 0),
            CommandEnd::Limit(LimitKind::Processes) => (2, 1),
            CommandEnd::Limit(LimitKind::Cpu) => (2, 2),
            CommandEnd::Killed => (3, 0),
        };
        let cpu = u64::try_from(report.cpu.as_micros()).unwrap_or(u64::MAX);
        let (known, peak) = report.peak_memory.map_or((0, 0), |peak| (1, peak));
        for number in [kind, value, cpu, known, peak] {
            self.number(number);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        // The receiver checks the length, so a frame that is too long is refused there.
        let length = u32::try_from(self.0.len() - HEAD).unwrap_or(u32::MAX);
        self.0[..HEAD].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// Reads a frame without its head, from front to back.
struct FrameReader<'a>(&'a [u8]);

impl FrameReader<'_> {
    fn number(&mut self) -> io::Result<u64> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    fn small(&mut self) -> io::Result<i32> {
        let number = u32::try_from(self.number()?).map_err(|_| malformed())?;
        Ok(number.cast_signed())
    }

    fn name(&mut self) -> io::Result<OsString> {
        let length = usize::try_from(self.number()?).map_err(|_| malformed())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(OsStr::from_bytes(bytes).to_os_string())
    }

    fn list(&mut self) -> io::Result<Vec<OsString>> {
        let count = self.number()?;
        (0..count).map(|_| self.name()).collect()
    }

    fn sandbox_paths(&mut self) -> io::Result<Vec<SandboxPath>> {
        let names = self.list()?;
        let read = |name: OsString| {
            let (is_known, device, inode) = (self.number()?, self.number()?, self.number()?);
            let identity = (is_known != 0).then_some(FileIdentity { device, inode });
            Ok(SandboxPath { path: name.into(), identity })
        };
        names.into_iter().map(read).collect()
    }

    fn preparation(&mut self) -> io::Result<Preparation> {
        let memory = self.number()?;
        let processes = u32::try_from(self.number()?).map_err(|_| malformed())?;
        let cpu = Duration::from_millis(self.number()?);
        let limits = ProcessLimits { memory, processes, cpu, descriptors: self.number()? };
        let user_tasks = self.number()?;
        let cgroup = self.list()?.pop().map(PathBuf::from);
        let sandbox = match self.number()? {
            0 => None,
            _ => Some(self.sandbox()?),
        };
        Ok(Preparation { limits, user_tasks, sandbox, cgroup })
    }

    fn level(&mut self) -> io::Result<SandboxLevel> {
        Ok(match self.number()? {
            0 => SandboxLevel::Weak,
            1 => SandboxLevel::Partial,
            2 => SandboxLevel::Full,
            _ => return Err(malformed()),
        })
    }

    fn sandbox(&mut self) -> io::Result<Sandbox> {
        let level = self.level()?;
        let network = match self.number()? {
            0 => NetworkAccess::Denied,
            _ => {
                let count = self.number()?;
                let port = |_| u16::try_from(self.number()?).map_err(|_| malformed());
                NetworkAccess::Host {
                    closed_ports: (0..count).map(port).collect::<io::Result<_>>()?,
                }
            }
        };
        let (read, write) = (self.sandbox_paths()?, self.sandbox_paths()?);
        Ok(Sandbox { level, read, write, network })
    }

    fn report(&mut self) -> io::Result<CommandReport> {
        let end = match (self.number()?, self.small()?) {
            (0, code) => CommandEnd::Code(code),
            (1, signal) => CommandEnd::Signal(signal),
            (2, 0) => CommandEnd::Limit(LimitKind::Memory),
            (2, 1) => CommandEnd::Limit(LimitKind::Processes),
            (2, 2) => CommandEnd::Limit(LimitKind::Cpu),
            (3, _) => CommandEnd::Killed,
            _ => return Err(malformed()),
        };
        let cpu = Duration::from_micros(self.number()?);
        let (known, peak) = (self.number()?, self.number()?);
        Ok(CommandReport { end, cpu, peak_memory: (known == 1).then_some(peak) })
    }
}
