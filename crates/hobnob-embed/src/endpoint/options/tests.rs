//! Which settings make an endpoint, and what it is called.

use super::{ApiKey, EndpointOptions, address, model_id};

#[test]
fn addresses_and_names() {
    for (url, address_expected, id) in [
        ("https://api.example.org/v1", "https://api.example.org/v1/embeddings", "api.example.org"),
        ("https://example.org/v1/", "https://example.org/v1/embeddings", "example.org"),
        ("https://example.org", "https://example.org/embeddings", "example.org"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/embeddings", "127.0.0.1:11434"),
        ("http://192.168.0.9/v1", "http://192.168.0.9/v1/embeddings", "192.168.0.9"),
        (" https://e.org/a?api-version=1#x ", "https://e.org/a/embeddings?api-version=1", "e.org"),
    ] {
        let options = EndpointOptions::new(url, "m");
        let address = address(&options).unwrap();
        assert_eq!(address.as_str(), address_expected);
        let expected = format!("openai:{id}:m");
        assert_eq!(model_id(&address, &options.model).unwrap().as_str(), expected);
    }
}

#[test]
fn settings_that_cannot_work_say_why() {
    for (url, key, why) in [
        ("", None, "URL is not valid"),
        ("api.example.org/v1", None, "URL is not valid"),
        ("ftp://example.org", None, "begin with https"),
        ("https://name:word@example.org", None, "set the key instead"),
        ("http://example.org/v1", Some("sk-1"), "sent unencrypted"),
    ] {
        let options =
            EndpointOptions { key: key.map(ApiKey::new), ..EndpointOptions::new(url, "m") };
        let said = address(&options).unwrap_err().to_string();
        assert!(said.contains(why), "{url}: {said}");
    }
    let url = address(&EndpointOptions::new("https://example.org", "m")).unwrap();
    for model in ["", " ", "a\nb"] {
        assert!(model_id(&url, model).is_err(), "{model:?}");
    }
}

#[test]
fn the_key_is_not_shown() {
    let key = ApiKey::new(" sk-secret\n");
    let header = key.header().unwrap();
    assert_eq!(header.to_str().unwrap(), "Bearer sk-secret");
    assert!(!format!("{header:?}").contains("secret"));
    assert_eq!(key.redact("key sk-secret is wrong"), "key [redacted] is wrong");
    let said = ApiKey::new("sk-sec\nret").header().unwrap_err().to_string();
    assert!(!said.contains("sec"), "{said}");
    assert_eq!(ApiKey::new("").redact("unchanged"), "unchanged");
}
