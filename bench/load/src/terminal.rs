//! A program on a pseudo-terminal. A thread of its own reads what the program shows, so that the moment
//! of each piece is known to the microsecond whatever else goes on.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::sync::mpsc;

use crate::accounting::Usage;
use crate::server::Server;

const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
/// How long anything that is waited for may take.
const LONGEST: Duration = Duration::from_secs(30);
/// Pieces that may wait to be looked at; more of them wait in the terminal.
const PIECES: usize = 1024;
/// How much of what was shown an error repeats.
const REPEATED: usize = 2000;

pub(crate) struct Terminal {
    server: Server,
    keyboard: File,
    screen: mpsc::Receiver<Piece>,
    /// What was shown and not yet looked for.
    shown: Vec<u8>,
}

/// What arrived at once, and when.
struct Piece {
    at: Instant,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts a program in a folder.
    pub(crate) fn start(command: &[String], folder: &Path) -> anyhow::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        tcsetwinsize(&ours, SIZE)?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = File::from(open(ptsname(&ours, Vec::new())?, flags, Mode::empty())?);
        let server = Server::on_terminal(command, &theirs, folder)?;
        let keyboard = File::from(ours);
        let mut display = keyboard.try_clone()?;
        let (sender, screen) = mpsc::channel(PIECES);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            // Reading fails once nobody has the other side open.
            while let Ok(count) = display.read(&mut buffer) {
                let piece = Piece { at: Instant::now(), bytes: buffer[..count].to_vec() };
                if count == 0 || sender.blocking_send(piece).is_err() {
                    break;
                }
            }
        });
        Ok(Self { server, keyboard, screen, shown: Vec::new() })
    }

    pub(crate) fn started(&self) -> Instant {
        self.server.started()
    }

    /// What the program and all that it started use.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        self.server.usage()
    }

    /// Types these keys, and forgets what was shown before them.
    pub(crate) fn write(&mut self, keys: &[u8]) -> anyhow::Result<()> {
        self.shown.clear();
        self.keyboard.write_all(keys).context("nobody reads what is typed")
    }

    /// Waits for a text and says when the last of it was shown.
    pub(crate) async fn wait_for(&mut self, text: &str) -> anyhow::Result<Instant> {
        let (mut at, mut looked) = (Instant::now(), 0);
        loop {
            if let Some(place) = memchr::memmem::find(&self.shown[looked..], text.as_bytes()) {
                self.shown.drain(..looked + place + text.len());
                return Ok(at);
            }
            looked = self.shown.len().saturating_sub(text.len());
            match tokio::time::timeout(LONGEST, self.screen.recv()).await {
                Ok(Some(piece)) => {
                    at = piece.at;
                    self.shown.extend_from_slice(&piece.bytes);
                }
                Ok(None) => bail!("the program ended before it showed {text:?}{}", self.last()),
                Err(_) => bail!("{text:?} was not shown within {LONGEST:?}{}", self.last()),
            }
        }
    }

    fn last(&self) -> String {
        let from = self.shown.len().saturating_sub(REPEATED);
        format!("; what was shown last: {}", String::from_utf8_lossy(&self.shown[from..]))
    }

    pub(crate) async fn end(self) {
        self.server.end().await;
    }
}
