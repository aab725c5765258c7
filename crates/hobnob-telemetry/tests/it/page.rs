//! The page that Prometheus reads, as `promtool` of Debian's package `prometheus` understands it.
//!
//! Where that program is not installed, only the strict parser below reads the page.

use hobnob_telemetry::{
    ErrorType, HubFigures, Metrics, Operation, PeerLink, SessionEnd, Transport, UpstreamConnection,
    UpstreamFigures, UpstreamOperation,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names that try to end a value, a line or the page.
const HOSTILE: [&str; 6] = [
    "a\"b",
    "a\\",
    "a\nmcp_server_operation_duration_seconds_sum 7",
    "\"} 1\n# EOF",
    "ä\u{202e}\r",
    "",
];

const PIPE: PeerLink = PeerLink { transport: Transport::Pipe, revision: "2026-07-28" };

/// A server that listens at a host of this name.
fn at(host: &str) -> UpstreamConnection {
    let link = PeerLink { transport: Transport::Http, revision: "2025-11-25" };
    UpstreamConnection { link, address: Some((host.into(), 8443)) }
}

/// The labels of `PIPE` and of `at`.
const PIPE_LABELS: [(&str, &str); 2] =
    [("mcp_protocol_version", "2026-07-28"), ("network_transport", "pipe")];
const HTTP_LABELS: [(&str, &str); 3] = [
    ("mcp_protocol_version", "2025-11-25"),
    ("network_transport", "tcp"),
    ("network_protocol_name", "http"),
];

fn operation(tool: &str) -> Operation<'_> {
    Operation {
        method: "tools/call",
        tool: Some(tool),
        upstream: None,
        error: None,
        duration: Duration::from_micros(300),
        request_bytes: 10,
        result_bytes: 100,
        link: PIPE,
    }
}

/// A page with a value in every family.
fn full_page() -> String {
    let metrics = Metrics::new("1.2.3");
    for tool in HOSTILE {
        metrics.tool_begun(tool);
        let there = at(tool);
        let connection = Some(&there);
        let upstream = Some(UpstreamOperation { server: tool, tool: Some(tool), connection });
        let error = Some(ErrorType::Code(-32603));
        metrics.ended(&Operation { upstream, error, ..operation(tool) });
        let hour = Duration::from_secs(3600);
        metrics.server_session_ended(tool, &there, hour, SessionEnd::Lost);
    }
    metrics.client_session_ended(PIPE, Duration::from_secs(7));
    // A name that the caller has invented.
    metrics.ended(&Operation {
        error: Some(ErrorType::Unanswered("refused")),
        ..operation("invented")
    });
    metrics.ended(&Operation {
        method: "resources/read",
        tool: None,
        error: Some(ErrorType::Unanswered("timeout")),
        duration: Duration::from_secs(70),
        ..operation("")
    });
    let upstream = |name: &str| UpstreamFigures {
        name: name.into(),
        phase: "ready",
        is_ready: true,
        starts: 3,
        in_flight: 2,
        tools: 40,
    };
    let figures = HubFigures {
        upstreams: HOSTILE.into_iter().map(upstream).collect(),
        running_calls: 1,
        store_bytes: Some(4096),
    };
    metrics.render(&figures).unwrap()
}

#[test]
fn promtool_accepts_the_page() {
    let page = full_page();
    strict::parse(&page);
    let checked = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut promtool = match checked {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("SKIPPED: promtool is not installed; Debian's package is `prometheus`");
            return;
        }
        checked => checked.unwrap(),
    };
    promtool.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}\n{page}");
}

