//! The kind of an open handle: file, folder, link or special file; and a folder's identity.
//!
//! Everything is read from an open handle, so that a concurrent rename cannot change the answer.

use std::os::fd::AsFd;

use hobnob_policy::EntryKind;
use rustix::fs::{FileType, Stat, fstatfs};

use super::problem::FileRefusal;

/// The kind of an entry by its `stat`.
pub(crate) fn kind_of(stat: &Stat) -> EntryKind {
    // A `stat` always has the type.
    kind_of_type(FileType::from_raw_mode(stat.st_mode)).unwrap_or(EntryKind::Special)
}

/// The kind by the type in a folder's entry; `None` if the file system does not report it.
pub(crate) fn kind_of_type(kind: FileType) -> Option<EntryKind> {
    match kind {
        FileType::RegularFile => Some(EntryKind::File),
        FileType::Directory => Some(EntryKind::Folder),
        FileType::Symlink => Some(EntryKind::Link),
        FileType::Unknown => None,
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice => {
            Some(EntryKind::Special)
        }
    }
}

/// Fails with the reason why this is not a regular file.
pub(crate) fn must_be_file(kind: EntryKind) -> Result<(), FileRefusal> {
    match kind {
        EntryKind::File => Ok(()),
        EntryKind::Folder | EntryKind::Link => Err(FileRefusal::NotFile),
        EntryKind::Special => Err(FileRefusal::Special),
    }
}

/// Fails with the reason why this is not a folder.
pub(crate) fn must_be_folder(kind: EntryKind) -> Result<(), FileRefusal> {
    match kind {
        EntryKind::Folder => Ok(()),
        EntryKind::File | EntryKind::Link | EntryKind::Special => Err(FileRefusal::NotFolder),
    }
}

/// The identity of a folder, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FolderId {
    device: u64,
    inode: u64,
}

impl FolderId {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// The magic numbers from `linux/magic.h` of file systems whose files do not store bytes, but act.
const KERNEL_FILE_SYSTEMS: [u32; 17] = [
    0x0000_9fa0, // proc
    0x6265_6572, // sysfs
    0x0000_1cd1, // devpts
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0xf97c_ff8c, // selinuxfs
    0x6265_6570, // configfs
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x4249_4e4d, // binfmt_misc
    0x1980_0202, // mqueue
    0x0000_0187, // autofs
    0x6e73_6673, // nsfs
];

/// Fails if the handle is on a virtual file system of the kernel.
pub(crate) fn refuse_kernel_file_system(handle: impl AsFd) -> Result<(), FileRefusal> {
    // The field is signed on some systems; only its low 32 bits carry the number.
    let number = fstatfs(handle)?.f_type as u32;
    if KERNEL_FILE_SYSTEMS.contains(&number) {
        return Err(FileRefusal::KernelFileSystem);
    }
    Ok(())
}
