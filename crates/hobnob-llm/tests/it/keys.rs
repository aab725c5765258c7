//! A key is read once, for the first request, and again after the provider has refused it.

use std::fs;

use hobnob_llm::{HttpProvider, KeySource, Provider as _, ProviderError};

use crate::server::{ModelServer, ask, is_finished, options, status, whole};
use crate::streams::ANTHROPIC;

#[tokio::test]
async fn a_key_is_read_once_and_again_after_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("reads");
    let script = r#"echo read >> "$1"; echo "key-$(wc -l < "$1" | tr -d ' ')""#;
    let words = ["sh", "-c", script, "sh", log.to_str().unwrap()].map(Into::into);
    let good = whole(ANTHROPIC.kind, &ANTHROPIC.whole(), 64);
    let refused = status(401, "", r#"{"error":{"type":"authentication_error","message":"no"}}"#);
    let server = ModelServer::start(vec![good.clone(), good.clone(), refused, good]).await;
    let mut options = options(&server, ANTHROPIC.dialect);
    options.key = Some(KeySource::Command(words.into()));
    let provider = HttpProvider::new(options);
    assert!(!log.exists(), "nothing is read before it is needed");

    assert!(is_finished(&ask(&provider).await.0));
    assert!(is_finished(&ask(&provider).await.0));
    let (_, error) = ask(&provider).await;
    assert!(matches!(error, Some(ProviderError::Refused { status: 401, .. })), "{error:?}");
    assert!(is_finished(&ask(&provider).await.0));

    let keys = server.seen().into_iter().map(|request| {
        let lines = request.head.lines().map(str::to_owned).collect::<Vec<_>>();
        lines.into_iter().find_map(|line| line.strip_prefix("x-api-key: ").map(str::to_owned))
    });
    let keys: Vec<_> = keys.map(Option::unwrap).collect();
    assert_eq!(keys, ["key-1", "key-1", "key-1", "key-2"]);
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 2);
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let server = ModelServer::start(vec![status(200, "", "")]).await;
    let mut options = options(&server, ANTHROPIC.dialect);
    options.key = Some(KeySource::Variable("HOBNOB_TEST_NO_SUCH_KEY".into()));
    let (events, error) = ask(&HttpProvider::new(options)).await;
    assert!(events.is_empty());
    assert!(matches!(error, Some(ProviderError::Key(_))), "{error:?}");
    assert!(server.seen().is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_in_a_file_is_its_first_line_and_nobody_elses() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    let good = whole(ANTHROPIC.kind, &ANTHROPIC.whole(), 64);
    for (text, mode, problem) in [
        (Some("key-1\nmore\n"), 0o600, None),
        (Some("key-1\n"), 0o640, Some("chmod 600")),
        (Some("\nkey-1\n"), 0o600, Some("its first line is no key")),
        (None, 0, Some("No such file")),
    ] {
        drop(fs::remove_file(&file));
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let server = ModelServer::start(vec![good.clone()]).await;
        let mut options = options(&server, ANTHROPIC.dialect);
        options.key = Some(KeySource::File(file.clone()));
        let provider = HttpProvider::new(options);
        let found = provider.problem().await.map(|error| error.to_string());
        assert_eq!(found.is_some(), problem.is_some(), "{text:?}: {found:?}");
        let (_, error) = ask(&provider).await;
        match problem {
            None => assert!(server.seen()[0].head.contains("x-api-key: key-1")),
            Some(words) => {
                let message = error.unwrap().to_string();
                assert!(message.contains(words) && found.unwrap().contains(words), "{message}");
                assert!(!message.contains("key-1") && server.seen().is_empty(), "{message}");
            }
        }
    }
}