#[test]
fn the_page_has_opentelemetrys_names_and_buckets() {
    let samples = strict::parse(&full_page());
    let sample = |name: &str, labels: &[(&str, &str)]| {
        let labels: BTreeMap<_, _> =
            labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let found = samples.iter().find(|it| it.name == name && it.labels == labels);
        found.unwrap_or_else(|| panic!("no {name} {labels:?} in {samples:#?}")).value
    };
    let of_pipe = |labels: &[(&'static str, &'static str)]| [labels, &PIPE_LABELS].concat();
    let read = of_pipe(&[("mcp_method_name", "resources/read"), ("error_type", "timeout")]);
    let server = "mcp_server_operation_duration_seconds";
    assert_eq!(sample(&format!("{server}_sum"), &read), 70.0);
    assert_eq!(sample(&format!("{server}_count"), &read), 1.0);
    for (bound, count) in [("60.0", 0.0), ("120.0", 1.0), ("+Inf", 1.0)] {
        let labels = [&*read, &[("le", bound)]].concat();
        assert_eq!(sample(&format!("{server}_bucket"), &labels), count, "{bound}");
    }
    let call = [("mcp_method_name", "tools/call"), ("gen_ai_operation_name", "execute_tool")];
    let refused = [("gen_ai_tool_name", "other"), ("error_type", "refused")];
    let refused = of_pipe(&[call, refused].concat());
    assert_eq!(sample(&format!("{server}_count"), &refused), 1.0);
    for name in HOSTILE {
        let code = [("error_type", "-32603"), ("rpc_response_status_code", "-32603")];
        let failed = [&call[..], &code, &[("gen_ai_tool_name", name)]].concat();
        let labels = [&*failed, &PIPE_LABELS].concat();
        assert_eq!(sample(&format!("{server}_count"), &labels), 1.0, "{name:?}");
        let of_server = [("hobnob_server", name)];
        let there = [("server_address", name), ("server_port", "8443")];
        let labels = [&*failed, &HTTP_LABELS, &of_server, &there].concat();
        assert_eq!(sample("mcp_client_operation_duration_seconds_count", &labels), 1.0, "{name:?}");
        let lost = [("error_type", "upstream_lost")];
        let labels = [&HTTP_LABELS[..], &of_server, &there, &lost].concat();
        assert_eq!(sample("mcp_client_session_duration_seconds_sum", &labels), 3600.0, "{name:?}");
        assert_eq!(sample("hobnob_upstream_starts_total", &of_server), 3.0);
        assert_eq!(sample("hobnob_upstream_up", &of_server), 1.0);
        assert_eq!(sample("hobnob_upstream_phase", &[of_server[0], ("phase", "ready")]), 1.0);
    }
    assert_eq!(sample("mcp_server_session_duration_seconds_sum", &PIPE_LABELS), 7.0);
    assert_eq!(sample("hobnob_running_calls", &[]), 1.0);
    assert_eq!(sample("hobnob_store_bytes", &[]), 4096.0);
    assert_eq!(sample("hobnob_build_info", &[("version", "1.2.3")]), 1.0);
    let calls = [("mcp_method_name", "tools/call")];
    assert_eq!(sample("hobnob_request_bytes_total", &calls), 70.0);
    assert_eq!(sample("hobnob_response_bytes_total", &calls), 700.0);
    let bounds = |it: &strict::Sample| it.labels.get("le").cloned();
    let bounds: BTreeSet<_> = samples.iter().filter_map(bounds).collect();
    // The conventions' own buckets.
    for bound in [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0] {
        assert!(bounds.contains(&format!("{bound:?}")), "{bound:?} in {bounds:?}");
    }
    assert_eq!(bounds.len(), 25, "ours as well: {bounds:?}");
}

#[test]
fn the_page_stays_small_whatever_names_arrive() {
    let metrics = Metrics::new("1.2.3");
    for number in 0..5000 {
        let name = format!("{number}{}", "x".repeat(500));
        metrics.tool_begun(&name);
        let there = at(&name);
        let connection = Some(&there);
        let upstream = Some(UpstreamOperation { server: &name, tool: Some(&name), connection });
        let error = Some(ErrorType::Code(number));
        metrics.ended(&Operation { upstream, error, ..operation(&name) });
        metrics.server_session_ended(&name, &there, Duration::ZERO, SessionEnd::Closed);
    }
    let page = metrics.render(&HubFigures::default()).unwrap();
    let samples = strict::parse(&page);
    let counted = |name: &str| {
        samples.iter().filter(|it| it.name == format!("{name}_count")).map(|it| it.value).sum()
    };
    for name in [
        "mcp_server_operation_duration_seconds",
        "mcp_client_operation_duration_seconds",
        "mcp_client_session_duration_seconds",
    ] {
        let calls: f64 = counted(name);
        assert_eq!(calls, 5000.0, "every call counts somewhere");
    }
    assert!(samples.len() < 2 * 23 * 701 + 21 * 201 + 100, "{} samples", samples.len());
}

