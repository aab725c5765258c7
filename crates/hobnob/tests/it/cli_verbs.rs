//! `logs NAME`, `restart` and `edit`, as a person types them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli_call_setup::{ALLOW, Setup};
use crate::cli_config_home::{Home, mode};
use crate::cli_terminal::on_terminal_with;

/// A server that writes to standard error when it starts and at each call; when it
/// was born is in its answer.
const TALKER: &str = r#"
born=$(date +%s%N)
printf '\033[31mhello\033[0m from %s\n' "$SECRET" >&2
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
  *'"method":"initialize"'*)
    reply '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
  *'"method":"tools/list"'*)
    reply '{"tools":[{"name":"say","description":"Says","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"tools/call"'*)
    printf 'called in %s\n' "$born" >&2
    reply "{\"content\":[{\"type\":\"text\",\"text\":\"$born\"}]}" ;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}\n' "$id" ;;
  esac
done
"#;

fn talker() -> Setup {
    let setup = Setup::new("[[permissions]]\ntool = \"*\"\naction = \"allow\"\n");
    setup.home.write("talker.sh", TALKER);
    let entry = json!({"command": "sh", "args": [setup.home.path("talker.sh")],
        "env": {"SECRET": "${TALKER_SECRET:-}"}});
    let broken = json!({"command": "sh", "args": ["-c", "echo it cannot be >&2; exit 3"]});
    let servers = json!({"mcpServers": {"talker": entry, "broken": broken}});
    setup.home.write("hobnob/config/mcp.json", &servers.to_string());
    setup
}

#[test]
fn what_a_server_writes_is_shown_later() {
    let home = talker().home;
    let run = home.ok(&["logs", "talker"]);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("", "talker has written nothing yet\n")
    );
    let mut call = home.command(&["call", "talker/say"]);
    assert!(call.env("TALKER_SECRET", "hidden-value").output().unwrap().status.success());
    let shown = home.ok(&["logs", "talker"]).stdout;
    for words in ["hello from ", "called in ", "[hobnob] started, process ", "[hobnob] ended: "] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains('\u{1b}') && !shown.contains("hidden-value"), "{shown}");
    assert_eq!(home.ok(&["logs", "talker", "-n", "1"]).stdout.lines().count(), 1);
    let run = home.ok(&["--json", "logs", "talker"]);
    let lines = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert!(lines.iter().any(|it| it["line"].as_str().unwrap().starts_with("called in ")));
    assert!(lines.iter().all(|it| it["at"].as_str().unwrap().ends_with('Z')), "{lines:?}");
    let file = fs::read_dir(home.path("hobnob/state/logs")).unwrap().next().unwrap().unwrap();
    assert_eq!(mode(&file.path()), 0o600);

    assert_eq!(home.run(&["call", "broken/any"]).code, 5);
    let shown = home.ok(&["logs", "broken"]).stdout;
    assert!(shown.contains("it cannot be") && shown.contains("[hobnob] cannot be started: "));
    let run = home.run(&["logs", "nobody"]);
    assert!(run.code == 2 && run.stderr.contains("configured: broken, talker"), "{}", run.stderr);
    assert_eq!(home.run(&["logs"]).code, 2);
}

