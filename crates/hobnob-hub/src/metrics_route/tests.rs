//! The token of the page, and the figures that its route reads.

use super::{MetricsToken, word};
use crate::telemetry::open_metrics;
use hobnob_config::{MetricsSettings, Places};
use hobnob_gateway::Phase;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use std::path::Path;

fn places(folder: &Path) -> Places {
    let inside = |name: &str| folder.join(name);
    for name in ["config", "state"] {
        std::fs::create_dir_all(inside(name)).unwrap();
    }
    Places {
        home: folder.into(),
        config_dir: inside("config"),
        data_dir: inside("data"),
        state_dir: inside("state"),
        runtime_dir: inside("run"),
        project: folder.into(),
    }
}

fn settings(token_file: Option<&str>) -> MetricsSettings {
    MetricsSettings { enabled: true, token_file: token_file.map(Into::into) }
}

fn admits(token: &MetricsToken, values: &[&str]) -> bool {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(AUTHORIZATION, value.parse().unwrap());
    }
    token.admits(&headers)
}

#[test]
fn only_the_token_of_the_page_admits() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let token = MetricsToken::open(&places, &settings(None)).unwrap();
    let file = places.state_dir.join("metrics-secret");
    let secret = std::fs::read_to_string(&file).unwrap();
    let secret = secret.trim();
    assert!(!hobnob_disk::is_open_to_others(&std::fs::metadata(&file).unwrap()));
    let bearer = format!("Bearer {secret}");
    for (values, expected) in [
        (&[&*bearer][..], true),
        (&[&format!("bearer {secret}")], true),
        (&[], false),
        (&["Bearer "], false),
        (&["Bearer"], false),
        (&[secret], false),
        (&[&format!("Basic {secret}")], false),
        (&[&format!("{bearer}0")], false),
        (&[&bearer[..bearer.len() - 1]], false),
        (&[&*bearer, &*bearer], false),
    ] {
        assert_eq!(admits(&token, values), expected, "{values:?}");
    }
    let again = MetricsToken::open(&places, &settings(None)).unwrap();
    assert!(admits(&again, &[&bearer]), "it is kept");
    assert!(!format!("{token:?}").contains(secret));
}

#[test]
fn a_file_of_the_settings_has_to_have_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let places = places(folder.path());
    let named = settings(Some("monitor-token"));
    let file = places.config_dir.join("monitor-token");
    let problem = |text: Option<&str>| {
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        MetricsToken::open(&places, &named).map_err(|error| format!("{error:#}")).err()
    };
    for text in [None, Some(""), Some("\n"), Some("short"), Some("two words of it are wrong")] {
        let problem = problem(text).unwrap();
        assert!(problem.contains("`token_file` of [metrics]"), "{text:?}: {problem}");
        assert!(problem.contains("monitor-token"), "{text:?}: {problem}");
    }
    assert_eq!(problem(Some("0123456789abcdef\n")), None);
    let token = MetricsToken::open(&places, &named).unwrap();
    assert!(admits(&token, &["Bearer 0123456789abcdef"]));
    assert!(!places.state_dir.join("metrics-secret").exists());
}

#[test]
fn a_phase_has_the_word_of_the_status() {
    for phase in [
        Phase::Disabled,
        Phase::Misconfigured,
        Phase::Refused,
        Phase::NeedsApproval,
        Phase::NeedsLogin,
        Phase::Unknown,
        Phase::Stopped,
        Phase::Sleeping,
        Phase::Starting,
        Phase::Installing,
        Phase::Ready,
        Phase::Failed,
        Phase::Resting,
    ] {
        assert_eq!(serde_json::to_value(phase).unwrap(), word(phase));
    }
}

#[test]
fn metrics_are_off_by_default() {
    assert!(open_metrics(&MetricsSettings::default()).is_none());
    assert!(open_metrics(&settings(None)).is_some());
}
