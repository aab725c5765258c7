//! `.mcp.json`: good and bad entries, broken files, the merge, digests, and the displayed texts.

use std::path::Path;
use std::time::Duration;

use hobnob_config::{
    AcceptedSandbox, Approvals, HttpKind, Origin, Position, Secret, ServerSandbox, ServerSpec,
    Servers, Start, Switch, Target,
};

use crate::support::{Scratch, TOKEN, name, variables};

/// The one server `x` of a user's file.
fn load(entry: &str) -> (Scratch, Servers) {
    let scratch = Scratch::new();
    scratch.write("home/.mcp.json", &format!(r#"{{"mcpServers": {{"x": {entry}}}}}"#));
    let servers = scratch.servers();
    assert_eq!(servers.problems(), [], "{entry}");
    (scratch, servers)
}

fn spec(entry: &str) -> ServerSpec {
    load(entry).1.get("x").unwrap().state.clone().unwrap()
}

fn problem(entry: &str) -> String {
    load(entry).1.get("x").unwrap().state.clone().unwrap_err().to_string()
}

#[test]
fn comments_and_trailing_commas_are_read() {
    let (_, plain) = load(r#"{"command": "run", "args": ["//no", "a,]"]}"#);
    let (_, commented) =
        load("/* one */ {\n // two\n\"command\": \"run\", \"args\": [\"//no\", \"a,]\",],\n}");
    let [plain, commented] = [plain, commented].map(|it| it.get("x").unwrap().clone());
    assert_eq!((plain.digest, plain.state), (commented.digest, commented.state));
}

#[test]
fn the_key_of_an_editor_is_explained() {
    let scratch = Scratch::new();
    scratch.write("project/.mcp.json", r#"{"servers": {"x": {"command": "run"}}}"#);
    let problems = scratch.servers().problems().to_vec();
    let [problem] = &problems[..] else { panic!("one problem: {problems:?}") };
    assert!(problem.to_string().contains("rename it to `mcpServers`"), "{problem}");
    // Beside the right key, the wrong one is ignored like any unknown key.
    scratch.write("project/.mcp.json", r#"{"mcpServers": {}, "servers": {}}"#);
    assert_eq!(scratch.servers().problems(), []);
}

#[test]
fn a_command_with_everything() {
    let spec = spec(
        r#"{"command": "run", "args": ["--key", "${TOKEN}"], "env": {"B": "${NONE:-d}", "A": "1"},
            "cwd": "/w", "timeout": 1500, "allowedTools": ["read_*"], "deniedTools": ["read_all"],
            "roots": ["/r", "file:///a%20b", "sub", "~/docs"], "start": "eager",
            "someoneElses": {"field": [1]}}"#,
    );
    let Target::Command { program, args, env, cwd } = &spec.target else { panic!("{spec:?}") };
    assert_eq!(program.expose(), "run");
    assert_eq!(args.iter().map(|it| it.expose()).collect::<Vec<_>>(), ["--key", TOKEN]);
    let env: Vec<_> = env.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
    assert_eq!(env, [("A", "1"), ("B", "d")]);
    assert_eq!(cwd.as_ref().unwrap().expose(), "/w");
    assert_eq!((spec.timeout, spec.start), (Some(Duration::from_millis(1500)), Some(Start::Eager)));
    assert!(spec.tools.permits("read_file"));
    assert!(!spec.tools.permits("read_all") && !spec.tools.permits("write"));
    let roots: Vec<_> = spec.roots.iter().map(|it| it.to_str().unwrap()).collect();
    assert_eq!(roots[..2], ["/r", "/a b"]);
    assert!(roots[2].ends_with("home/sub") && roots[3].ends_with("home/docs"), "{roots:?}");
    assert_eq!(spec.display_command(), "run --key ${TOKEN}");
    assert_eq!(
        spec.approval_lines(),
        ["run --key ${TOKEN}", "in /w", "with A=1", "with B=${NONE:-d}"]
    );
}

#[test]
fn a_sandbox_is_part_of_an_entry() {
    let spec = spec(
        r#"{"command": "a", "sandbox": {"read": ["/r", "~/docs"], "write": ["/${TOKEN}"],
            "network": true, "accept": "partial"}}"#,
    );
    let sandbox = spec.sandbox.as_ref().unwrap();
    let home = Path::new("/home/me");
    let paths = |list: &[Secret]| -> Vec<_> {
        list.iter().map(|path| ServerSandbox::path(home, path)).collect()
    };
    assert_eq!(paths(&sandbox.read), [Path::new("/r"), Path::new("/home/me/docs")]);
    assert_eq!(paths(&sandbox.write), [Path::new("/").join(TOKEN)]);
    assert_eq!((sandbox.network, sandbox.accept), (true, AcceptedSandbox::Partial));
    assert_eq!(
        spec.approval_lines(),
        [
            "a",
            "in a sandbox, with network",
            "reads /r",
            "reads ~/docs",
            "writes /${TOKEN}",
            "accepts a partial sandbox",
        ]
    );
    assert!(!spec.conceal(&format!("no /{TOKEN}")).contains(TOKEN));
    // A server at a URL runs no program of ours.
    assert_eq!(self::spec(r#"{"url": "http://a", "sandbox": {}}"#).sandbox, None);
    for (written, wrong) in [
        ("true", "`sandbox`: is not an object"),
        (r#"{"reads": []}"#, "`sandbox.reads`: is unknown: a sandbox has `read`, `write`"),
        (r#"{"read": "/a"}"#, "`sandbox.read`: is not a list"),
        (r#"{"read": ["/a", 1]}"#, "`sandbox.read[1]`: is not a string"),
        (r#"{"read": ["a"]}"#, "`sandbox.read[0]`: is not an absolute path"),
        (r#"{"read": ["~me/a"]}"#, "`sandbox.read[0]`: is not an absolute path"),
        (r#"{"write": ["/a/../b"]}"#, "`sandbox.write[0]`: contains `..`"),
        (r#"{"write": ["/"]}"#, "`sandbox.write[0]`: is the whole file system"),
        (r#"{"write": ["${NONE}/a"]}"#, "variable `NONE` is not set"),
        (r#"{"network": "yes"}"#, "`sandbox.network`: is neither true nor false"),
        (r#"{"accept": "weak"}"#, "`sandbox.accept`: is neither"),
    ] {
        let problem = problem(&format!(r#"{{"command": "a", "sandbox": {written}}}"#));
        assert!(problem.contains(wrong), "{written}: {problem}");
    }
}

#[test]
fn kinds_of_http() {
    for (kind, expected) in [
        ("", HttpKind::Auto),
        (r#""type": "http","#, HttpKind::Streamable),
        (r#""type": "streamable-http","#, HttpKind::Streamable),
        (r#""type": "streamableHttp","#, HttpKind::Streamable),
        (r#""type": "sse","#, HttpKind::Sse),
        (r#""type": null,"#, HttpKind::Auto),
    ] {
        let entry = format!(r#"{{{kind} "url": "HTTPS://h/${{TOKEN}}", "headers": {{"A": "b"}}}}"#);
        let spec = spec(&entry);
        let Target::Url { url, kind, headers } = &spec.target else { panic!("{spec:?}") };
        assert_eq!((url.expose(), *kind), ("HTTPS://h/s3cret-value", expected));
        assert_eq!((headers[0].0.as_str(), headers[0].1.expose()), ("A", "b"));
        assert_eq!(spec.display_command(), "HTTPS://h/${TOKEN}");
    }
}

#[test]
fn bad_entries_name_server_and_field() {
    for (entry, message) in [
        ("3", "server `x`: is not an object: write {\"command\": …} or {\"url\": …}"),
        ("{}", "server `x`: has neither `command` nor `url`: set one of them"),
        (r#"{"command": 3}"#, "server `x`: `command`: is not a string"),
        (r#"{"command": ""}"#, "server `x`: `command`: is empty"),
        (r#"{"command": "a\u0000b"}"#, "server `x`: `command`: contains a NUL character"),
        (r#"{"command": "a", "args": "b"}"#, "server `x`: `args`: is not a list of strings"),
        (r#"{"command": "a", "args": ["b", 1]}"#, "server `x`: `args[1]`: is not a string"),
        (r#"{"command": "a", "env": []}"#, "server `x`: `env`: is not an object of strings"),
        (
            r#"{"command": "a", "env": {"PORT": 80}}"#,
            "server `x`: `env.PORT`: is not a string: put it in quotes",
        ),
        (r#"{"command": "a", "env": {"A=B": "c"}}"#, "server `x`: `env.A=B`: is not a valid name"),
        (
            r#"{"command": "a", "url": "b"}"#,
            "server `x`: `url`: and `command` are both set: keep one of them",
        ),
        (
            r#"{"command": "a", "type": "http"}"#,
            "server `x`: `type`: does not fit `command`: write \"stdio\", or omit it",
        ),
        (
            r#"{"url": "http://h", "type": "stdio"}"#,
            "server `x`: `type`: is \"stdio\", which requires `command`",
        ),
        (
            r#"{"url": "http://h", "type": "ws"}"#,
            "server `x`: `type`: is unknown: write \"http\" or \"sse\", or omit it",
        ),
        (
            r#"{"url": "ftp://h"}"#,
            "server `x`: `url`: is not a URL that begins with http:// or https://",
        ),
        (
            r#"{"url": "http:///path"}"#,
            "server `x`: `url`: is not a URL that begins with http:// or https://",
        ),
        (
            r#"{"url": "http://h", "headers": {"A": "b\r\nC: d"}}"#,
            "server `x`: `headers.A`: contains a line break or another control character",
        ),
        (
            r#"{"url": "http://h", "headers": {"A B": "c"}}"#,
            "server `x`: `headers.A B`: is not a valid name",
        ),
        (
            r#"{"command": "a", "timeout": "soon"}"#,
            "server `x`: `timeout`: is neither a number of milliseconds nor a string such as \"30s\"",
        ),
        (
            r#"{"command": "a", "timeout": -1}"#,
            "server `x`: `timeout`: is neither a number of milliseconds nor a string such as \"30s\"",
        ),
        (
            r#"{"command": "a", "timeout": 0}"#,
            "server `x`: `timeout`: is zero: omit it to use the default",
        ),
        (
            r#"{"command": "a", "disabled": "yes"}"#,
            "server `x`: `disabled`: is neither true nor false",
        ),
        (
            r#"{"command": "a", "start": "now"}"#,
            "server `x`: `start`: is neither \"lazy\" nor \"eager\"",
        ),
        (
            r#"{"command": "a", "roots": ["http://h"]}"#,
            "server `x`: `roots[0]`: is neither a path nor a file:// URI",
        ),
        (
            r#"{"command": "a", "allowedTools": [], "enabled_tools": []}"#,
            "server `x`: `enabled_tools`: means the same as `allowedTools`: keep one of them",
        ),
        (
            r#"{"command": "a", "env": {"K": "${TOKEN} ${GONE}"}}"#,
            "server `x`: `env.K`: variable `GONE` is not set: set it, or write `${GONE:-default}`",
        ),
    ] {
        assert_eq!(problem(entry), message, "{entry}");
    }
}

#[test]
fn codex_spelling_and_empty_lists() {
    let spec = spec(r#"{"command": "a", "enabled_tools": [], "disabled_tools": ["b"]}"#);
    assert!(!spec.tools.permits("a"));
    assert_eq!(spec.tools.denied, ["b"]);
}

#[test]
fn switches() {
    for (fields, expected) in [
        (r#""command": "a""#, Switch::On),
        (r#""command": "a", "disabled": true"#, Switch::Off),
        (r#""command": "a", "disabled": false"#, Switch::On),
        (r#""command": "a", "enabled": false"#, Switch::Off),
        (r#""command": "a", "enabled": true, "disabled": true"#, Switch::Off),
        // It is off, so its variable need not be set.
        (r#""command": "${GONE}", "disabled": true"#, Switch::Off),
    ] {
        let (_scratch, servers) = load(&format!("{{{fields}}}"));
        assert_eq!(servers.get("x").unwrap().switch, expected, "{fields}");
    }
}

#[test]
fn secrets_stay_out_of_debug_and_errors() {
    let entry = r#"{"command": "${TOKEN}", "args": ["${TOKEN}", "sk-literal"], "cwd": "/${TOKEN}",
                    "env": {"A": "${TOKEN}", "B": "sk-literal"}}"#;
    let (_scratch, servers) = load(entry);
    let server = servers.get("x").unwrap();
    let shown = format!("{server:?} {}", server.state.as_ref().unwrap().display_command());
    assert!(!shown.contains(TOKEN), "{shown}");
    assert!(!format!("{server:?}").contains("sk-literal"), "{server:?}");
    let message = problem(r#"{"url": "${TOKEN}", "headers": {"A": "sk-literal"}}"#);
    assert!(!message.contains(TOKEN) && !message.contains("sk-literal"), "{message}");
}

#[test]
fn what_is_approved_cannot_hide() {
    let spec =
        spec(r#"{"command": "sh", "args": ["-c", "echo 'a b'", "", "x\u001b[2K\r", "\u202e"]}"#);
    assert_eq!(spec.display_command(), r"sh -c 'echo '\''a b'\''' '' 'x\u{1b}[2K\r' '\u{202e}'");
}

#[test]
fn relative_programs_do_not_depend_on_where_we_run() {
    let scratch = Scratch::new();
    let text = r#"{"mcpServers": {
        "bare": {"command": "node"},
        "file": {"command": "./serve"},
        "cwd": {"command": "bin/serve", "cwd": "tools"},
        "home": {"command": "~/serve"}}}"#;
    scratch.write("project/.mcp.json", text);
    let servers = scratch.servers();
    let program = |name: &str| {
        let spec = servers.get(name).unwrap().state.clone().unwrap();
        let Target::Command { program, .. } = spec.target else { panic!("{name}") };
        program.expose().to_owned()
    };
    assert_eq!(program("bare"), "node");
    for (name, path) in
        [("file", "project/./serve"), ("cwd", "project/tools/bin/serve"), ("home", "home/serve")]
    {
        assert_eq!(program(name), scratch.path(path).to_str().unwrap());
    }
}

#[test]
fn broken_files_affect_only_their_own_servers() {
    let server = r#"{"command": "a"}"#;
    for (text, line, column, part) in [
        ("{\n  \"mcpServers\": {,}\n}", 2, 18, "key must be a string"),
        ("{", 1, 1, "EOF while parsing"),
        ("", 1, 1, "EOF while parsing"),
        (
            "{\"mcpServers\": {\n \"a\": {\"command\": \"x\"},\n \"a\": {\"command\": \"y\"}}}",
            3,
            4,
            "duplicate key `a`",
        ),
        ("{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"command\": \"y\"}}}", 2, 9, "`command`"),
    ] {
        let scratch = Scratch::new();
        let broken = scratch.write("project/.mcp.json", text);
        scratch.write("home/.mcp.json", &format!(r#"{{"mcpServers": {{"good": {server}}}}}"#));
        let servers = scratch.servers();
        assert!(servers.get("good").unwrap().state.is_ok());
        assert_eq!(servers.len(), 1);
        let [problem] = servers.problems() else { panic!("{:?}", servers.problems()) };
        assert_eq!(problem.position, Some(Position { line, column }), "{problem}");
        assert!(problem.message.contains(part), "{problem}");
        assert!(
            problem.to_string().starts_with(&format!("{}:{line}:{column}: ", broken.display()))
        );
    }
}

#[test]
fn files_that_are_no_list_of_servers() {
    for (text, message) in [
        ("[]", "is not a JSON object"),
        (r#"{"mcpServers": []}"#, "`mcpServers` is not an object"),
        (r#"{"mcpServers": {"a/b": {"command": "x"}}}"#, "`a/b` cannot name a server"),
    ] {
        let scratch = Scratch::new();
        scratch.write("home/.mcp.json", text);
        let servers = scratch.servers();
        assert!(servers.is_empty());
        assert!(servers.problems()[0].message.starts_with(message), "{:?}", servers.problems());
    }
    for text in ["{}", "\u{feff}{\"mcpServers\": {}}", r#"{"other": 1}"#] {
        let scratch = Scratch::new();
        scratch.write("home/.mcp.json", text);
        assert_eq!(scratch.servers().problems(), [], "{text}");
    }
    let missing = Scratch::new().servers();
    assert!(missing.is_empty() && missing.problems().is_empty());
    let scratch = Scratch::new();
    let huge = format!("{{\"x\": \"{}\"}}", "y".repeat(5 * 1024 * 1024));
    scratch.write("home/.mcp.json", &huge);
    assert!(scratch.servers().problems()[0].message.contains("more than"));
    scratch.write("project/.mcp.json", &"[".repeat(100_000));
    assert_eq!(scratch.servers().problems().len(), 2);
}

#[test]
fn a_later_file_replaces_the_whole_entry() {
    let scratch = Scratch::new();
    scratch.write(
        "home/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "user", "env": {"E": "1"}}, "u": {"command": "user"}}}"#,
    );
    scratch.write("config/mcp.json", r#"{"mcpServers": {"a": {"command": "own"}}}"#);
    scratch.write(
        "project/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "project"}, "p": {"command": 1}}}"#,
    );
    let waiting = scratch.servers().get("a").unwrap().waiting.clone().unwrap();
    let mut approvals = Approvals::load(&scratch.places().approvals()).unwrap();
    approvals.approve(&scratch.path("project"), &name("a"), waiting.digest);
    approvals.save().unwrap();
    let servers = scratch.servers();
    let seen: Vec<_> = servers.iter().map(|it| (it.name.as_str(), it.origin)).collect();
    assert_eq!(seen, [("a", Origin::Project), ("p", Origin::Project), ("u", Origin::User)]);
    let winner = servers.get("a").unwrap();
    assert_eq!(winner.state.as_ref().unwrap().approval_lines(), ["project"]);
    assert_eq!(winner.hides, [Origin::User, Origin::Own]);
    let bad: Vec<_> = servers.misconfigured().map(|it| it.server.clone()).collect();
    assert_eq!(bad, [name("p")]);
}

#[test]
fn digests_are_of_what_is_written() {
    let digest = |entry: &str| load(entry).1.get("x").unwrap().digest;
    let base = digest(r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}}"#);
    for same in [
        r#"{"env": {"B": "2", "A": "1"}, "args": ["${TOKEN}"], "command": "a"}"#,
        r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}, "timeout": 5}"#,
        r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}, "cwd": null}"#,
    ] {
        assert_eq!(digest(same), base, "{same}");
    }
    for other in [
        r#"{"command": "b", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}}"#,
        r#"{"command": "a", "args": ["s3cret-value"], "env": {"A": "1", "B": "2"}}"#,
        r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "3"}}"#,
        r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}, "cwd": "/"}"#,
        r#"{"command": "a", "args": ["${TOKEN}"]}"#,
        r#"{"command": "a", "args": ["${TOKEN}"], "env": {"A": "1", "B": "2"}, "sandbox": {}}"#,
    ] {
        assert_ne!(digest(other), base, "{other}");
    }
}

#[test]
fn launch_keys_are_of_what_runs() {
    let scratch = Scratch::new();
    let text = r#"{"mcpServers": {"x": {"command": "a", "args": ["${V:-1}"]}}}"#;
    scratch.write("home/.mcp.json", text);
    let key = |value: Option<&str>| {
        let lookup = |_: &str| value.map(String::from);
        let servers = Servers::load(&scratch.places(), &lookup);
        let server = servers.get("x").unwrap();
        (server.digest, server.state.as_ref().unwrap().launch_key())
    };
    assert_eq!(key(None), key(Some("1")));
    assert_eq!(key(None).0, key(Some("2")).0);
    assert_ne!(key(None).1, key(Some("2")).1);
    let pair = [
        spec(r#"{"command": "a", "args": ["E", "1"]}"#),
        spec(r#"{"command": "a", "env": {"E": "1"}}"#),
    ];
    assert_ne!(pair[0].launch_key(), pair[1].launch_key());
}

#[test]
fn a_folder_in_place_of_a_file_is_a_problem() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.path("home/.mcp.json")).unwrap();
    let servers = Servers::load(&scratch.places(), &variables);
    assert!(servers.problems()[0].message.contains("not a regular file"));
}

#[test]
fn an_unapproved_entry_of_the_project_replaces_nothing() {
    let scratch = Scratch::new();
    scratch.write("home/.mcp.json", r#"{"mcpServers": {"x": {"command": "mine"}}}"#);
    let theirs =
        r#"{"mcpServers": {"x": {"command": "theirs", "disabled": true}, "y": {"command": "z"}}}"#;
    scratch.write("project/.mcp.json", theirs);
    let servers = scratch.servers();
    let (x, y) = (servers.get("x").unwrap(), servers.get("y").unwrap());
    assert_eq!((x.origin, x.switch), (Origin::User, Switch::On));
    let waiting = x.waiting.as_deref().unwrap();
    assert_eq!((waiting.origin, waiting.switch), (Origin::Project, Switch::Off));
    // Without another entry, the project's entry is there and waits.
    assert_eq!((y.origin, y.waiting.is_none()), (Origin::Project, true));

    let mut approvals = Approvals::load(&scratch.places().approvals()).unwrap();
    approvals.approve(&scratch.path("project"), &name("x"), waiting.digest);
    approvals.save().unwrap();
    let servers = scratch.servers();
    let x = servers.get("x").unwrap();
    assert_eq!((x.origin, x.waiting.is_none()), (Origin::Project, true));
    assert_eq!(x.hides, [Origin::User]);

    // Approvals that cannot be trusted approve nothing.
    scratch.write("state/approvals.json", "{");
    assert_eq!(scratch.servers().get("x").unwrap().origin, Origin::User);
}

#[test]
fn the_same_entry_in_two_projects_is_two_servers() {
    let entry = r#"{"mcpServers": {"x": {"command": "./serve"}}}"#;
    let of = |file: &str, project: &str| {
        let scratch = Scratch::new();
        scratch.write(file, entry);
        let mut places = scratch.places();
        places.project = scratch.path(project);
        std::fs::create_dir_all(&places.project).unwrap();
        if file.starts_with("project") {
            std::fs::copy(scratch.path(file), places.project.join(".mcp.json")).unwrap();
        }
        let servers = Servers::load(&places, &|_| None);
        let server = servers.get("x").unwrap();
        (server.digest, server.identity)
    };
    let (one, other) = (of("project/.mcp.json", "a"), of("project/.mcp.json", "b"));
    assert_eq!(one.0, other.0);
    assert_ne!(one.1, other.1);
    // The user's own entry is one server in every project, under the key it always had.
    let (one, other) = (of("home/.mcp.json", "a"), of("home/.mcp.json", "b"));
    assert_eq!(one, other);
    assert_eq!(one.0, one.1);
}