#[test]
fn new_lines_are_followed_as_they_come() {
    let home = talker().home;
    let mut command = home.command(&["logs", "talker", "--follow"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut until = |words: &str| {
        lines.by_ref().map(|line| line.unwrap()).find(|line| line.contains(words)).unwrap()
    };
    home.ok(&["call", "talker/say"]);
    until("called in ");
    until("[hobnob] ended: ");
    home.ok(&["call", "talker/say"]);
    until("called in ");
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[tokio::test]
async fn a_running_hub_restarts_a_server() {
    let setup = talker();
    let home = &setup.home;
    let run = home.run(&["restart", "talker"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no `hobnob serve` runs for "), "{}", run.stderr);
    assert_eq!(home.run(&["restart", "nobody"]).code, 2);

    let _serve = setup.serve().await;
    let process = || home.ok(&["call", "talker/say"]).stdout;
    let first = process();
    assert_eq!(process(), first, "one process for all calls");
    assert_eq!(home.ok(&["restart", "talker"]).stdout, "restarted talker\n");
    let second = process();
    assert_ne!(first, second);
    assert_eq!(home.json(0, &["restart", "talker"]), json!({"restarted": "talker"}));
    let run = home.run(&["restart", "broken"]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert!(run.stderr.contains("it cannot be"), "{}", run.stderr);
    // A server that has been left alone after failures is tried at once.
    home.write("talker.sh", "exit 1\n");
    assert_eq!(home.run(&["restart", "talker"]).code, 5);
    home.write("talker.sh", TALKER);
    assert_eq!(home.run(&["restart", "talker"]).code, 0);
    assert_ne!(process(), second);
}

/// An editor that puts the next of these texts in the place of the file at each start.
fn editor(home: &Home, texts: &[&str]) -> String {
    for (number, text) in texts.iter().enumerate() {
        home.write(&format!("text-{}", number + 1), text);
    }
    let folder = home.path("");
    let folder = folder.display();
    home.write(
        "editor.sh",
        &format!(
            "n=$(($(cat '{folder}/opened' 2>/dev/null || echo 0) + 1))\necho $n > '{folder}/opened'\n\
             cp '{folder}/text-'$n \"$2\"\n"
        ),
    );
    // With an option, as people write it.
    format!("sh '{}' --wait", home.path("editor.sh").display())
}

#[test]
fn a_checked_text_takes_the_place_of_the_settings() {
    let home = Setup::new(ALLOW).home;
    let file = home.path("hobnob/config/config.toml");
    let old = fs::read_to_string(&file).unwrap();
    let new = "# mine\n[gateway]\nfirst_list_wait = \"1s\"\n";
    let editor = editor(&home, &[new, new]);
    let run = |words: &[&str]| home.command(words).env("EDITOR", &editor).output().unwrap();
    let output = run(&["edit"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && shown.starts_with("wrote "), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), new);
    let copies = home.copies("config.toml");
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), old);
    let output = run(&["edit"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing changed"), "{output:?}");
    assert_eq!(home.copies("config.toml").len(), 1);
    assert_eq!(fs::read_dir(home.path("hobnob/state/edit")).unwrap().count(), 0);

    let mut command = home.command(&["edit"]);
    let output = command.env("EDITOR", "false").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), new, "an editor that fails changes nothing");
    let mut command = home.command(&["edit"]);
    let output = command.env("EDITOR", &editor).env("HOBNOB_INSTANCES", "x").output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[test]
fn a_wrong_text_is_edited_again_and_never_lost() {
    let home = Setup::new(ALLOW).home;
    let file = home.own();
    let old = fs::read_to_string(&file).unwrap();
    let wrong = [
        ("{", "mcp.json:1:1: EOF while parsing an object"),
        ("{\"mcpServers\": {\"a\": {}}}", "server `a`"),
    ];
    for (text, words) in wrong {
        let editor = editor(&home, &[text]);
        let mut command = home.command(&["edit", "script"]);
        let output = command.env("VISUAL", &editor).env("EDITOR", "false").output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(words) && stderr.contains("stays as it was"), "{stderr}");
        let kept = stderr.trim_end().rsplit(" is in ").next().unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), text, "{stderr}");
        assert_eq!(fs::read_to_string(&file).unwrap(), old);
        fs::remove_file(home.path("opened")).unwrap();
    }
    // At a terminal it is offered again.
    let right = "{\"mcpServers\": {\"a\": {\"command\": \"true\"}}}\n";
    let editor = editor(&home, &["{", "{\"mcpServers\": 1}", right]);
    let again = ("Leave the file as it was", "\r");
    let variables = [("EDITOR", editor.as_str()), ("NO_COLOR", "1")];
    let words = ["edit", "--scope", "own"];
    let run = on_terminal_with(&home, 100, &[again, again], &words, &variables);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("is not an object"), "{}", run.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), right);
}
