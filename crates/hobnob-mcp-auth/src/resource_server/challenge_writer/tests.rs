//! Challenges word for word, and that our own client can read them.

use super::challenge;
use crate::challenge::parse_challenges;
use crate::resource_server::PublicUrl;
use hobnob_mcp_http::ChallengeReason;

#[test]
fn every_reason_has_its_challenge() {
    let url = PublicUrl::parse("https://hub.example.com").unwrap();
    let scopes = |scopes: &str| ChallengeReason::MissingScope(scopes.into());
    let metadata = "https://hub.example.com/.well-known/oauth-protected-resource/p/work/mcp";
    for (reason, error, scope) in [
        (ChallengeReason::NoToken, None, "read call"),
        (ChallengeReason::BadRequest, Some("invalid_request"), "read call"),
        (ChallengeReason::BadToken, Some("invalid_token"), "read call"),
        (scopes("read call admin"), Some("insufficient_scope"), "read call admin"),
        (scopes("a\" b\\ é:call"), Some("insufficient_scope"), "a b :call"),
    ] {
        let value = challenge(&url, "/p/work", &reason).unwrap();
        let parsed = parse_challenges([value.to_str().unwrap()]);
        let [parsed] = &*parsed else { panic!("{value:?}") };
        assert_eq!(parsed.parameter("error"), error, "{value:?}");
        assert_eq!(parsed.parameter("scope"), Some(scope), "{value:?}");
        assert_eq!(parsed.parameter("resource_metadata"), Some(metadata), "{value:?}");
    }
}
