//! `config.toml`: defaults, every setting, errors with their positions, and a server's settings.

use std::path::Path;
use std::time::Duration;

use hobnob_config::{
    ConfinementLevel, IdleStop, Isolation, PinMode, Position, Problem, RecordingMode, RuleText,
    Servers, Settings, Start,
};

use crate::support::{Scratch, name};

fn parse(text: &str) -> Result<Settings, Problem> {
    Settings::parse(Path::new("config.toml"), text)
}

/// A user who can write these files decides what runs.
#[cfg(unix)]
#[test]
fn files_that_others_may_write_are_refused() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let scratch = Scratch::new();
    let places = scratch.places();
    let (settings, servers) = (places.settings(), places.own_mcp_json());
    for (file, text) in [(&settings, "[gateway]\n"), (&servers, r#"{"mcpServers": {}}"#)] {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let its = metadata(&settings).unwrap();
    // A group with the number of its user is the user's own.
    let is_own_group = its.gid() == its.uid();
    for (mode, is_read) in [(0o600, true), (0o644, true), (0o664, is_own_group), (0o666, false)] {
        for file in [&settings, &servers] {
            set_permissions(file, Permissions::from_mode(mode)).unwrap();
        }
        let problems = [
            Settings::load(&settings).err(),
            Servers::load(&places, &|_| None).problems().first().cloned(),
        ];
        for problem in problems {
            assert_eq!(problem.is_none(), is_read, "{mode:o}: {problem:?}");
            assert!(problem.is_none_or(|it| it.to_string().contains("chmod go-w ")), "{mode:o}");
        }
    }
}

const EVERYTHING: &str = r#"
[gateway]
start = "eager"
idle_stop = "never"
result_cap = 1000
first_list_wait = "0s"
parallel_starts = 3
pins = false
poll_interval = "1s"
attach = false

[timeouts]
connect = "1s"
handshake = "2s"
install = "90s"
call = "3s"
call_max = "4s"

[environment]
pass = ["FOO_*"]

[confinement]
level = "subreaper"

[audit]
enabled = false
mode = "strict"
keep_decisions = "300d"

[usage]
enabled = false
keep_days = 30

[[permissions]]
tool = "mcp__git__*"
action = "allow"

[[permissions]]
tool = "shell_run"
pattern = "rm *"
action = "deny"

[servers.slow]
start = "lazy"
idle_stop = "1h"
confinement = "group"
call = "2m"
poll_interval = "9s"
isolation = "client"

[servers."with space"]

[services]
health = true
shell = false
"#;

#[test]
fn nothing_written_is_all_defaults() {
    let scratch = Scratch::new();
    let settings = Settings::load(&scratch.path("config.toml")).unwrap();
    assert_eq!(settings, parse("").unwrap());
    assert_eq!(settings, parse("[gateway]\n[timeouts]\n[audit]").unwrap());
    let gateway = &settings.gateway;
    assert_eq!(gateway.idle_stop, IdleStop::After(Duration::from_secs(600)));
    assert_eq!(
        (gateway.start, gateway.result_cap, gateway.pins),
        (Start::Lazy, 262_144, PinMode::Strict)
    );
    assert_eq!(gateway.first_list_wait, Duration::from_millis(2500));
    assert_eq!(gateway.poll_interval, Duration::from_secs(5));
    assert!(gateway.attach);
    let seconds = [5, 30, 60, 900].map(Duration::from_secs);
    let timeouts = &settings.timeouts;
    assert_eq!([timeouts.connect, timeouts.handshake, timeouts.call, timeouts.call_max], seconds);
    assert_eq!(settings.confinement.level, ConfinementLevel::Auto);
    assert!(settings.audit.enabled);
    assert_eq!(settings.audit.mode, RecordingMode::BestEffort);
}

#[test]
fn every_setting_can_be_written() {
    let settings = parse(EVERYTHING).unwrap();
    assert_eq!(settings.gateway.idle_stop, IdleStop::Never);
    assert_eq!(settings.gateway.first_list_wait, Duration::ZERO);
    assert_eq!(settings.gateway.parallel_starts.map(|it| it.get()), Some(3));
    assert_eq!(settings.timeouts.install, Duration::from_secs(90));
    let slow = settings.servers.iter().find(|(name, _)| name.as_str() == "slow");
    assert_eq!(slow.unwrap().1.isolation, Some(Isolation::Client));
    assert_eq!(settings.environment.pass, ["FOO_*"]);
    assert_eq!(settings.audit.mode, RecordingMode::Strict);
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    assert_eq!(settings.audit.keep_decisions, Some(days(300)));
    assert_eq!((settings.usage.enabled, settings.usage.keep_days.get()), (false, 30));
    let rule = |tool: &str, pattern: Option<&str>, action: &str| RuleText {
        principal: None,
        group: None,
        server: None,
        tool: Some(tool.into()),
        pattern: pattern.map(String::from),
        action: action.into(),
    };
    assert_eq!(
        settings.permissions,
        [rule("mcp__git__*", None, "allow"), rule("shell_run", Some("rm *"), "deny")]
    );
    assert!(settings.servers.contains_key("with space"));
    assert_eq!((settings.services["health"], settings.services["shell"]), (true, false));
}

#[test]
fn errors_have_positions() {
    for (text, line, column, part) in [
        ("[gateway]\nstart = \"now\"", 2, 9, "unknown variant"),
        ("[gateway]\n\nidle_stop = \"soon\"", 3, 13, "not a length of time"),
        ("[gateway]\nidle = 1", 2, 1, "unknown field `idle`"),
        ("[gatewai]", 1, 2, "unknown field `gatewai`"),
        ("[gateway]\nresult_cap = -1", 2, 14, "invalid value"),
        ("[gateway]\npoll_interval = \"999ms\"", 2, 17, "too short"),
        ("[timeouts]\ncall = \"0s\"", 2, 8, "must not be zero"),
        ("[timeouts]\ncall = 30", 2, 8, "invalid type"),
        ("[audit]\nenabled = true\nenabled = false", 3, 1, "duplicate key"),
        ("[audit]\nmode = \"always\"", 2, 8, "unknown variant"),
        ("[audit]\nkeep_decisions = \"0s\"", 2, 18, "must not be zero"),
        ("[usage]\nkeep_days = 0", 2, 13, "nonzero"),
        ("[[permissions]]\ntool = \"x\"\naction = \"maybe\"", 3, 10, "not an action"),
        ("[[permissions]]\ntool = \"x\"", 1, 1, "missing field `action`"),
        ("[servers.\"a/b\"]", 1, 10, "cannot name a server"),
        ("[servers.a]\ncall = \"x\"", 2, 8, "not a length of time"),
        ("[gateway]\npins = \"sometimes\"", 2, 8, "\"strict\", \"descriptions\" or \"off\""),
        ("[servers.a]\npins = 1", 2, 8, "invalid type"),
        ("[servers.a]\nport = 1", 2, 1, "unknown field `port`"),
        ("[servers.a]\nsandbox = { reads = [] }", 2, 13, "unknown field `reads`"),
        ("[servers.a]\nsandbox = { read = [\"a\"] }", 2, 11, "`read[0]` is not an absolute path"),
        ("[servers.a]\nsandbox = { accept = \"weak\" }", 2, 22, "unknown variant `weak`"),
        ("[logs]\nanonymise = \"no\"", 2, 13, "invalid type"),
        ("[registry]\nwine_prefix = \".wine\"", 2, 15, "not an absolute path"),
        ("[shell]\nmemory = 1000", 2, 10, "must be at least 16777216 bytes"),
        ("[shell]\nprocesses = 0", 2, 13, "nonzero"),
        ("[shell]\ncpu = \"10ms\"", 2, 7, "at least one second"),
        ("ä = [", 1, 6, "unclosed array"),
    ] {
        let problem = parse(text).unwrap_err();
        assert_eq!(problem.position, Some(Position { line, column }), "{text}: {problem}");
        assert!(problem.message.contains(part), "{text}: {problem}");
        assert!(!problem.message.contains('\n'));
    }
}

#[test]
fn settings_for_one_server_override_its_entry() {
    let scratch = Scratch::new();
    scratch.write(
        "home/.mcp.json",
        r#"{"mcpServers": {"x": {"command": "a", "timeout": "20m", "start": "eager"}}}"#,
    );
    let servers = scratch.servers();
    let spec = servers.get("x").unwrap().state.as_ref().unwrap();
    let effective = |text: &str| parse(text).unwrap().for_server(&name("x"), spec);
    let plain = effective("");
    assert_eq!((plain.start, plain.call), (Start::Eager, Duration::from_secs(1200)));
    assert_eq!(plain.call_max, plain.call);
    assert_eq!(plain.idle_stop, IdleStop::After(Duration::from_secs(600)));
    let text = "[gateway]\nstart = \"eager\"\n[servers.x]\nstart = \"lazy\"\ncall = \"1s\"\n\
                confinement = \"group\"\nidle_stop = \"never\"\npoll_interval = \"7s\"";
    let named = effective(text);
    assert_eq!((named.start, named.call), (Start::Lazy, Duration::from_secs(1)));
    assert_eq!((named.confinement, named.idle_stop), (ConfinementLevel::Group, IdleStop::Never));
    assert_eq!(named.poll_interval, Duration::from_secs(7));
    assert_eq!(named.sandbox, None);
    let sandbox = effective("[servers.x]\nsandbox = { write = [\"~/x\"] }").sandbox.unwrap();
    assert_eq!(sandbox.lines(), ["in a sandbox, without network", "writes ~/x"]);
    assert_eq!(named.call_max, Duration::from_secs(900));
}

#[test]
fn tools_are_kept_in_the_list_by_server_or_by_name() {
    let text = "servers.git.always = true\n[tools.\"mcp__git__*\"]\nalways = false\n\
                [tools.mcp__git__git_log]\nalways = true\n[tools.\"memory_*\"]\nalways = true";
    let (by_server, by_tool) = (parse("servers.git.always = true").unwrap(), parse(text).unwrap());
    for (server, tool, one, other) in [
        (Some("git"), "mcp__git__git_log", true, true),
        (Some("git"), "mcp__git__git_diff", true, false),
        (Some("hub"), "mcp__hub__git_log", false, false),
        (None, "memory_recall", false, true),
        (None, "git", false, false),
    ] {
        assert_eq!(by_server.keeps_listed(server, tool), one, "{tool}");
        assert_eq!(by_tool.keeps_listed(server, tool), other, "{tool}");
    }
}

#[test]
fn pins_can_be_set_for_all_servers_or_for_one() {
    let scratch = Scratch::new();
    scratch.write("home/.mcp.json", r#"{"mcpServers": {"x": {"command": "a"}}}"#);
    let servers = scratch.servers();
    let spec = servers.get("x").unwrap().state.as_ref().unwrap();
    for (text, wanted) in [
        ("", PinMode::Strict),
        ("gateway.pins = true", PinMode::Strict),
        ("gateway.pins = false", PinMode::Off),
        ("gateway.pins = \"descriptions\"", PinMode::Descriptions),
        ("gateway.pins = \"off\"\nservers.x.pins = \"strict\"", PinMode::Strict),
        ("servers.x.pins = \"off\"", PinMode::Off),
        ("servers.y.pins = \"off\"", PinMode::Strict),
    ] {
        assert_eq!(parse(text).unwrap().for_server(&name("x"), spec).pins, wanted, "{text}");
    }
}

/// The page of the documentation that shows the whole file.
fn documented() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/settings.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_documented_file_is_all_defaults_and_has_every_setting() {
    let text = documented();
    let mut written = parse(&text).unwrap();
    // The settings do not know which services exist.
    written.services.clear();
    assert_eq!(written, Settings::default());
    // The error for an unknown key lists all keys that exist.
    let tables = ["gateway", "timeouts", "environment", "confinement", "audit", "usage", "memory"];
    let tables = [
        "embeddings",
        "models",
        "registry",
        "shell",
        "limits",
        "listener",
        "servers.x",
        "tools.x",
        "metrics",
    ]
    .into_iter()
    .chain(tables);
    for table in tables {
        let message = parse(&format!("[{table}]\nno_such_key = 1")).unwrap_err().message;
        let (_, known) = message.split_once("expected ").unwrap();
        for key in known.split('`').skip(1).step_by(2) {
            let has = |line: &str| {
                let line = line.trim_start_matches("# ");
                line.starts_with(&format!("{key} = "))
            };
            assert!(text.lines().any(has), "`{key}` of [{table}] is not in docs/src/settings.md");
        }
    }
}

#[test]
fn metrics_and_traces_are_off_unless_they_are_written() {
    let default = Settings::default();
    assert!(!default.metrics.enabled);
    assert_eq!(default.traces.endpoint, None);
    let metrics = parse("[metrics]\nenabled = true\ntoken_file = \"t\"").unwrap().metrics;
    assert!(metrics.enabled);
    assert_eq!(metrics.token_file.as_deref(), Some(Path::new("t")));
    for (written, endpoint) in [
        ("http://127.0.0.1:4318", Some("http://127.0.0.1:4318")),
        ("https://otel.example.com/base/", Some("https://otel.example.com/base")),
        ("http://", None),
        ("127.0.0.1:4318", None),
        ("ftp://example.com", None),
        ("http://user:secret@example.com", None),
        ("http://example.com/?key=1", None),
        ("http://example.com/#x", None),
        ("", None),
    ] {
        let read = parse(&format!("[traces]\nendpoint = \"{written}\""));
        let read = read.map(|it| it.traces.endpoint);
        match endpoint {
            Some(endpoint) => assert_eq!(read.unwrap().as_deref(), Some(endpoint), "{written}"),
            None => {
                let problem = read.unwrap_err().to_string();
                assert!(problem.contains("http://127.0.0.1:4318"), "{written}: {problem}");
            }
        }
    }
}
