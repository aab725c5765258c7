//! Attacks on signed tokens (A02 to A11): each case breaks one rule and nothing else.
//!
//! Each token is the good one with a changed header or changed claims, signed with the right key,
//! so that only the rule in question can refuse it.

use super::{SignedTokens, TrustedIssuer};
use crate::encoding::base64url;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest, FetchResponse};
use crate::resource_server::issuer_keys::IssuerKeys;
use crate::resource_server::token_verifier::{TokenRefusal, TokenVerifier as _};
use hobnob_mcp_engine::BoxFuture;
use http::HeaderMap;
use parking_lot::Mutex;
use reqwest::Url;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

const RESOURCE: &str = "https://hub.example.com/mcp";
const ISSUER: &str = "https://id.example.com/tenant";
const NOW: u64 = 1_800_000_000;

/// A key of an issuer, which signs tokens.
struct IssuerKey {
    pair: EcdsaKeyPair,
    id: &'static str,
}

impl IssuerKey {
    fn new(id: &'static str) -> Self {
        let (random, curve) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let der = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
        Self { pair: EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).unwrap(), id }
    }

    fn jwk(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (base64url(&point[1..33]), base64url(&point[33..]));
        json!({"kty": "EC", "crv": "P-256", "kid": self.id, "x": x, "y": y})
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| base64url(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", base64url(signature.as_ref()))
    }
}

/// The public half of an RSA key, which an attacker may use as if it were an HMAC secret.
struct PublicRsa {
    modulus: Vec<u8>,
    id: &'static str,
}

impl PublicRsa {
    fn new(id: &'static str) -> Self {
        let mut modulus: Vec<u8> = (0..=255).collect();
        (modulus[0], modulus[255]) = (0xc1, 0x01);
        Self { modulus, id }
    }

    fn jwk(&self) -> Value {
        let modulus = base64url(&self.modulus);
        json!({"kty": "RSA", "kid": self.id, "n": modulus, "e": "AQAB"})
    }

    /// Everything that a verifier may take for the secret: the number, its encoding, and the whole
    /// key.
    fn as_secrets(&self) -> [Vec<u8>; 3] {
        let jwk = self.jwk();
        let written = jwk["n"].as_str().unwrap().as_bytes().to_vec();
        [self.modulus.clone(), written, jwk.to_string().into_bytes()]
    }
}

/// An issuer's document of keys, which counts how often it is fetched.
struct KeyDocument {
    keys: Mutex<Result<Value, u16>>,
    asked: AtomicUsize,
}

impl KeyDocument {
    fn of(keys: &[&IssuerKey]) -> Arc<Self> {
        let document = Self { keys: Mutex::new(Err(503)), asked: AtomicUsize::new(0) };
        document.publish(keys);
        Arc::new(document)
    }

    fn publish(&self, keys: &[&IssuerKey]) {
        self.write(keys.iter().map(|key| key.jwk()).collect());
    }

    fn write(&self, keys: Vec<Value>) {
        *self.keys.lock() = Ok(json!({ "keys": keys }));
    }

    fn break_down(&self) {
        *self.keys.lock() = Err(500);
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

struct KeyFetch(Arc<KeyDocument>);

impl Fetch for KeyFetch {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        assert_eq!(request.url.as_str(), "https://id.example.com/keys", "no other address");
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        let (status, body) = match &*self.0.keys.lock() {
            Ok(document) => (200, document.to_string()),
            Err(status) => (*status, String::new()),
        };
        let response = FetchResponse { status, headers: HeaderMap::new(), body: body.into_bytes() };
        Box::pin(async move {
            // Lets concurrent requests ask for the same document.
            tokio::task::yield_now().await;
            Ok(response)
        })
    }
}

fn verifier(document: &Arc<KeyDocument>) -> SignedTokens {
    let url = Url::parse("https://id.example.com/keys").unwrap();
    let keys = IssuerKeys::new(url, Arc::new(KeyFetch(Arc::clone(document))));
    let audiences = vec!["api://hub".into()];
    let trusted = TrustedIssuer { issuer: ISSUER.into(), keys, audiences };
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    SignedTokens::new(vec![trusted]).with_clock(Arc::new(move || now))
}

fn header() -> Value {
    json!({"alg": "ES256", "typ": "at+jwt", "kid": "k1"})
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "ann", "aud": RESOURCE, "scope": "read call",
        "iat": NOW - 10, "nbf": NOW - 10, "exp": NOW + 600,
    })
}

