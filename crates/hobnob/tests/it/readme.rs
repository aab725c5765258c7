//! The README's first minute, typed as it stands into a shell on a pseudo-terminal: an empty home,
//! packages that take their time to come, and at the end the outputs that the README shows.
//!
//! The commands and outputs are read from `README.md`, so that the two can never differ.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::peers::Peer;
use crate::program::{PROGRAM, within};

const README: &str = include_str!("../../../../README.md");

/// The folder that the README shows.
const SHOWN_FOLDER: &str = "/home/me/shop";

/// What the shell says when it is ready, after the code of the last command.
const PROMPT: &str = "ready> ";

/// What a question ends with.
const QUESTION: &str = "[y/N] ";

/// What a package runner does here: the first time it takes a while, as a download would.
const RUNNER: &str = r#"#!/bin/sh
[ "$1" = -y ] && shift
name=${1##*/}
shift
if ! [ -e "$HOME/fetched-$name" ]; then
    sleep 3
    : > "$HOME/fetched-$name"
fi
case $name in
"#;

/// One fenced block of the README.
struct Block {
    language: &'static str,
    lines: Vec<&'static str>,
}

/// A command and the lines it is shown to print; none, where no output is shown.
struct Step {
    command: &'static str,
    output: Option<Vec<&'static str>>,
}

/// The blocks of a section, in their order.
fn blocks(heading: &str) -> Vec<Block> {
    let start = README.find(heading).unwrap_or_else(|| panic!("README.md has no `{heading}`"));
    let section = &README[start + heading.len()..];
    let section = section.find("\n## ").map_or(section, |end| &section[..end]);
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        match (inside, line.strip_prefix("```")) {
            (false, Some(language)) => blocks.push(Block { language, lines: Vec::new() }),
            (true, Some(_)) | (false, None) => {}
            (true, None) => blocks.last_mut().unwrap().lines.push(line),
        }
        inside ^= line.starts_with("```");
    }
    blocks
}

/// What is typed in a block.
fn steps(block: &Block) -> Vec<Step> {
    match block.language {
        "sh" => {
            // Whoever has no Claude Code types none of its commands.
            let ours = block.lines.iter().filter(|line| line.starts_with("hobnob "));
            ours.map(|command| Step { command, output: None }).collect()
        }
        "console" => {
            let mut steps: Vec<Step> = Vec::new();
            for line in &block.lines {
                match line.strip_prefix("$ ") {
                    Some(command) => steps.push(Step { command, output: Some(Vec::new()) }),
                    None => steps.last_mut().unwrap().output.as_mut().unwrap().push(line),
                }
            }
            steps
        }
        _ => Vec::new(),
    }
}

