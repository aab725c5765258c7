//! In every pattern of arrivals and scheduling, all lines begin in their order, and none waits for
//! work that blocks.

use super::{BOTH, LineHandler, Readers, text};
use crate::framing::Line;
use parking_lot::{Condvar, Mutex};
use std::io::{Write as _, pipe};
use std::sync::Arc;

const LINES: usize = 20_000;

/// How many of the numbered lines have begun, and how many are done.
#[derive(Default)]
struct Progress {
    begun: usize,
    done: usize,
}

#[derive(Default)]
struct Board {
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Board {
    fn change(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress.lock());
        self.changed.notify_all();
    }

    fn wait(&self, enough: impl Fn(&Progress) -> bool) {
        self.changed.wait_while(&mut self.progress.lock(), |now| !enough(now));
    }
}

/// The work of some lines ends only once the next line has begun.
struct BlockingWork(Arc<Board>);

impl LineHandler for BlockingWork {
    type Work = usize;
    type Answer = ();

    fn begin(&self, line: Line) -> Option<usize> {
        let number = String::from_utf8(text(line).unwrap()).unwrap().parse().unwrap();
        self.0.change(|now| {
            assert_eq!(now.begun, number);
            now.begun += 1;
        });
        Some(number)
    }

    fn run_here(&self, number: usize) -> Option<()> {
        if blocks(number) {
            self.0.wait(|now| now.begun > number + 1);
        }
        Some(())
    }

    fn deliver(&self, (): ()) {
        self.0.change(|now| now.done += 1);
    }

    fn run_elsewhere(&self, _: usize) {
        self.0.change(|now| now.done += 1);
    }
}

fn blocks(number: usize) -> bool {
    number.is_multiple_of(3) && number + 1 < LINES
}

/// A pseudo-random number below 256, by multiplicative hashing.
fn pseudo_random(number: usize) -> usize {
    ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
}

#[test]
fn every_line_is_begun_while_work_blocks() {
    for waiting in BOTH {
        let board = Arc::new(Board::default());
        let (source, mut lines) = pipe().unwrap();
        let readers = Readers::start(source, 2, waiting, BlockingWork(Arc::clone(&board)));
        let mut written = 0;
        while written < LINES {
            // Some lines come alone, some together, some after everything before them is done.
            let count = (1 + pseudo_random(written) % 5).min(LINES - written);
            let text = (written..written + count).map(|number| format!("{number:09}\n"));
            lines.write_all(text.collect::<String>().as_bytes()).unwrap();
            written += count;
            if pseudo_random(written).is_multiple_of(2) && !blocks(written - 1) {
                board.wait(|now| now.done == written);
            }
        }
        drop(lines);
        readers.join();
        board.wait(|now| now.done == LINES);
    }
}