/// The value with one member set, or removed if `set` is null.
fn with(mut value: Value, member: &str, set: Value) -> Value {
    let members = value.as_object_mut().unwrap();
    match set {
        Value::Null => drop(members.remove(member)),
        set => drop(members.insert(member.into(), set)),
    }
    value
}

async fn check(tokens: &SignedTokens, token: &str) -> Result<String, TokenRefusal> {
    let verified = tokens.verify(token, RESOURCE).await?;
    Ok(format!("{} {}", verified.principal.as_str(), verified.scopes.to_text()))
}

#[tokio::test]
async fn headers_do_not_choose_how_they_are_checked() {
    let key = IssuerKey::new("k1");
    let document = KeyDocument::of(&[&key]);
    let tokens = verifier(&document);
    let good = Ok(format!("{ISSUER}#ann read call"));
    let unknown = || Err(TokenRefusal::Unknown);
    let long = "k".repeat(10_000);
    for (rule, member, value, expected) in [
        ("the good one", "typ", json!("at+jwt"), good.clone()),
        ("no type", "typ", Value::Null, good.clone()),
        ("the usual type", "typ", json!("jwt"), good.clone()),
        ("a type with its tree", "typ", json!("application/at+jwt"), good.clone()),
        ("A10 another type", "typ", json!("dpop+jwt"), unknown()),
        ("A10 an identity assertion", "typ", json!("oauth-id-jag+jwt"), unknown()),
        ("A04 none", "alg", json!("none"), unknown()),
        ("A04 None", "alg", json!("None"), unknown()),
        ("A04 nOnE", "alg", json!("nOnE"), unknown()),
        ("A05 a secret", "alg", json!("HS256"), unknown()),
        ("A06 another kind of key", "alg", json!("RS256"), unknown()),
        ("A06 another curve", "alg", json!("ES384"), unknown()),
        ("A06 ES512", "alg", json!("ES512"), unknown()),
        ("A06 lower case", "alg", json!("es256"), unknown()),
        ("no algorithm", "alg", Value::Null, unknown()),
        ("A06 an unknown rule", "crit", json!(["exp"]), unknown()),
        ("A07 no key id, and one key", "kid", Value::Null, good.clone()),
        ("A07 an empty key id", "kid", json!(""), unknown()),
        ("A07 a path", "kid", json!("../../../../dev/null"), unknown()),
        ("A07 SQL", "kid", json!("k1' OR '1'='1"), unknown()),
        ("A07 a long key id", "kid", json!(long), unknown()),
        ("A07 a list", "kid", json!(["k1"]), unknown()),
        ("A08 an address of keys", "jku", json!("https://evil.example/keys"), good.clone()),
        ("A08 a certificate's address", "x5u", json!("https://evil.example/c"), good.clone()),
        ("A08 a key", "jwk", IssuerKey::new("k1").jwk(), good.clone()),
    ] {
        let token = key.sign(&with(header(), member, value), &claims());
        assert_eq!(check(&tokens, &token).await, expected, "{rule}");
    }
    // A07: without a key id it is ambiguous which of two keys is meant.
    let two = verifier(&KeyDocument::of(&[&key, &IssuerKey::new("k2")]));
    let unnamed = key.sign(&with(header(), "kid", Value::Null), &claims());
    assert_eq!(check(&two, &unnamed).await, unknown(), "no key id, and two keys");
    assert_eq!(check(&two, &key.sign(&header(), &claims())).await, good, "the same with its name");
    // A07: without a key id, and signed with a key that is not the issuer's.
    let stranger = IssuerKey::new("k1").sign(&with(header(), "kid", Value::Null), &claims());
    assert_eq!(check(&tokens, &stranger).await, unknown(), "no key id, and another key");
    // A08: signed with the key in the token's header, not with the issuer's.
    let own = IssuerKey::new("k1");
    let token = own.sign(&with(header(), "jwk", own.jwk()), &claims());
    assert_eq!(check(&tokens, &token).await, unknown(), "a key that came along");
    assert!(document.asked() <= 2, "no attack makes us fetch: {}", document.asked());
}