/// A line without what differs from run to run, and without the width of its columns.
fn comparable(line: &str, folder: &str) -> String {
    let line = line.replace(folder, SHOWN_FOLDER);
    let plain = |piece: &str| {
        let is = |test: fn(char) -> bool| !piece.is_empty() && piece.chars().all(test);
        if piece.len() == 32 && is(|it| it.is_ascii_hexdigit()) {
            "ID".into()
        } else if piece.starts_with("task_") {
            "TASK".into()
        } else if piece.contains('T') && is(|it| it.is_ascii_digit() || "-:.TZ;".contains(it)) {
            "TIME".into()
        } else {
            piece.to_owned()
        }
    };
    let word = |word: &str| word.split('/').map(plain).collect::<Vec<_>>().join("/");
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// An empty home, a project, and the programs that a person has installed.
struct TestMachine {
    folder: PathBuf,
}

impl TestMachine {
    /// None, aloud, where the packages are not installed.
    fn new() -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
        drop(std::fs::remove_dir_all(&folder));
        for name in ["home", "shop", "bin"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        let folder = folder.canonicalize().unwrap();
        let mut script = RUNNER.to_owned();
        for key in ["server-filesystem", "server-everything"] {
            let words = Peer::find(key)?.node_words(&format!("mcp-{key}"));
            script.push_str(&format!(
                "{key}) exec {} {} \"$@\";;\n",
                words[0].display(),
                words[1].display()
            ));
        }
        let time = Peer::find("mcp-server-time")?.python_words("mcp-server-time");
        script.push_str(&format!("mcp-server-time) exec {} \"$@\";;\nesac\n", time[0].display()));
        for name in ["npx", "uvx"] {
            use std::os::unix::fs::PermissionsExt as _;
            let file = folder.join("bin").join(name);
            std::fs::write(&file, &script).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::os::unix::fs::symlink(PROGRAM, folder.join("bin/hobnob")).unwrap();
        Some(Self { folder })
    }

    fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    /// A shell on a pseudo-terminal; none, aloud, where nothing can make one.
    fn sit_down(&self) -> Option<Shell> {
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--flush", "--command", "bash --norc --noprofile -i", "/dev/null"])
            .env_clear()
            .env("HOME", self.folder.join("home"))
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", self.folder.join("bin").display()),
            )
            .env("PS1", format!("$? {PROMPT}"))
            .env("TERM", "xterm")
            .env("LANG", "C.UTF-8")
            .current_dir(self.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        match command.spawn() {
            Ok(mut child) => {
                let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
                Some(Shell { _child: child, stdin, stdout })
            }
            Err(error) => {
                eprintln!("SKIPPED: `script` is needed for a pseudo-terminal: {error}");
                None
            }
        }
    }
}

/// A person at a shell.
struct Shell {
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Shell {
    /// Types a command, says yes to every question, and reads what is on the screen at the end:
    /// the lines between the command and the prompt, and the code.
    async fn run(&mut self, command: &str) -> (Vec<String>, i32) {
        self.type_line(command).await;
        let mut screen = Vec::new();
        loop {
            screen.extend(self.read(command).await);
            if screen.last().is_some_and(|line: &String| line.ends_with(QUESTION)) {
                self.type_line("y").await;
                continue;
            }
            let prompt = screen.pop().unwrap();
            let code = prompt.strip_suffix(PROMPT).and_then(|it| it.trim().parse().ok());
            // The first line is the command itself, as the terminal repeats it.
            screen.remove(0);
            return (screen, code.unwrap_or_else(|| panic!("no code in {prompt:?}")));
        }
    }

    async fn type_line(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        self.stdin.flush().await.unwrap();
    }

    /// Reads until the shell or a question waits for an answer.
    async fn read(&mut self, what: &str) -> Vec<String> {
        let mut bytes = Vec::new();
        loop {
            let read = within(what, self.stdout.read_buf(&mut bytes)).await.unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(read > 0, "the shell ended during `{what}`: {text}");
            let screen = screen(&text);
            let last = screen.last().map(String::as_str).unwrap_or_default();
            if last.ends_with(PROMPT) || last.ends_with(QUESTION) {
                return screen;
            }
        }
    }
}

/// What stays on the screen: colours have no text, and what was written over is gone.
fn screen(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line = line.rsplit("\u{1b}[2K").next().unwrap_or(line);
        lines.push(without_controls(line).rsplit('\r').next().unwrap_or_default().to_owned());
    }
    lines
}

fn without_controls(line: &str) -> String {
    let mut plain = String::new();
    let mut characters = line.chars();
    while let Some(it) = characters.next() {
        if it != '\u{1b}' {
            plain.push(it);
        } else if characters.next() == Some('[') {
            // A sequence ends with its first letter.
            characters.by_ref().find(|it| it.is_ascii_alphabetic());
        }
    }
    plain
}

#[tokio::test]
async fn the_first_minute_ends_with_the_outputs_it_shows() {
    let Some(machine) = TestMachine::new() else { return };
    let Some(mut shell) = machine.sit_down() else { return };
    let blocks = blocks("\n## One minute\n");
    let mut files = blocks.iter().filter(|block| block.language == "json");
    let servers = files.next().expect("the README writes a `.mcp.json`").lines.join("\n");
    std::fs::write(machine.project().join(".mcp.json"), servers).unwrap();
    for entry in files {
        let text = entry.lines.join("\n");
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|_| panic!("{text}"));
    }
    shell.read("the first prompt").await;
    shell.run("stty cols 160 rows 50").await;
    let folder = machine.project().display().to_string();
    let mut compared = 0;
    for step in blocks.iter().flat_map(steps) {
        let (seen, code) = shell.run(step.command).await;
        assert_eq!(code, 0, "`{}` printed {seen:#?}", step.command);
        let Some(output) = step.output else { continue };
        let lines = |lines: &[&str]| -> Vec<String> {
            let all = lines.iter().map(|line| comparable(line, &folder));
            all.filter(|line| !line.is_empty()).collect()
        };
        let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
        assert_eq!(lines(&seen), lines(&output), "`{}`", step.command);
        compared += 1;
    }
    assert!(compared >= 7, "only {compared} outputs of the README were compared");
}
