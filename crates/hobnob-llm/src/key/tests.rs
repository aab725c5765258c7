//! Where keys come from, with real programs, and that no output shows a key.

use super::source::keyring_words;
use super::{KeySource, ProviderKey};
use crate::error::ProviderError;

const CANARY: &str = "sk-canary-0123456789";

#[test]
fn a_key_shows_nothing_of_itself() {
    let key = ProviderKey::new(&format!(" {CANARY}\n")).unwrap();
    let header = key.header("Bearer ").unwrap();
    assert_eq!(header.to_str().unwrap(), format!("Bearer {CANARY}"));
    assert!(header.is_sensitive());
    for shown in [format!("{key:?}"), format!("{header:?}"), format!("{:?}", Some(&key))] {
        assert!(!shown.contains("canary"), "{shown}");
    }
    for (text, clean) in [
        (format!("a {CANARY} b {CANARY}"), "a [redacted] b [redacted]"),
        (format!("cut {}", &CANARY[..12]), "cut [redacted]"),
        ("sk-ca".into(), "sk-ca"),
        ("nothing".into(), "nothing"),
    ] {
        assert_eq!(&*key.redact(&text), clean);
    }
    assert_eq!(ProviderKey::new(" \n"), None);
    let unfit = ProviderKey::new("sk-canary-\u{7f}x").unwrap().header("").unwrap_err();
    assert!(!unfit.to_string().contains("canary"), "{unfit}");
}

#[test]
fn the_keyring_is_asked_with_the_systems_program() {
    let words = |system| keyring_words(system, "hobnob", "x; rm -rf /");
    let linux = ["secret-tool", "lookup", "service", "hobnob", "account", "x; rm -rf /"];
    assert_eq!(words("linux").unwrap(), linux);
    let mac = ["security", "find-generic-password", "-s", "hobnob", "-a", "x; rm -rf /", "-w"];
    assert_eq!(words("macos").unwrap(), mac);
    assert_eq!(words("windows"), None);
}

#[tokio::test]
async fn a_variable_that_is_not_set_is_named() {
    let source = KeySource::Variable("HOBNOB_TEST_NO_SUCH_KEY".into());
    let error = source.read().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model provider's key cannot be read: the variable `HOBNOB_TEST_NO_SUCH_KEY` is not set"
    );
    // Cargo sets this one for every test.
    let source = KeySource::Variable("CARGO_PKG_NAME".into());
    assert_eq!(source.read().await.unwrap(), ProviderKey::new("hobnob-llm").unwrap());
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_gives_its_first_line_and_no_shell_reads_it() {
    for (words, expected) in [
        (vec!["printf", "%s\\nsecond\\n", CANARY], Ok(CANARY)),
        (vec!["printf", "%s", "$HOME;`id`"], Ok("$HOME;`id`")),
        (vec!["sh", "-c", "printf '%s' sk-canary-early; exit 3"], Err("it exited with code 3")),
        (vec!["sh", "-c", "echo sk-canary >&2; exit 1"], Err("it exited with code 1")),
        (vec!["printf", "\\n"], Err("gave an empty line")),
        (vec!["printf", "\\377"], Err("it is not text")),
        (vec!["yes", "sk-canary"], Err("it writes more than a key")),
        (vec!["hobnob-test-no-such-program"], Err("the program was not found")),
        (vec![], Err("it names no program")),
    ] {
        let source = KeySource::Command(words.iter().map(|word| (*word).into()).collect());
        match (source.read().await, expected) {
            (Ok(key), Ok(expected)) => assert_eq!(Some(key), ProviderKey::new(expected)),
            (Err(ProviderError::Key(reason)), Err(expected)) => {
                assert!(reason.contains(expected), "{words:?}: {reason}");
                assert!(!reason.contains("canary"), "{reason}");
            }
            (found, _) => panic!("{words:?}: {found:?}"),
        }
    }
}
