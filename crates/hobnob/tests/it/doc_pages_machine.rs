//! A machine as the documentation assumes one: an empty home, a project in it, a few programs, and
//! a shell on a pseudo-terminal in which a person types. The tests of the README and of the book
//! use it.
//!
//! What must stay true: nothing waits for a time, only for a prompt, a question or a line.

use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::program::{PROGRAM, TIMEOUT, within};

/// What the shell says when it is ready, after the code of the last command.
const PROMPT: &str = "ready> ";

/// What the end of a line asks for, and what is typed then.
const ANSWERS: [(&str, &str); 4] = [
    ("[y/N] ", "y"),
    ("New password: ", "roses and lavender"),
    ("Once more: ", "roses and lavender"),
    // The prompt of a chat.
    ("\n> ", "/quit"),
];

/// The row of a choice that is marked at first; the rows of a yes are above it.
const MARKED_ROW: &str = "> No [";

/// The arrow key, as a terminal sends it.
const UP: &str = "\u{1b}[A";

/// Ctrl-C, as a terminal sends it.
const INTERRUPT: &str = "\u{3}";

/// How long the terminal is read before the program's state is looked at again.
const LOOK: Duration = Duration::from_millis(50);

/// The size of the terminal: what scrolls out of it is lost.
const ROWS: u16 = 200;
const COLUMNS: u16 = 160;

/// The home that the documentation shows.
const SHOWN_HOME: &str = "/home/me";

/// A folder with everything of one test: `home`, `bin` and what is typed. It is gone with the test.
pub(crate) struct TestMachine {
    folder: PathBuf,
    project: PathBuf,
}

impl TestMachine {
    /// A machine whose project is this folder of the home.
    pub(crate) fn new(name: &str, project: &str) -> Self {
        // The path of a socket is short, so the home's must be.
        let folder = std::env::temp_dir().canonicalize().unwrap();
        let folder = folder.join(format!("hobnob-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        let project = folder.join("home").join(project);
        std::fs::create_dir_all(&project).unwrap();
        std::os::unix::fs::symlink(PROGRAM, folder.join("bin/hobnob")).unwrap();
        Self { folder, project }
    }

    /// Puts a script on the `PATH`.
    pub(crate) fn install(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let file = self.folder.join("bin").join(name);
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// A shell on a pseudo-terminal; none, aloud, where nothing can make one.
    pub(crate) async fn sit_down(&self, variables: &[(&str, String)]) -> Option<Shell> {
        let mut command = Command::new("script");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.folder.join("bin").display());
        command
            .args(["--quiet", "--flush", "--command"])
            .args(["bash --norc --noprofile --noediting -i", "/dev/null"])
            .env_clear()
            .env("HOME", self.folder.join("home"))
            .env("PATH", path)
            .env("PS1", format!("$? {PROMPT}"))
            .env("TERM", "xterm")
            .env("LANG", "C.UTF-8")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                eprintln!("SKIPPED: `script` is needed for a pseudo-terminal: {error}");
                return None;
            }
        };
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let typed = self.folder.join("typed.sh");
        let terminal = String::new();
        let (whole, recent) = (empty_screen(), empty_screen());
        let mut shell = Shell { child, stdin, stdout, typed, terminal, whole, recent };
        shell.finish("the first prompt").await;
        shell.terminal = shell.run("tty").await.0.concat();
        let (seen, code) = shell
            .run(&format!(
                "set -o pipefail; stty cols {COLUMNS} rows 50; trap 'kill $(jobs -p)' EXIT"
            ))
            .await;
        assert_eq!(code, 0, "{seen:#?}");
        Some(shell)
    }

    /// Lines without what differs from run to run, and without the width of their columns.
    pub(crate) fn comparable<'line>(
        &self,
        lines: impl IntoIterator<Item = &'line str>,
    ) -> Vec<String> {
        let home = self.folder.join("home").display().to_string();
        let lines = lines.into_iter().map(|line| comparable(&line.replace(&home, SHOWN_HOME)));
        lines.filter(|line| !line.is_empty()).collect()
    }
}

impl Drop for TestMachine {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn comparable(line: &str) -> String {
    let plain = |piece: &str| {
        let is = |test: fn(char) -> bool| !piece.is_empty() && piece.chars().all(test);
        if piece.len() == 32 && is(|it| it.is_ascii_hexdigit()) {
            "ID".into()
        } else if piece.starts_with("task_") {
            "TASK".into()
        } else if piece.contains('T') && is(|it| it.is_ascii_digit() || "-:.TZ;".contains(it)) {
            "TIME".into()
        } else if piece.len() == 10 && is(|it| it.is_ascii_digit() || it == '-') {
            "DATE".into()
        } else {
            piece.to_owned()
        }
    };
    let word = |word: &str| word.split('/').map(plain).collect::<Vec<_>>().join("/");
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// A person at a shell.
pub(crate) struct Shell {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// The file that a command is written to, so that the terminal echoes one short line for it.
    typed: PathBuf,
    /// The device that the shell runs on.
    terminal: String,
    /// What the command has shown, and what it has shown since the last answer.
    whole: vt100::Parser,
    recent: vt100::Parser,
}

impl Shell {
    /// Runs a command, answers every question, and reads what is on the screen at the end: the
    /// lines between the command and the prompt, and the code.
    pub(crate) async fn run(&mut self, command: &str) -> (Vec<String>, i32) {
        self.begin(command).await;
        self.finish(command).await
    }

