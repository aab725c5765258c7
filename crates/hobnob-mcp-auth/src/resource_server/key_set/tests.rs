//! Which keys of a set are accepted.

use super::KeySet;
use crate::resource_server::jwt_algorithm::JwtAlgorithm;

#[test]
fn only_whole_signing_keys_of_known_kinds_are_taken() {
    let x = "A".repeat(43);
    let good =
        |rest: &str| format!(r#"{{"kty":"EC","crv":"P-256","kid":"k","x":"{x}","y":"{x}"{rest}}}"#);
    for (key, taken) in [
        (good(""), true),
        (good(r#","use":"sig""#), true),
        (good(r#","alg":"ES256""#), true),
        (good(r#","jku":"https://evil.example","x5c":["x"]"#), true),
        (good(r#","use":"enc""#), false),
        (good(r#","alg":"ES384""#), false),
        (good("").replace("P-256", "P-521"), false),
        (good("").replace("P-256", "secp256k1"), false),
        (good("").replace(r#""kid":"k","#, ""), false),
        (good("").replace("AAAA", "AAA"), false),
        (r#"{"kty":"oct","kid":"k","k":"AAAA"}"#.into(), false),
        (r#"{"kty":"RSA","kid":"k","n":"AQAB"}"#.into(), false),
        ("7".into(), false),
    ] {
        let set = KeySet::parse(format!(r#"{{"keys":[{key}]}}"#).as_bytes()).unwrap();
        assert_eq!(set.find(Some("k"), JwtAlgorithm::Es256).is_some(), taken, "{key}");
        assert!(
            set.find(Some("k"), JwtAlgorithm::Rs256).is_none(),
            "a key is for its own algorithm"
        );
        assert!(set.find(Some("other"), JwtAlgorithm::Es256).is_none());
    }
    for (keys, found) in [
        (vec![good("")], true),
        (vec![good("").replace(r#""kid":"k","#, "")], true),
        (vec![good(""), good(r#","use":"enc""#), good("").replace("P-256", "P-384")], true),
        (vec![good(""), good(r#","alg":"ES256""#)], false),
        (vec![], false),
    ] {
        let set = format!(r#"{{"keys":[{}]}}"#, keys.join(","));
        let set = KeySet::parse(set.as_bytes()).unwrap();
        assert_eq!(set.find(None, JwtAlgorithm::Es256).is_some(), found, "{keys:?}");
    }
    for broken in ["", "[]", "{}", r#"{"keys":7}"#, "<html>"] {
        assert!(KeySet::parse(broken.as_bytes()).is_none(), "{broken}");
    }
}
