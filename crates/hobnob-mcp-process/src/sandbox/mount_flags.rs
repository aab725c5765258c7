//! Makes every mount of the new root read-only, except those that a command may write to.
//! [`new_root`](super::new_root) calls it inside the new root.
//!
//! `mount_setattr` could change a whole tree at once, but no safe wrapper exists; so the mounts are
//! read from the kernel's list and changed one by one.

use rustix::mount::{MountFlags, mount_remount};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// What a command may do with a mounted tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MountAccess {
    Read,
    /// Read and write through a device file, whose owner and mode cannot be changed.
    Device,
    Write,
}

/// One line of `/proc/self/mountinfo`.
#[derive(Debug, PartialEq, Eq)]
struct MountPoint {
    path: PathBuf,
    flags: MountFlags,
}

/// Changes all mounts of this namespace; for each, the innermost folder of `accesses` decides.
pub(super) fn set(accesses: &[(PathBuf, MountAccess)]) -> io::Result<()> {
    let list = fs::read("/proc/self/mountinfo")?;
    for line in list.split(|it| *it == b'\n').filter(|line| !line.is_empty()) {
        let MountPoint { path, flags } =
            parse(line).ok_or_else(|| io::Error::other("the list of mounts cannot be read"))?;
        let added = match access_to(&path, accesses) {
            MountAccess::Write => MountFlags::NOSUID | MountFlags::NODEV,
            MountAccess::Read => MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV,
            MountAccess::Device => MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC,
        };
        mount_remount(&path, MountFlags::BIND | flags | added, c"").map_err(|error| {
            io::Error::other(format!("`{}` cannot be made read-only: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// The access of the innermost folder around the path; the stronger one of two for one folder.
fn access_to(path: &Path, accesses: &[(PathBuf, MountAccess)]) -> MountAccess {
    let around = accesses.iter().filter(|(folder, _)| path.starts_with(folder));
    let innermost = around.max_by_key(|(folder, access)| (folder.components().count(), *access));
    innermost.map_or(MountAccess::Read, |(_, access)| *access)
}

/// The path of a mount, and the flags that a remount must repeat.
fn parse(line: &[u8]) -> Option<MountPoint> {
    // proc_pid_mountinfo(5): number, parent, device, root, mount point, options.
    let mut fields = line.split(|it| *it == b' ').skip(4);
    let path = PathBuf::from(OsString::from_vec(unescape(fields.next()?)?));
    let mut flags = MountFlags::empty();
    for option in fields.next()?.split(|it| *it == b',') {
        flags |= match option {
            b"ro" => MountFlags::RDONLY,
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            b"nosymfollow" => MountFlags::NOSYMFOLLOW,
            // The kernel keeps the flags about access times by itself.
            _ => MountFlags::empty(),
        };
    }
    Some(MountPoint { path, flags })
}

/// Decodes `\` and three octal digits, which stand for spaces, tabs, line breaks and backslashes.
fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if *first == b'\\' {
            let (digits, after) = after.split_at_checked(3)?;
            plain.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?);
            rest = after;
        } else {
            plain.push(*first);
            rest = after;
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernels_list_is_understood() {
        let cases: [(&[u8], &str, MountFlags); 3] = [
            (
                b"36 35 98:0 / /usr ro,nosuid - ext4 /dev/a rw",
                "/usr",
                MountFlags::RDONLY | MountFlags::NOSUID,
            ),
            (
                b"37 35 98:0 /a /my\\040shop rw,relatime shared:1 - ext4 /dev/a rw",
                "/my shop",
                MountFlags::empty(),
            ),
            (
                b"38 35 0:5 / /a\\134b rw,noexec,nodev - tmpfs t rw",
                "/a\\b",
                MountFlags::NOEXEC | MountFlags::NODEV,
            ),
        ];
        for (line, path, flags) in cases {
            assert_eq!(parse(line), Some(MountPoint { path: path.into(), flags }));
        }
        for line in [&b""[..], b"36 35 98:0 /", b"36 35 98:0 / /a\\04 rw", b"36 35 98:0 / /a"] {
            assert_eq!(parse(line), None, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn the_innermost_folder_decides() {
        let accesses = [
            ("/work".into(), MountAccess::Write),
            ("/work/vendor".into(), MountAccess::Read),
            ("/work/vendor".into(), MountAccess::Read),
            ("/both".into(), MountAccess::Read),
            ("/both".into(), MountAccess::Write),
        ];
        for (path, expected) in [
            ("/", MountAccess::Read),
            ("/work", MountAccess::Write),
            ("/work/disk", MountAccess::Write),
            ("/work/vendor/disk", MountAccess::Read),
            ("/worker", MountAccess::Read),
            ("/both", MountAccess::Write),
        ] {
            assert_eq!(access_to(Path::new(path), &accesses), expected, "{path}");
        }
    }
}
