//! How many bytes a second the anonymiser reads: `cargo run --release --example anonymiser_speed`.
//!
//! The lines are made up: some have several addresses and names, most have none.

use std::io::{Write as _, stdout};
use std::time::Instant;

use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames};

/// Bytes of lines that are masked, one line at a time.
const BYTES: usize = 256 << 20;
fn main() -> std::io::Result<()> {
    let known = KnownNames::new(["alice".to_owned(), "robert".to_owned()], ["web-01".to_owned()]);
    let anonymiser = Anonymiser::new(AnonymiserKey::new(&[7; 32]), known);
    let lines = lines();
    let one_round: usize = lines.iter().map(String::len).sum();
    let rounds = BYTES / one_round;
    let began = Instant::now();
    let mut masked = 0;
    for _ in 0..rounds {
        masked += lines.iter().map(|line| anonymiser.mask(line).len()).sum::<usize>();
    }
    let seconds = began.elapsed().as_secs_f64();
    let megabytes = (one_round * rounds) as f64 / 1e6;
    let speed = megabytes / seconds;
    writeln!(stdout(), "{speed:.0} MB/s ({megabytes:.0} MB to {masked} bytes)")
}

fn lines() -> Vec<String> {
    (0..20_000_u32)
        .map(|number| {
            let (high, low) = (number / 256 % 256, number % 256);
            match number % 5 {
                0 => {
                    format!("Accepted publickey for user{low} from 192.0.{high}.{low} port 22 ssh2")
                }
                1 => {
                    format!("GET /assets/app-{number}.js HTTP/1.1 200 {number} - Mozilla/5.0 (X11)")
                }
                2 => format!("connection of pool worker {number} was closed after 30 s of silence"),
                3 => format!("mail to person{low}@example.org was queued as 4F{number} by postfix"),
                _ => {
                    format!("open /home/alice/project/src/file{number}.rs: No such file or folder")
                }
            }
        })
        .collect()
}
