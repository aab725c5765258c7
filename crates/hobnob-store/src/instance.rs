//! Which processes are alive: lock files whose lock the operating system releases when a process
//! ends, even after a crash.

use hobnob_disk::private;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A process's name: 32 random hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InstanceId(Box<str>);

impl InstanceId {
    /// Parses a name from a record; only a valid name is ever used as a file name.
    pub fn parse(raw: &str) -> Option<Self> {
        let legal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (raw.len() == 32 && raw.bytes().all(legal)).then(|| Self(raw.into()))
    }

    /// 32 hexadecimal digits, as in the name of its lock file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// This process, visible as alive to all processes on the same folder until it is dropped.
#[derive(Debug)]
pub struct Instance {
    id: InstanceId,
    path: PathBuf,
    /// Holds the lock for as long as the instance lives.
    _file: File,
}

impl Instance {
    /// Registers this process and removes the lock files of dead ones. Blocks; called at start.
    pub fn start(folder: &Path) -> io::Result<Self> {
        // Otherwise another starting process could take our new, unlocked file for a dead one's.
        let starting = open(OpenOptions::new().create(true), &folder.join("instances.lock"))?;
        starting.lock()?;
        remove_dead(folder)?;
        let id = InstanceId(crate::random::random_hex()?.into());
        let path = file_of(folder, &id);
        let file = open(OpenOptions::new().create_new(true), &path)?;
        file.lock()?;
        Ok(Self { id, path, _file: file })
    }

    /// Its name, by which other processes ask about it.
    pub fn id(&self) -> &InstanceId {
        &self.id
    }

    /// Whether the process of this name is alive.
    pub fn is_alive(folder: &Path, id: &InstanceId) -> io::Result<bool> {
        is_held(&file_of(folder, id))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // If this fails, the next process that starts removes the file.
        drop(fs::remove_file(&self.path));
    }
}

fn remove_dead(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let id =
            name.to_str().and_then(|name| name.strip_prefix("instance-")?.strip_suffix(".lock"));
        if id.and_then(InstanceId::parse).is_some() && !is_held(&entry.path())? {
            fs::remove_file(entry.path()).or_else(only_if_there)?;
        }
    }
    Ok(())
}

/// Whether a process holds a file's lock. The check takes a shared lock, so two processes that
/// check at the same time do not mistake each other for the holder.
fn is_held(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn only_if_there(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    private(options).write(true).open(path)
}

fn file_of(folder: &Path, id: &InstanceId) -> PathBuf {
    folder.join(format!("instance-{}.lock", id.as_str()))
}
