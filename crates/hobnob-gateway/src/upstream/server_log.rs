//! The log of one server on the disk: the standard error of its program, and when it started,
//! failed and ended.
//!
//! `life` and `launch` write it; `hobnob logs NAME` reads it. Each server has one private file,
//! named by its name and identity, and one previous file: even a server that writes without end
//! takes at most twice [`MAX_BYTES`]. Values of variables are concealed before anything is written.

use hobnob_config::{Places, ServerSpec};
use hobnob_disk::{make_folder, private};
use hobnob_mcp_engine::timestamp;
use hobnob_mcp_process::child::{StderrLog, readable_line};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// The size at which a file is rotated.
const MAX_BYTES: u64 = 1 << 20;

/// The most bytes written of one line; a program may write any number without a line break.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// The most files of all servers together; the oldest are removed.
const MAX_FILES: usize = 256;

/// The log file of one server.
#[derive(Debug, Clone)]
pub(crate) struct ServerLog {
    file: PathBuf,
    server: Arc<str>,
}

impl ServerLog {
    /// The log of this server; the file need not exist yet.
    pub(crate) fn new(file: PathBuf, server: &str) -> Self {
        Self { file, server: server.into() }
    }

    /// Writes a line from Hobnob itself about the server.
    pub(crate) fn note(&self, words: &str) {
        self.append(&[format!("[hobnob] {}", words.replace('\n', " "))]);
    }

    /// Writes the lines of a program until its output ends.
    pub(crate) async fn follow(self, stderr: Arc<StderrLog>, spec: ServerSpec) {
        let mut lines = LineBuffer::default();
        let mut seen = 0;
        while let Some(part) = stderr.next_part(seen).await {
            seen = part.total;
            let mut ready = Vec::new();
            if part.skipped > 0 {
                lines.clear();
                ready.push(format!("[hobnob] {} bytes before this were not kept", part.skipped));
            }
            ready.extend(lines.push(&part.bytes));
            self.append_soon(ready, &spec).await;
        }
        self.append_soon(lines.rest(), &spec).await;
    }

    async fn append_soon(&self, lines: Vec<String>, spec: &ServerSpec) {
        if lines.is_empty() {
            return;
        }
        let lines: Vec<String> = lines.iter().map(|line| spec.conceal(line).into_owned()).collect();
        let log = self.clone();
        // Waiting for the write keeps one server from filling the queue of blocking tasks.
        drop(tokio::task::spawn_blocking(move || log.append(&lines)).await);
    }

    fn append(&self, lines: &[String]) {
        if let Err(error) = self.try_append(lines) {
            tracing::debug!(server = &*self.server, %error, "cannot write the server's log");
        }
    }

    fn try_append(&self, lines: &[String]) -> io::Result<()> {
        let now = timestamp(SystemTime::now());
        let text: String = lines.iter().map(|line| format!("{now} {line}\n")).collect();
        if let Some(folder) = self.file.parent() {
            make_folder(folder)?;
        }
        if fs::metadata(&self.file).is_ok_and(|it| MAX_BYTES < it.len()) {
            fs::rename(&self.file, Places::previous_log(&self.file))?;
        }
        let is_new = !self.file.exists();
        let mut file = private(OpenOptions::new().append(true).create(true)).open(&self.file)?;
        file.write_all(text.as_bytes())?;
        if is_new {
            self.make_room();
        }
        Ok(())
    }

    fn make_room(&self) {
        let Some(Ok(files)) = self.file.parent().map(fs::read_dir) else { return };
        let mut files: Vec<PathBuf> = files.filter_map(|it| Some(it.ok()?.path())).collect();
        if files.len() <= MAX_FILES {
            return;
        }
        files.sort_by_cached_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
        for oldest in &files[..files.len() - MAX_FILES] {
            drop(fs::remove_file(oldest));
        }
    }
}

/// Splits bytes into lines.
#[derive(Debug, Default)]
struct LineBuffer {
    /// The bytes after the last line break.
    rest: Vec<u8>,
}

impl LineBuffer {
    /// Adds bytes and returns the lines that they complete.
    fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE_BYTES.saturating_sub(self.rest.len());
            self.rest.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                lines.extend(self.rest());
            }
        }
        lines
    }

    /// The last line, which has no line break.
    fn rest(&mut self) -> Vec<String> {
        let line = readable_line(&std::mem::take(&mut self.rest));
        line.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    }

    fn clear(&mut self) {
        self.rest.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{LineBuffer, MAX_BYTES, MAX_LINE_BYTES, ServerLog};
    use hobnob_config::Places;

    #[test]
    fn lines_are_whole_and_bounded() {
        let mut buffer = LineBuffer::default();
        assert!(buffer.push(b"first ha").is_empty());
        assert_eq!(buffer.push(b"lf\n\nsecond\r\n\x1b[31mthi"), ["first half", "second"]);
        assert_eq!(buffer.push(b"rd\x1b[0m\n"), ["third"]);
        assert!(buffer.push(&vec![b'x'; 3 * MAX_LINE_BYTES]).is_empty());
        let lines = buffer.push(b"\nnext\nrest");
        assert_eq!((lines.len(), lines[0].len()), (2, MAX_LINE_BYTES));
        assert_eq!(buffer.rest(), ["rest"]);
        assert!(buffer.rest().is_empty());
    }

    #[test]
    fn a_log_never_takes_more_than_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logs/one.log");
        let log = ServerLog::new(file.clone(), "one");
        let line = "x".repeat(MAX_LINE_BYTES);
        for number in 0..400 {
            log.note(&format!("{number} {line}"));
        }
        let size = |file: &std::path::Path| std::fs::metadata(file).unwrap().len();
        let limit = MAX_BYTES + 2 * MAX_LINE_BYTES as u64;
        assert!(size(&file) <= limit && size(&Places::previous_log(&file)) <= limit);
        assert_eq!(std::fs::read_dir(folder.path().join("logs")).unwrap().count(), 2);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().last().unwrap().contains(" [hobnob] 399 "), "the newest is last");
    }
}