    /// Runs a command that does not end by itself until a line contains this text. Returns what it
    /// wrote until then, or all its output and its code if it ended before.
    pub(crate) async fn run_until(
        &mut self,
        command: &str,
        text: &str,
    ) -> Result<Vec<String>, (Vec<String>, i32)> {
        self.begin(command).await;
        loop {
            let screen = lines(&self.recent);
            // What comes after the echo of the command, in lines that are whole.
            let seen = screen.get(1..screen.len().saturating_sub(1)).unwrap_or_default();
            if seen.iter().any(|line| !line.is_empty() && line.contains(text)) {
                return Ok(seen.to_vec());
            }
            if is_ready(&screen) {
                return Err(self.finish(command).await);
            }
            self.read(command).await;
        }
    }

    /// Presses Ctrl-C, and returns the code of what ran.
    pub(crate) async fn interrupt(&mut self, command: &str) -> i32 {
        self.write(INTERRUPT).await;
        let (_, code) = self.finish(command).await;
        code
    }

    /// Leaves the shell, which ends its background jobs. A shell that is killed leaves them behind.
    pub(crate) async fn leave(mut self) {
        self.write("exit\r").await;
        within("the end of the shell", self.child.wait()).await.unwrap();
    }

    async fn begin(&mut self, command: &str) {
        (self.whole, self.recent) = (empty_screen(), empty_screen());
        std::fs::write(&self.typed, format!("{command}\n")).unwrap();
        self.write(&format!(". {}\r", self.typed.display())).await;
    }

    /// Goes on until the prompt.
    async fn finish(&mut self, command: &str) -> (Vec<String>, i32) {
        loop {
            let screen = lines(&self.recent);
            if is_ready(&screen) {
                break;
            }
            if let Some(answer) = answer(&screen) {
                if !self.reads_keys(command).await {
                    continue;
                }
                // The same question is not answered twice.
                self.recent = empty_screen();
                self.write(&format!("{answer}\r")).await;
            }
            self.read(command).await;
        }
        let mut screen = lines(&self.whole);
        let prompt = screen.pop().unwrap();
        // Ctrl-C is shown in front of the code.
        let code = prompt.trim_end().strip_suffix(PROMPT.trim_end()).unwrap_or_default().trim_end();
        let code =
            code.rsplit(|it: char| !it.is_ascii_digit()).next().and_then(|it| it.parse().ok());
        // The first line is the command itself, as the terminal repeats it.
        let screen = screen.split_off(1.min(screen.len()));
        (screen, code.unwrap_or_else(|| panic!("no code in {prompt:?}")))
    }

    /// Waits until the program reads keys: what is typed before is shown, and may be thrown away.
    /// No if it has ended instead: a question may be drawn once more when it is answered.
    async fn reads_keys(&mut self, command: &str) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < TIMEOUT {
            let state = Command::new("stty").args(["-F", &self.terminal, "-a"]).output();
            let state = within(command, state).await.unwrap();
            if String::from_utf8_lossy(&state.stdout).contains(" -echo ") {
                return true;
            }
            self.read_for(LOOK, command).await;
            if is_ready(&lines(&self.recent)) {
                return false;
            }
        }
        panic!("`{command}` asks and reads no answer: {}", lines(&self.whole).join("\n"));
    }

    async fn write(&mut self, keys: &str) {
        self.stdin.write_all(keys.as_bytes()).await.unwrap();
        self.stdin.flush().await.unwrap();
    }

    /// Reads what the terminal has written since.
    async fn read(&mut self, what: &str) {
        let read = self.read_for(TIMEOUT, what).await;
        assert!(read, "`{what}` still runs: {}", lines(&self.whole).join("\n"));
    }

    /// Reads what the terminal writes in this time; whether it wrote something.
    async fn read_for(&mut self, limit: Duration, what: &str) -> bool {
        let mut bytes = Vec::new();
        let reading = tokio::time::timeout(limit, self.stdout.read_buf(&mut bytes));
        let Ok(read) = reading.await else { return false };
        let shown = || lines(&self.whole).join("\n");
        assert!(read.unwrap() > 0, "the shell ended during `{what}`: {}", shown());
        self.whole.process(&bytes);
        self.recent.process(&bytes);
        true
    }
}

/// Whether the shell waits for the next command.
fn is_ready(screen: &[String]) -> bool {
    screen.last().is_some_and(|line| line.ends_with(PROMPT))
}

/// What to type if the screen ends with a question.
fn answer(screen: &[String]) -> Option<String> {
    let last = format!("\n{}", screen.last()?);
    let known = ANSWERS.iter().find(|(question, _)| last.ends_with(question));
    let chosen = || {
        let row = screen.iter().position(|line| line.starts_with(MARKED_ROW))?;
        let above = screen[..row].iter().rev().take_while(|line| line.starts_with("  Yes"));
        Some(UP.repeat(above.count()))
    };
    known.map(|(_, answer)| (*answer).to_owned()).or_else(chosen)
}

fn empty_screen() -> vt100::Parser {
    let size = |count| NonZeroU16::new(count).unwrap();
    vt100::Parser::new(size(ROWS), size(COLUMNS), 0)
}

/// What a person sees, down to the row of the cursor.
fn lines(screen: &vt100::Parser) -> Vec<String> {
    let screen = screen.screen();
    let (row, column) = screen.cursor_position();
    let last = screen.rows(0, column).nth(row.into());
    let above = screen.contents_between(0, 0, row, 0);
    let above = above.strip_suffix('\n').map(|it| it.split('\n').map(str::to_owned));
    above.into_iter().flatten().chain(last).collect()
}
