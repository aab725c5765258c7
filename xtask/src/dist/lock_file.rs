//! Reads the checksums of crates from Cargo.lock.
//!
//! `cargo metadata` does not have them. The file is read line by line, because Cargo always writes
//! it in the same form.

use std::collections::BTreeMap;

/// The SHA-256 of each crate's archive, by name and version; our own crates have none.
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
