//! A server that asks for tokens, and writes one that it accepts into a file, or one for each of many
//! principals.
//!
//! `token_server PORT none|static|jwt|principals FILE`; without tokens it is the same server. Whoever counts
//! what a token costs runs it three times.

use std::error::Error;
use std::fs;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_auth::resource_server::{
    BearerAuthentication, IssuerKeys, NewStaticToken, NoOwners, PublicUrl, SignedTokens,
    StaticToken, StaticTokenList, StaticTokens, TokenVerifier, TrustedIssuer,
};
use hobnob_mcp_auth::{AuthError, Fetch, FetchRequest, FetchResponse, Scopes};
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_http::{Authentication, HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::Kit;
use reqwest::Url;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const PUBLIC: &str = "http://127.0.0.1:1";
const ISSUER: &str = "https://id.example.com";
/// Principals with a token of their own.
const PRINCIPALS: usize = 1000;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    message: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [port, kind, file] = &words[..] else {
        return Err("usage: token_server PORT none|static|jwt|principals FILE".into());
    };
    let (verifier, token): (Option<Arc<dyn TokenVerifier>>, String) = match kind.as_str() {
        "none" => (None, String::new()),
        "static" => {
            let (tokens, token) = static_tokens(1)?;
            (Some(Arc::new(tokens)), token)
        }
        "principals" => {
            let (tokens, lines) = static_tokens(PRINCIPALS)?;
            (Some(Arc::new(tokens)), lines)
        }
        "jwt" => {
            let (tokens, token) = signed_token()?;
            (Some(Arc::new(tokens)), token)
        }
        other => return Err(format!("no such kind of token: {other}").into()),
    };
    fs::write(file, token)?;
    let authentication = match verifier {
        None => None,
        Some(verifier) => {
            let url = PublicUrl::parse(PUBLIC)?;
            let bearer = BearerAuthentication::new(url, vec![verifier], Arc::new(NoOwners));
            Some(Arc::new(bearer) as Arc<dyn Authentication>)
        }
    };
    let kit =
        Kit::plain("echo").tool("echo", "Says it back", |args: Echo| async move { args.message });
    let server = Server::builder("token-server", "1.0.0").kit(kit).build()?;
    let options = HttpOptions { authentication, ..HttpOptions::default() };
    let listener = bind((Ipv4Addr::LOCALHOST, port.parse()?).into(), &options).await?;
    serve_http(&server, listener, options, std::future::pending()).await?;
    Ok(())
}

/// A list with a token for each of so many principals, and the tokens, one in each line.
fn static_tokens(count: usize) -> Result<(StaticTokens, String), AuthError> {
    let (mut accepted, mut lines) = (Vec::new(), Vec::new());
    for number in 0..count {
        let new = NewStaticToken::generate()?;
        accepted.push(StaticToken {
            id: new.id,
            sha256: new.sha256,
            principal: Principal::named(&format!("token:{number}")),
            scopes: Scopes::parse("read call"),
            prefix: None,
            expires_at: None,
        });
        lines.push(new.token.expose().to_owned());
    }
    let list = Arc::new(StaticTokenList::default());
    list.replace(accepted);
    Ok((StaticTokens::new(list), lines.join("\n")))
}

/// An issuer with one key, and a token that it signed.
fn signed_token() -> Result<(SignedTokens, String), Box<dyn Error>> {
    let (random, curve) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
    let broken = |_| "no key could be made";
    let der = EcdsaKeyPair::generate_pkcs8(curve, &random).map_err(broken)?;
    let pair =
        EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).map_err(|_| "the key is broken")?;
    let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let (x, y) = pair.public_key().as_ref().split_at(33);
    let key = json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": text(&x[1..]), "y": text(y)});
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let end = (now + Duration::from_secs(3600)).as_secs();
    let header = json!({"alg": "ES256", "typ": "at+jwt", "kid": "k"});
    let claims = json!({
        "iss": ISSUER, "sub": "ann", "aud": format!("{PUBLIC}/mcp"), "exp": end, "iat": now.as_secs(),
        "scope": "read call", "client_id": "https://client.example.com/metadata.json",
        "jti": "0b1f3c52-7a7e-4a55-9f59-6d9b8a2f3a11",
    });
    let part = |value: &Value| text(value.to_string().as_bytes());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let signature = pair.sign(&random, signed.as_bytes()).map_err(broken)?;
    let document = KeyDocument(json!({"keys": [key]}).to_string());
    let keys = IssuerKeys::new(Url::parse(ISSUER)?, Arc::new(document));
    let issuer = TrustedIssuer { issuer: ISSUER.into(), keys, audiences: Vec::new() };
    Ok((SignedTokens::new(vec![issuer]), format!("{signed}.{}", text(signature.as_ref()))))
}

/// The keys of the issuer, without a network.
struct KeyDocument(String);

impl Fetch for KeyDocument {
    fn fetch(&self, _request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        let (headers, body) = (http::HeaderMap::new(), self.0.clone().into_bytes());
        Box::pin(std::future::ready(Ok(FetchResponse { status: 200, headers, body })))
    }
}
