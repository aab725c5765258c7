//! Reproducible archives: tar, gzip, and the ar of Debian packages.
//!
//! Entries are sorted, belong to root and have the same time; nothing of this machine gets in.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::contents::Contents;

/// The files as a tar archive below a folder. `folder` is empty or ends with a slash.
pub(crate) fn tar(contents: &Contents, folder: &str, time: u64) -> anyhow::Result<Vec<u8>> {
    let mut archive = Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    for (path, file) in contents.files() {
        let path = format!("{folder}{path}");
        for (end, _) in path.match_indices('/') {
            let parent = &path[..=end];
            if folders.insert(parent.to_owned()) {
                let mut header = header(EntryType::Directory, 0o755, 0, time)?;
                append(&mut archive, &mut header, parent, &[])?;
            }
        }
        let size = u64::try_from(file.bytes.len())?;
        let mut header = header(EntryType::Regular, file.mode, size, time)?;
        append(&mut archive, &mut header, &path, &file.bytes)?;
    }
    archive.into_inner().context("cannot end the archive")
}

/// The number of folders in the archive of these files, below its root.
pub(crate) fn folders(contents: &Contents) -> usize {
    let parents = contents
        .files()
        .flat_map(|(path, _)| path.match_indices('/').map(move |(end, _)| &path[..end]));
    parents.collect::<BTreeSet<_>>().len()
}

/// Compresses at the highest level, without a name or a time.
pub(crate) fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish().context("cannot compress")
}

/// Concatenates members in the format of `ar`.
pub(crate) fn ar(members: &[(&str, &[u8])], time: u64) -> anyhow::Result<Vec<u8>> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        anyhow::ensure!(name.len() <= 16, "{name} is too long a name for ar");
        // Name, time, owner, group, mode, size; then two bytes that end the header.
        writeln!(
            archive,
            "{name:<16}{time:<12}{:<6}{:<6}{:<8}{:<10}`",
            0,
            0,
            100_644,
            bytes.len()
        )?;
        archive.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}

fn header(kind: EntryType, mode: u32, size: u64, time: u64) -> anyhow::Result<Header> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    Ok(header)
}

fn append(
    archive: &mut Builder<Vec<u8>>,
    header: &mut Header,
    path: &str,
    bytes: &[u8],
) -> anyhow::Result<()> {
    // The crate's own setter for paths would drop the `./` that Debian's tools write.
    let field = &mut header.as_old_mut().name;
    anyhow::ensure!(path.len() < field.len(), "{path} is too long for an archive");
    field[..path.len()].copy_from_slice(path.as_bytes());
    header.set_cksum();
    archive.append(header, bytes).with_context(|| format!("cannot append {path}"))
}
