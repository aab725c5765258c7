//! Folders, links and pipes are swapped all the time while a path through them is used.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hobnob_policy::{Deletion, WriteMode};
use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};

use crate::granted::{Granted, SECRET, relative, rounds};
use crate::permitted::{delete, list, write};

fn make_fifo(path: &Path) {
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).expect("a pipe");
}

/// Swaps `swapped` with one candidate after the other, so that nothing is ever lost.
fn exchange(granted: &Granted, candidates: &[&str], stop: &AtomicBool) {
    let place = granted.inside.join("swapped");
    for candidate in candidates.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let candidate = granted.inside.join(candidate);
        renameat_with(CWD, &candidate, CWD, &place, RenameFlags::EXCHANGE).expect("exchanged");
    }
}

/// Whether both outcomes were seen. A busy machine may need more rounds for that, up to a limit.
fn enough(reads: usize, refusals: usize, round: usize) -> bool {
    0 < reads && 0 < refusals || 1_000_000 <= round
}

fn secret_is_kept(granted: &Granted) {
    let outside: Vec<_> = fs::read_dir(granted.above.join("outside")).expect("a folder").collect();
    assert_eq!(outside.len(), 1, "nothing was written outside");
    let secret = fs::read_to_string(granted.above.join("outside/secret.txt")).expect("a file");
    assert_eq!(secret, SECRET);
}

#[test]
fn rename_swaps() {
    let granted = Granted::new();
    for folder in ["swapped", "folder"] {
        fs::create_dir(granted.inside.join(folder)).expect("a folder");
        fs::write(granted.inside.join(folder).join("secret.txt"), "inside").expect("a file");
    }
    symlink("../outside", granted.inside.join("link")).expect("link");
    symlink(granted.above.join("outside"), granted.inside.join("absolute")).expect("link");
    make_fifo(&granted.inside.join("fifo"));
    let stop = AtomicBool::new(false);
    let (mut reads, mut refusals, mut lists) = (0, 0, 0);
    thread::scope(|scope| {
        scope.spawn(|| exchange(&granted, &["folder", "link"], &stop));
        scope.spawn(|| exchange(&granted, &["link", "folder", "fifo"], &stop));
        scope.spawn(|| exchange(&granted, &["absolute", "fifo", "folder"], &stop));
        for round in 0.. {
            if rounds(3_000, 100_000) <= round && enough(reads, refusals, round) {
                break;
            }
            match granted.text("swapped/secret.txt") {
                Ok(text) => {
                    assert_eq!(text, "inside", "round {round}");
                    reads += 1;
                }
                Err(_) => refusals += 1,
            }
            if let Ok(page) = list(&granted.root, &relative("swapped"), None, 10) {
                assert!(page.entries.iter().all(|entry| entry.facts.size != SECRET.len() as u64));
                lists += 1;
            }
            if round % 8 == 0 {
                let path = relative("swapped/new.txt");
                let _ = write(&granted.root, &path, b"written", WriteMode::Replace);
                let _ = delete(&granted.root, &path, Deletion::Forever);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    secret_is_kept(&granted);
    assert!(0 < reads && 0 < refusals, "{reads} reads, {refusals} refusals, {lists} lists");
}

/// Puts a file, links out and a pipe in the place of `swapped`, each newly made.
fn replace_leaf(granted: &Granted, name: &str, stop: &AtomicBool) {
    let (made, place) = (granted.inside.join(name), granted.inside.join("swapped"));
    for turn in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match turn % 4 {
            0 => fs::write(&made, "inside").expect("a file"),
            1 => symlink("../outside/secret.txt", &made).expect("link"),
            2 => make_fifo(&made),
            _ => symlink(granted.above.join("outside/new.txt"), &made).expect("link"),
        }
        fs::rename(&made, &place).expect("a rename");
    }
}

#[test]
fn leaf_swaps() {
    let granted = Granted::new();
    let stop = AtomicBool::new(false);
    let (mut reads, mut refusals) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| replace_leaf(&granted, "made1", &stop));
        scope.spawn(|| replace_leaf(&granted, "made2", &stop));
        for round in 0.. {
            if rounds(3_000, 100_000) <= round && enough(reads, refusals, round) {
                break;
            }
            match granted.text("swapped") {
                Ok(text) => {
                    assert!(["inside", "written", ""].contains(&text.as_str()), "{round}: {text}");
                    reads += 1;
                }
                Err(_) => refusals += 1,
            }
            if round % 16 == 0 {
                let _ = write(&granted.root, &relative("swapped"), b"written", WriteMode::Replace);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    secret_is_kept(&granted);
    assert!(0 < reads && 0 < refusals, "{reads} reads, {refusals} refusals");
}
