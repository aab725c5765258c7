//! Secrets that a person types into a command: warned of, offered as variables, masked wherever
//! servers are shown; and variables that a server may miss.

use std::fs;

use crate::cli_config_home::{Home, read_json};
use crate::cli_terminal::on_terminal_with;

const SECRET: &str = "ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcDe4FgHi";

#[test]
fn a_literal_secret_is_warned_of_and_shown_nowhere() {
    let home = Home::new();
    let header = format!("Authorization: Bearer {SECRET}");
    let env = format!("GH_TOKEN={SECRET}");
    let adds: [(&[&str], &str); 4] = [
        (&["add", "web", "https://tickets.example/mcp", "-H", &header], "${WEB_TOKEN}"),
        (&["add", "key", "--", "no-such-program", "--api-key", SECRET], "${KEY_API_KEY}"),
        (&["add", "box", "--", "docker", "run", "-e", &env, "image"], "${GH_TOKEN}"),
        (&["add", "own", "-e", &env, "--", "no-such-program"], "${GH_TOKEN}"),
    ];
    for (words, variable) in adds {
        let run = home.ok(words);
        assert!(run.stderr.contains("looks like a secret"), "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(variable), "{words:?}: {}", run.stderr);
        let shown = run.stdout + &run.stderr;
        assert!(!shown.contains(SECRET), "{words:?}: {shown}");
    }
    let project = ["add", "p", "--scope", "project", "--", "x", "--token", SECRET];
    let run = home.ok(&project);
    assert!(run.stderr.contains("everybody who gets the project"), "{}", run.stderr);
    assert!(fs::read_to_string(home.own()).unwrap().contains(SECRET), "it is what was asked for");
    let shows: [&[&str]; 7] = [
        &["list"],
        &["--json", "list"],
        &["status"],
        &["show", "key"],
        &["--json", "show", "box"],
        &["doctor", "key", "own"],
        &["--json", "doctor", "key"],
    ];
    for words in shows {
        let run = home.run(words);
        let shown = run.stdout + &run.stderr;
        assert!(!shown.contains(SECRET), "{words:?}: {shown}");
    }
    assert!(home.ok(&["list"]).stdout.contains("no-such-program --api-key …"));
    let named = home.ok(&["add", "v", "https://v.example", "-H", "Authorization: Bearer ${V}"]);
    assert!(!named.stderr.contains("secret"), "{}", named.stderr);
}

#[test]
fn a_variable_is_offered_at_a_terminal() {
    let home = Home::new();
    let header = format!("Authorization: Bearer {SECRET}");
    let words = ["add", "web", "https://tickets.example/mcp", "-H", &header];
    let steps = [("The secret itself", "\r")];
    let run = on_terminal_with(&home, 100, &steps, &words, &[("NO_COLOR", "1")]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("export WEB_TOKEN=…"), "{}", run.stdout);
    let entry = &read_json(&home.own())["mcpServers"]["web"];
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${WEB_TOKEN}");
    assert!(!run.stdout.contains(SECRET), "{}", run.stdout);

    let words = ["add", "key", "--", "x", "--api-key", SECRET];
    let steps = [("The secret itself", "\u{1b}[B\r")];
    let run = on_terminal_with(&home, 100, &steps, &words, &[("NO_COLOR", "1")]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert_eq!(read_json(&home.own())["mcpServers"]["key"]["args"][1], SECRET);
}

#[test]
fn variables_that_do_not_reach_a_server_are_named() {
    let home = Home::new();
    let script = home.path("npx");
    home.write("npx", "#!/bin/sh\nexit 1\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    }
    home.ok(&["add", "broken", "--", script.to_str().unwrap(), "server@1.0"]);
    let run = |words: &[&str]| {
        let mut command = home.command(words);
        command.env("NPM_CONFIG_REGISTRY", "https://npm.example").env("DISPLAY", ":7");
        command.env_remove("SSH_AUTH_SOCK").env("UNRELATED_KEY", "x");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let file = home.path("hobnob/config/config.toml");
    let wanted = format!(
        "write pass = [\"DISPLAY\", \"NPM_CONFIG_REGISTRY\"] under [environment] in {}",
        file.display()
    );
    let shown = run(&["doctor", "broken"]);
    assert!(shown.contains(&wanted) && !shown.contains("UNRELATED"), "{shown}");
    assert!(
        run(&["show", "broken"]).contains("not passed  DISPLAY\n            NPM_CONFIG_REGISTRY")
    );
    home.write(
        "hobnob/config/config.toml",
        "[environment]\npass = [\"DISPLAY\", \"NPM_CONFIG_*\"]\n",
    );
    let shown = run(&["doctor", "broken"]);
    assert!(!shown.contains("pass = "), "{shown}");
}
