//! People in the list of accounts, and in the folder of home folders.

use super::{host_names, listed, with_homes};

#[test]
fn people_have_high_ids_or_a_home() {
    let accounts = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbroken\n\
                    nobody:x:65534:65534::/:/bin/false\n";
    assert_eq!(listed(accounts), ["ann"]);
    let homes = tempfile::tempdir().unwrap();
    for name in ["ann", "Shared", "Default User", ".localized"] {
        std::fs::create_dir(homes.path().join(name)).unwrap();
    }
    std::fs::write(homes.path().join("desktop.ini"), "").unwrap();
    assert_eq!(with_homes(homes.path()), ["ann"]);
    assert_eq!(with_homes(&homes.path().join("missing")), [""; 0]);
}

#[test]
fn a_machine_has_a_name_or_two() {
    let names = host_names();
    assert!((1..=2).contains(&names.len()), "{names:?}");
}
