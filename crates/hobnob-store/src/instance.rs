//! Which processes are alive: locks that the system releases when a process ends,
//! however it ends.

use hobnob_disk::private;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A process's name: 32 hexadecimal digits, made at random.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InstanceId(Box<str>);

impl InstanceId {
    /// Reads a name from a record. What is none names no file.
    pub fn parse(raw: &str) -> Option<Self> {
        let legal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (raw.len() == 32 && raw.bytes().all(legal)).then(|| Self(raw.into()))
    }

    /// 32 hexadecimal digits, as in the name of its lock file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// This process, alive for all who use the same folder until it is dropped.
#[derive(Debug)]
pub struct Instance {
    id: InstanceId,
    path: PathBuf,
    /// Holds the lock for as long as the instance lives.
    _file: File,
}

impl Instance {
    /// Begins to be alive, and removes what dead ones have left. Blocks; done once at start.
    pub fn start(folder: &Path) -> io::Result<Self> {
        // Nobody may take a new file for a dead one's before it is locked.
        let starting = open(OpenOptions::new().create(true), &folder.join("instances.lock"))?;
        starting.lock()?;
        remove_dead(folder)?;
        let id = InstanceId(crate::random::random_hex()?.into());
        let path = file_of(folder, &id);
        let file = open(OpenOptions::new().create_new(true), &path)?;
        file.lock()?;
        Ok(Self { id, path, _file: file })
    }

    /// Its name, for others to ask about.
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
        // What stays is removed by the next who starts.
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

/// Whether somebody holds a file's lock. The question takes a shared one, so that two who ask at
/// the same time do not take each other for the holder.
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
