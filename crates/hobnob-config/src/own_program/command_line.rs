//! Finds `hobnob serve` in a command line, also behind programs that only start another program.
//!
//! Pure: the caller says which words name our program. A command line that hides the program better
//! than this is detected when the child runs.

const SERVE: &str = "serve";

/// Shells that take a script after `-c`.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish"];

/// Programs that start the program named by their arguments, on this machine and as this user.
const WRAPPERS: [&str; 31] = [
    "env",
    "nice",
    "ionice",
    "nohup",
    "setsid",
    "stdbuf",
    "timeout",
    "time",
    "taskset",
    "chrt",
    "command",
    "exec",
    "sudo",
    "doas",
    "npx",
    "npm",
    "pnpx",
    "pnpm",
    "yarn",
    "bunx",
    "bun",
    "uvx",
    "uv",
    "pipx",
    "cargo",
    "mise",
    "direnv",
    "script",
    "systemd-run",
    "strace",
    "catchsegv",
];

/// One invocation of Hobnob as a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Invocation {
    /// The `NAME=VALUE` words before it.
    pub(super) assignments: Vec<(String, String)>,
    /// The value of `--config-dir`; the last one if there are several.
    pub(super) config_dir: Option<String>,
}

/// The invocation of Hobnob as a server in this command line, if there is one. `is_us` says whether
/// a word names our program.
pub(super) fn find_invocation(
    words: Vec<String>,
    is_us: &dyn Fn(&str) -> bool,
) -> Option<Invocation> {
    // Each round looks at the words that the previous one starts, so the loop ends with the words.
    let mut pending = vec![words];
    let mut assignments = Vec::new();
    while let Some(words) = pending.pop() {
        let Some((program, rest)) = words.split_first() else { continue };
        if is_us(program) {
            match invocation(rest) {
                Some(config_dir) => return Some(Invocation { assignments, config_dir }),
                None => continue,
            }
        }
        let name = base_name(program);
        if SHELLS.contains(&name) {
            pending.extend(script(rest).map(commands).unwrap_or_default());
        } else if WRAPPERS.contains(&name) || is_assignment(program) {
            let starts = |word: &String| {
                is_us(word)
                    || SHELLS.contains(&base_name(word))
                    || WRAPPERS.contains(&base_name(word))
            };
            let at = words.iter().skip(1).position(starts).map_or(words.len(), |at| at + 1);
            let (before, started) = words.split_at(at);
            assignments.extend(before.iter().filter_map(|word| assignment(word)));
            if !started.is_empty() {
                pending.push(started.to_vec());
            }
        }
    }
    None
}

/// The value of `--config-dir`, if any; the outer `None` if these arguments of ours do not mean
/// `serve`.
fn invocation(args: &[String]) -> Option<Option<String>> {
    if !args.iter().any(|word| word == SERVE) {
        return None;
    }
    let mut config_dir = None;
    for (at, word) in args.iter().enumerate() {
        if word == "--config-dir" {
            config_dir = args.get(at + 1).cloned();
        } else if let Some(value) = word.strip_prefix("--config-dir=") {
            config_dir = Some(value.to_owned());
        }
    }
    Some(config_dir)
}

/// The script of `sh -c SCRIPT`; the word of the `-c` may hold other short options too.
fn script(args: &[String]) -> Option<&str> {
    let is_option =
        |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let at = args.iter().position(is_option)?;
    args.get(at + 1).map(String::as_str)
}

/// The commands of a script as words, without any expansion: enough to recognise a name.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = script.chars();
    while let Some(it) = characters.next() {
        match (quote, it) {
            (Some(open), _) if it == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(it);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some(_), _) => word.get_or_insert_default().push(it),
            (None, ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}') => {
                finish(&mut commands, &mut word);
                commands.push(Vec::new());
            }
            (None, _) if it.is_whitespace() => finish(&mut commands, &mut word),
            (None, _) => word.get_or_insert_default().push(it),
        }
    }
    finish(&mut commands, &mut word);
    commands.retain(|words| !words.is_empty());
    commands
}

fn finish(commands: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(word), Some(last)) = (word.take(), commands.last_mut()) {
        last.push(word);
    }
}

fn is_assignment(word: &str) -> bool {
    assignment(word).is_some()
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let is_name = !name.is_empty() && name.chars().all(legal);
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

/// The last part of a path, without the extension of programs on Windows.
pub(super) fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}
