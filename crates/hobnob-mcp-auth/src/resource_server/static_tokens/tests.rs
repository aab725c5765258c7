//! Static tokens: their form, and when they are accepted.

use super::{NewStaticToken, StaticToken, StaticTokenList, StaticTokens};
use crate::resource_server::token_verifier::{TokenRefusal, TokenVerifier as _};
use crate::scopes::Scopes;
use hobnob_mcp_engine::Principal;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const ROOT: &str = "https://hub.example.com/mcp";
const WORK: &str = "https://hub.example.com/p/work/mcp";

fn listed(new: &NewStaticToken) -> StaticToken {
    StaticToken {
        id: new.id.clone(),
        sha256: new.sha256.clone(),
        principal: Principal::named("token:ci"),
        scopes: Scopes::parse("read call"),
        prefix: None,
        expires_at: None,
    }
}

#[test]
fn tokens_have_their_form_and_no_two_are_alike() {
    let [one, two] = [(); 2].map(|()| NewStaticToken::generate().unwrap());
    for token in [&one, &two] {
        let words: Vec<_> = token.token.expose().splitn(3, '_').collect();
        let [hob, id, secret] = &*words else { panic!() };
        assert_eq!((*hob, *id, secret.len()), ("hob", &*token.id, 43));
        assert!(!format!("{token:?}").contains(*secret));
    }
    assert_ne!(one.id, two.id);
    assert_ne!(one.sha256, two.sha256);
}

#[tokio::test]
async fn a_token_counts_while_it_is_listed_and_where_it_is_for() {
    let new = NewStaticToken::generate().unwrap();
    let other = NewStaticToken::generate().unwrap();
    let list = Arc::new(StaticTokenList::default());
    let tokens = StaticTokens::new(list.clone());
    let token = new.token.expose().to_owned();
    let plain = listed(&new);
    let past = SystemTime::now() - Duration::from_secs(1);
    let future = SystemTime::now() + Duration::from_secs(3600);
    let expiring = |at| StaticToken { expires_at: Some(at), ..plain.clone() };
    let for_work = StaticToken { prefix: Some("/p/work".into()), ..plain.clone() };
    // The same id with another secret: the id is no secret.
    let forged = format!("hob_{}_{}", new.id, other.token.expose().splitn(3, '_').nth(2).unwrap());
    let unknown = Err(TokenRefusal::Unknown);
    let cases = [
        (vec![], &*token, ROOT, unknown.clone()),
        (vec![plain.clone()], &*token, ROOT, Ok(())),
        (vec![listed(&other), plain.clone()], &*token, WORK, Ok(())),
        (vec![plain.clone()], other.token.expose(), ROOT, unknown.clone()),
        (vec![plain.clone()], &*forged, ROOT, unknown.clone()),
        (vec![plain.clone()], &token[..token.len() - 1], ROOT, unknown.clone()),
        (vec![plain.clone()], &*token.to_uppercase(), ROOT, unknown.clone()),
        (vec![plain.clone()], "hob__", ROOT, unknown.clone()),
        (vec![plain.clone()], &*new.sha256, ROOT, unknown),
        (vec![expiring(future)], &*token, ROOT, Ok(())),
        (vec![expiring(past)], &*token, ROOT, Err(TokenRefusal::Expired)),
        (vec![for_work.clone()], &*token, WORK, Ok(())),
        (vec![for_work.clone()], &*token, ROOT, Err(TokenRefusal::OtherAudience)),
        (vec![for_work], &*token, "https://x/p/work/mcp/mcp", Err(TokenRefusal::OtherAudience)),
    ];
    for (index, (listed, token, resource, expected)) in cases.into_iter().enumerate() {
        let before = tokens.revocations();
        list.replace(listed);
        assert_ne!(tokens.revocations(), before);
        let seen = tokens.verify(token, resource).await.map(|verified| {
            assert_eq!(verified.principal.as_str(), "token:ci");
        });
        assert_eq!(seen, expected, "case {index}");
    }
}