/// A04, A05: unsigned tokens, and tokens signed with a public key as the secret.
#[tokio::test]
async fn a_token_that_everybody_can_make_is_refused() {
    let (key, rsa) = (IssuerKey::new("k1"), PublicRsa::new("k2"));
    let document = KeyDocument::of(&[&key]);
    document.write(vec![key.jwk(), rsa.jwk()]);
    let tokens = verifier(&document);
    let part = |value: &Value| base64url(value.to_string().as_bytes());
    for id in ["k1", "k2"] {
        for name in ["none", "None", "NONE", ""] {
            let header = with(with(header(), "alg", json!(name)), "kid", json!(id));
            let signed = format!("{}.{}", part(&header), part(&claims()));
            for token in [format!("{signed}."), format!("{signed}.AA"), signed] {
                let seen = check(&tokens, &token).await;
                assert_eq!(seen, Err(TokenRefusal::Unknown), "A04 {name} {id}");
            }
        }
    }
    for secret in rsa.as_secrets() {
        let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &secret);
        for name in ["HS256", "RS256", "PS256"] {
            let header = with(with(header(), "alg", json!(name)), "kid", json!("k2"));
            let signed = format!("{}.{}", part(&header), part(&claims()));
            let tag = ring::hmac::sign(&secret, signed.as_bytes());
            let token = format!("{signed}.{}", base64url(tag.as_ref()));
            assert_eq!(check(&tokens, &token).await, Err(TokenRefusal::Unknown), "A05 {name}");
        }
    }
    assert!(check(&tokens, &key.sign(&header(), &claims())).await.is_ok());
}

#[tokio::test]
async fn claims_are_all_checked() {
    let key = IssuerKey::new("k1");
    let tokens = verifier(&KeyDocument::of(&[&key]));
    let good = Ok(format!("{ISSUER}#ann read call"));
    let as_scopes = |scopes: &str| Ok(format!("{ISSUER}#ann {scopes}"));
    use TokenRefusal::{Expired, NotYetValid, OtherAudience, Unknown};
    for (rule, member, value, expected) in [
        ("A03 expired 59 s ago", "exp", json!(NOW - 59), good.clone()),
        ("A03 expired 61 s ago", "exp", json!(NOW - 61), Err(Expired)),
        ("A03 no end", "exp", Value::Null, Err(Unknown)),
        ("A03 an end in words", "exp", json!("never"), Err(Unknown)),
        ("A03 begins in 59 s", "nbf", json!(NOW + 59), good.clone()),
        ("A03 begins in 61 s", "nbf", json!(NOW + 61), Err(NotYetValid)),
        ("A03 issued in 59 s", "iat", json!(NOW + 59), good.clone()),
        ("A03 issued in 61 s", "iat", json!(NOW + 61), Err(NotYetValid)),
        ("A03 a fraction", "exp", json!(NOW as f64 + 0.5), good.clone()),
        ("A09 no audience", "aud", Value::Null, Err(OtherAudience)),
        ("A09 an empty one", "aud", json!(""), Err(OtherAudience)),
        ("A09 another", "aud", json!("https://other.example.com/mcp"), Err(OtherAudience)),
        ("A09 a list with ours", "aud", json!(["x", RESOURCE]), good.clone()),
        ("A09 a list without", "aud", json!(["x", "y"]), Err(OtherAudience)),
        ("A09 an alias", "aud", json!("api://hub"), good.clone()),
        ("A09 with a slash", "aud", json!(format!("{RESOURCE}/")), Err(OtherAudience)),
        ("A09 the origin", "aud", json!("https://hub.example.com"), Err(OtherAudience)),
        ("A09 a profile", "aud", json!("https://hub.example.com/p/x/mcp"), Err(OtherAudience)),
        ("A10 a client's id token", "aud", json!("client-1"), Err(OtherAudience)),
        ("A10 no issuer", "iss", Value::Null, Err(Unknown)),
        ("A10 another issuer", "iss", json!("https://evil.example"), Err(Unknown)),
        ("A10 with a slash", "iss", json!(format!("{ISSUER}/")), Err(Unknown)),
        ("A10 in capitals", "iss", json!(ISSUER.to_uppercase()), Err(Unknown)),
        ("nobody", "sub", Value::Null, Err(Unknown)),
        ("an empty name", "sub", json!(""), Err(Unknown)),
        ("a name without end", "sub", json!("a".repeat(256)), Err(Unknown)),
        ("no scopes", "scope", Value::Null, as_scopes("")),
        ("scopes as a list", "scope", json!(["read", "x"]), as_scopes("read x")),
    ] {
        let token = key.sign(&header(), &with(claims(), member, value));
        assert_eq!(check(&tokens, &token).await, expected, "{rule}");
    }
    let scp = with(with(claims(), "scope", Value::Null), "scp", json!("read"));
    assert_eq!(check(&tokens, &key.sign(&header(), &scp)).await, as_scopes("read"), "scp");
}