#[test]
fn the_dashboard_asks_for_what_the_page_has() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packaging/grafana/hobnob.json");
    let dashboard: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let samples = strict::parse(&full_page());
    let names: BTreeSet<&str> = samples.iter().map(|it| it.name.as_str()).collect();
    let labels: BTreeSet<&str> =
        samples.iter().flat_map(|it| it.labels.keys().map(String::as_str)).collect();
    let mut asked = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let words = target["expr"].as_str().unwrap();
            let words = words.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
            for word in words.filter(|it| it.contains('_')) {
                let is_name = names.contains(word);
                let is_function = ["histogram_quantile", "__rate_interval"].contains(&word);
                assert!(is_name || is_function || labels.contains(word), "{word} in {target}");
                asked.extend(is_name.then(|| word.to_owned()));
            }
        }
    }
    assert!(10 < asked.len(), "{asked:?}");
}

/// A parser of the text format that forgives nothing.
mod strict {
    use std::collections::{BTreeMap, HashSet};

    #[derive(Debug)]
    pub(super) struct Sample {
        pub(super) name: String,
        pub(super) labels: BTreeMap<String, String>,
        pub(super) value: f64,
    }

    /// All samples; panics at a line that is not of the format, at a sample outside its family, and
    /// at one that is there twice.
    pub(super) fn parse(page: &str) -> Vec<Sample> {
        assert!(page.ends_with('\n'));
        let mut samples = Vec::new();
        let (mut family, mut families) = ((String::new(), String::new()), HashSet::new());
        let mut seen = HashSet::new();
        for line in page.trim_end_matches('\n').split('\n') {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, text) = help.split_once(' ').unwrap();
                assert!(is_name(name) && !text.is_empty(), "{line}");
                assert!(families.insert(name.to_owned()), "twice: {line}");
                family = (name.to_owned(), String::new());
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert_eq!(name, family.0, "{line}");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                kind.clone_into(&mut family.1);
            } else if line.starts_with("# UNIT ") {
                assert!(family.0.ends_with("_seconds"), "{line}");
            } else {
                let sample = sample(line);
                let suffix =
                    sample.name.strip_prefix(&family.0).unwrap_or_else(|| panic!("{line}"));
                let suffixes: &[&str] = match family.1.as_str() {
                    "histogram" => &["_sum", "_count", "_bucket"],
                    _ => &[""],
                };
                assert!(suffixes.contains(&suffix), "{line}");
                assert!(seen.insert((sample.name.clone(), sample.labels.clone())), "twice: {line}");
                samples.push(sample);
            }
        }
        samples
    }

    fn is_name(name: &str) -> bool {
        !name.is_empty()
            && name.starts_with(|it: char| it.is_ascii_alphabetic())
            && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
    }

    fn sample(line: &str) -> Sample {
        let end = line.find(['{', ' ']).unwrap();
        let (name, mut rest) = line.split_at(end);
        assert!(is_name(name), "{line}");
        let mut labels = BTreeMap::new();
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside;
            loop {
                let (label, after) = rest.split_once("=\"").unwrap();
                assert!(is_name(label), "{line}");
                let (value, after) = quoted(after);
                assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
                match after.strip_prefix(',') {
                    Some(more) => rest = more,
                    None => break rest = after.strip_prefix('}').unwrap(),
                }
            }
        }
        let value = rest.strip_prefix(' ').unwrap();
        assert!(!value.contains(' '), "{line}");
        Sample { name: name.to_owned(), labels, value: value.parse().unwrap() }
    }

    /// The value up to its closing quote, without its escapes.
    fn quoted(text: &str) -> (String, &str) {
        let mut value = String::new();
        let mut letters = text.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => return (value, &text[at + 1..]),
                '\\' => value.push(match letters.next().unwrap().1 {
                    'n' => '\n',
                    escaped @ ('"' | '\\') => escaped,
                    other => panic!("no escape: {other}"),
                }),
                letter => value.push(letter),
            }
        }
        panic!("no end: {text}")
    }
}
