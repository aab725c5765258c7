//! The checksums of crates, as Cargo.lock has them.
//!
//! `cargo metadata` does not tell them. The file is read line by line: Cargo writes it, always in
//! the same way.

use std::collections::BTreeMap;

/// Name and version of a crate to the SHA-256 of its archive; our own crates have none.
pub(crate) fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let start = format!("{name} = \"");
            let line = package.lines().find_map(|line| line.strip_prefix(&start))?;
            Some(line.trim_end_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            found.insert((name, version), sum);
        }
    }
    found
}