#[tokio::test]
async fn what_is_no_token_is_refused_without_work() {
    let key = IssuerKey::new("k1");
    let document = KeyDocument::of(&[&key]);
    let tokens = verifier(&document);
    let good = key.sign(&header(), &claims());
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let (head, body) = signed.split_once('.').unwrap();
    let padded = with(claims(), "x", json!("x".repeat(9_000)));
    for (rule, token) in [
        ("A02 nothing", String::new()),
        ("A02 random", "c29tZXRoaW5nIHJhbmRvbQ".into()),
        ("A02 dots", "...".into()),
        ("A02 no signature", format!("{signed}.")),
        ("A02 no last part", signed.into()),
        ("A02 an encrypted one", format!("{good}.{signature}.{signature}")),
        ("A02 1 MB", "a".repeat(1 << 20)),
        ("A02 a long one that is right", key.sign(&header(), &padded)),
        ("A02 two equal members", {
            let twice = base64url(br#"{"alg":"none","alg":"ES256","kid":"k1"}"#);
            format!("{twice}.{body}.{signature}")
        }),
        ("A02 padding", format!("{head}=.{body}.{signature}")),
    ] {
        assert_eq!(check(&tokens, &token).await, Err(TokenRefusal::Unknown), "{rule}");
    }
    assert_eq!(document.asked(), 0, "none of them is worth a fetch");
    let mut truncated = good.clone();
    truncated.pop();
    truncated.pop();
    assert_eq!(check(&tokens, &truncated).await, Err(TokenRefusal::Unknown), "A02 truncated");
    let other = with(claims(), "sub", json!("bob"));
    let other = base64url(other.to_string().as_bytes());
    let changed = format!("{head}.{other}.{signature}");
    assert_eq!(check(&tokens, &changed).await, Err(TokenRefusal::Unknown), "other claims");
    assert!(check(&tokens, &good).await.is_ok());
}

/// A11: replaced keys, many unknown keys, and an issuer that is down.
#[tokio::test(start_paused = true)]
async fn keys_are_fetched_once_and_outlive_a_failure() {
    let (old, new) = (IssuerKey::new("k1"), IssuerKey::new("k2"));
    let document = KeyDocument::of(&[&old]);
    let tokens = verifier(&document);
    let of_old = old.sign(&header(), &claims());
    let of_new = new.sign(&with(header(), "kid", json!("k2")), &claims());
    let futures = [&of_old; 10].map(|token| check(&tokens, token));
    for seen in join_all(futures).await {
        assert!(seen.is_ok());
    }
    assert_eq!(document.asked(), 1, "ten who wait share one fetch");

    document.publish(&[&old, &new]);
    assert!(check(&tokens, &of_new).await.is_err(), "asked a moment ago");
    tokio::time::advance(Duration::from_secs(31)).await;
    let futures = [&of_new; 10].map(|token| check(&tokens, token));
    for seen in join_all(futures).await {
        assert!(seen.is_ok());
    }
    assert_eq!(document.asked(), 2, "a new key is worth one fetch");

    for number in 0..1000 {
        let unknown = with(header(), "kid", json!(format!("unknown-{number}")));
        assert!(check(&tokens, &old.sign(&unknown, &claims())).await.is_err());
    }
    assert_eq!(document.asked(), 2, "unknown keys are asked for every 30 seconds at most");

    document.break_down();
    tokio::time::advance(Duration::from_secs(3600)).await;
    assert!(check(&tokens, &of_new).await.is_ok(), "the last good keys hold");
    assert_eq!(document.asked(), 3, "old keys are asked for again");

    document.publish(&[&new]);
    tokio::time::advance(Duration::from_secs(31)).await;
    assert!(check(&tokens, &of_new).await.is_ok());
    assert_eq!(check(&tokens, &of_old).await, Err(TokenRefusal::Unknown), "a withdrawn key");
}

#[tokio::test]
async fn without_any_keys_nobody_can_say() {
    let key = IssuerKey::new("k1");
    let document = KeyDocument::of(&[&key]);
    document.break_down();
    let seen = check(&verifier(&document), &key.sign(&header(), &claims())).await;
    assert!(matches!(seen, Err(TokenRefusal::Unavailable(_))), "{seen:?}");
}

async fn join_all<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|one| match one.as_mut().poll(context) {
            std::task::Poll::Ready(value) => {
                done.push(value);
                false
            }
            std::task::Poll::Pending => true,
        });
        if waiting.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done
}
