//! What the tab key does in bash, zsh and fish: typed into the real shell on a pseudo-terminal.
//!
//! In each shell, `hobnob` is a function that says what it would run, and hands on what the shell
//! asks for completion.

use std::fs;
use std::process::Command;

use crate::cli_call_setup::Setup;
use crate::cli_config_home::Home;
use crate::peers::Peer;
use crate::program::PROGRAM;

/// What is typed, with tabs, and what must be run then.
const CASES: [(&str, &str); 7] = [
    ("call script/ty\t", "call script/typed"),
    ("call mcp__script__ty\t", "call mcp__script__typed"),
    ("call script/typed te\tx", "call script/typed text=x"),
    ("call script/typed text=x cou\t3", "call script/typed text=x count=3"),
    ("call script/typed loud=t\t", "call script/typed loud=true"),
    ("prompt mcp__script__gr\twh\tme", "prompt mcp__script__greet who=me"),
    ("restart scr\t", "restart script"),
];

/// Whether the shell is here; if not, its test is skipped aloud.
fn has(shell: &str) -> bool {
    let found = Command::new(shell).arg("--version").output();
    found.is_ok_and(|it| it.status.success()) || Peer::find(shell).is_some()
}

/// A home whose shell knows the program and its completion script.
fn home(shell: &str) -> Home {
    let home = Setup::new("").home;
    home.ok(&["tools"]);
    fs::create_dir(home.path("bin")).unwrap();
    std::os::unix::fs::symlink(PROGRAM, home.path("bin/hobnob")).unwrap();
    let script = home.ok(&["completions", shell]).stdout;
    // In the folder and under the name that the documentation says.
    home.write(
        match shell {
            "bash" => "home/hobnob.bash",
            "zsh" => "home/.zfunc/_hobnob",
            _ => "home/.config/fish/completions/hobnob.fish",
        },
        &script,
    );
    home
}

fn check(shell: &str, settings: (&str, &str), arguments: &[&str]) {
    if !has(shell) {
        return;
    }
    let home = home(shell);
    home.write(settings.0, settings.1);
    let mut steps = Vec::new();
    let mut seen = "READY>".to_owned();
    for (typed, run) in CASES {
        steps.push((seen, format!("hobnob {typed}\r")));
        seen = format!("RAN <{run}>");
    }
    steps.push((seen, "exit\r".to_owned()));
    let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstreams/terminal.py");
    let mut command = Command::new("python3");
    command.args([terminal, "50", "200", &serde_json::to_string(&steps).unwrap(), shell]);
    command.args(arguments).current_dir(home.path("project"));
    let path = std::env::var("PATH").unwrap();
    command
        .env("PATH", format!("{}:{path}", home.path("bin").display()))
        .env("HOME", home.path("home"))
        .env("HOBNOB_HOME", home.path("hobnob"))
        .env("ZDOTDIR", home.path("home"))
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME");
    let output = command.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{shown}");
}

#[test]
fn bash_completes_servers_tools_and_arguments() {
    let settings = "PS1='READY> '\nsource ~/hobnob.bash\n\
        hobnob() { if [[ $1 == -- ]]; then command hobnob \"$@\"; else echo \"RAN <$*>\"; fi; }\n";
    let file = "home/bashrc";
    check("bash", (file, settings), &["--noprofile", "--rcfile", "../home/bashrc", "-i"]);
}

#[test]
fn zsh_completes_servers_tools_and_arguments() {
    let settings = "PS1='READY> '\nfpath=(~/.zfunc $fpath)\nautoload -U compinit; compinit -u\n\
        hobnob() { if [[ $1 == -- ]]; then command hobnob \"$@\"; else print -r -- \"RAN <$*>\"; fi }\n";
    check("zsh", ("home/.zshrc", settings), &["-i"]);
}

#[test]
fn fish_completes_servers_tools_and_arguments() {
    let settings = "function fish_prompt; echo 'READY> '; end\nfunction hobnob\n\
        if test \"$argv[1]\" = --; command hobnob $argv; else; echo \"RAN <$argv>\"; end\nend\n";
    check("fish", ("home/.config/fish/config.fish", settings), &["-i"]);
}
