//! Grants, from the code to the last token: a code is redeemed once, each use of a refresh token
//! replaces it (rotation), and reuse of either ends the grant.
//!
//! The decision endpoint makes grants, the token endpoint uses them. What must stay true: a code or
//! a refresh token counts once, even if several processes see it, because each use is one commit
//! that names the record versions it read.

use super::events::AuthorizationEvent;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use super::record_store::{Committed, StoredChange};
use super::records::{
    AccessTokenBody, ClientBody, CodeBody, GrantBody, LoadedRecord, RecordOwner, RefreshTokenBody,
    RequestBody, insertion, load,
};
use super::responses::{EndpointFault, OAuthRefusal};
use super::rotation::{TokenUse, UsedGeneration, judge};
use super::secrets::{has_digest, new_secret, secret_digest};
use crate::scopes::Scopes;
use crate::secret::SecretText;
use hobnob_mcp_engine::ClientId;

/// How long a redeemed code is remembered so that its reuse is noticed, in seconds.
const CODE_MEMORY_SECONDS: u64 = 24 * 60 * 60;
/// How often a commit is tried again after another process changed the same records first.
const MAX_ATTEMPTS: usize = 8;

/// How many successors a refresh token may get during its grace period, besides the first.
const MAX_REPEATS: u32 = 20;

/// Newly issued tokens for a client.
#[derive(Debug)]
pub(super) struct IssuedTokens {
    pub(super) access: SecretText,
    pub(super) refresh: SecretText,
    pub(super) expires_in: u64,
    pub(super) scopes: Box<str>,
}

const INVALID: OAuthRefusal = OAuthRefusal::new(
    "invalid_grant",
    "the code or the refresh token is not valid, has expired, or was used before",
);
const OTHER_RESOURCE: OAuthRefusal =
    OAuthRefusal::new("invalid_target", "the grant is for another resource");
const MORE_SCOPES: OAuthRefusal =
    OAuthRefusal::new("invalid_scope", "the grant does not have these scopes");
/// Other requests committed first each time, or the token was repeated too often.
const BUSY: EndpointFault = EndpointFault::TooMany(1);

/// What a client presents to redeem a code.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeProof<'a> {
    pub(super) client_id: &'a str,
    pub(super) from: ClientId,
    pub(super) code: &'a str,
    pub(super) redirect: Option<&'a str>,
    pub(super) verifier: &'a str,
    pub(super) resource: Option<&'a str>,
}

/// What a client presents to refresh its tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct RefreshProof<'a> {
    pub(super) client_id: &'a str,
    pub(super) from: ClientId,
    pub(super) token: &'a str,
    pub(super) resource: Option<&'a str>,
    pub(super) scopes: Option<&'a str>,
}

/// Turns a request into a grant of these scopes: returns the code, and the changes that store both.
pub(super) fn granted(
    parts: &ServerParts,
    request: &RequestBody,
    user: &str,
    scopes: Box<str>,
) -> Result<(SecretText, Vec<StoredChange>), ServerFailure> {
    let (now, lifetimes) = (parts.now(), parts.settings.lifetimes);
    let (id, code) = (new_secret("grant-")?, new_secret("hobc_")?);
    let grant = GrantBody {
        user: user.into(),
        client_id: request.client_id.clone(),
        client_name: request.client_name.clone(),
        resource: request.resource.clone(),
        scopes,
        created: now,
        used_generation: 0,
        used_at: now,
        repeats: 0,
    };
    let body = CodeBody {
        client_id: request.client_id.clone(),
        redirect: request.redirect.clone(),
        challenge: request.challenge.clone(),
        valid_until: now + lifetimes.code,
        redeemed: false,
    };
    let owner = |kept: u64| RecordOwner { user, grant: id.expose(), expires_at: Some(now + kept) };
    let changes = vec![
        // A grant without tokens is useless once its code has expired.
        insertion(id.expose(), owner(lifetimes.code), &grant)?,
        insertion(&secret_digest(code.expose()), owner(lifetimes.code), &body)?,
    ];
    Ok((code, changes))
}

/// Redeems a code for the first tokens of its grant.
pub(super) async fn redeem(
    parts: &ServerParts,
    proof: CodeProof<'_>,
) -> Result<IssuedTokens, EndpointFault> {
    for _ in 0..MAX_ATTEMPTS {
        let found = load::<CodeBody>(&*parts.store, &secret_digest(proof.code)).await?;
        let mut code = found.ok_or(INVALID)?;
        if code.body.redeemed {
            let CodeBody { client_id, .. } = &code.body;
            let (user, grant) = (&code.record.user, &code.record.grant);
            end_grant(parts, proof.from, user, grant, client_id).await?;
            return Err(INVALID.into());
        }
        let now = parts.now();
        // OAuth 2.1 drops the redirect from the token request, since PKCE binds the code.
        let redirect_fits = proof.redirect.is_none_or(|it| *it == *code.body.redirect);
        let fits = now < code.body.valid_until
            && *code.body.client_id == *proof.client_id
            && redirect_fits
            && has_digest(proof.verifier, &code.body.challenge);
        let grant = load::<GrantBody>(&*parts.store, &code.record.grant).await?;
        let grant = grant.filter(|_| fits).ok_or(INVALID)?;
        if !is_for(parts, &grant.body, proof.resource) {
            return Err(OTHER_RESOURCE.into());
        }
        code.body.redeemed = true;
        let scopes = allowed(parts, &grant.body, &grant.body.scopes).await?.ok_or(MORE_SCOPES)?;
        let (tokens, mut changes) = tokens(parts, &grant, 1, &scopes)?;
        changes.push(code.replaced(Some(now + CODE_MEMORY_SECONDS))?);
        changes.extend(client_kept(parts, proof.client_id).await?);
        if parts.commit(changes).await? == Committed::Done {
            let GrantBody { user, client_id: client, .. } = grant.body;
            parts.tell(proof.from, AuthorizationEvent::Issued { user, client }).await;
            return Ok(tokens);
        }
    }
    Err(BUSY)
}

/// Exchanges a refresh token for new tokens.
pub(super) async fn refresh(
    parts: &ServerParts,
    proof: RefreshProof<'_>,
) -> Result<IssuedTokens, EndpointFault> {
    for _ in 0..MAX_ATTEMPTS {
        let digest = secret_digest(proof.token);
        let token = load::<RefreshTokenBody>(&*parts.store, &digest).await?.ok_or(INVALID)?;
        let grant = load::<GrantBody>(&*parts.store, &token.record.grant).await?;
        let mut grant = grant.ok_or(INVALID)?;
        let now = parts.now();
        if *token.body.client_id != *proof.client_id || token.body.valid_until <= now {
            return Err(INVALID.into());
        }
        let GrantBody { used_generation: generation, used_at: since, .. } = grant.body;
        let used = UsedGeneration { generation, since };
        match judge(token.body.generation, used, now, parts.settings.lifetimes.grace) {
            TokenUse::First(used) => {
                grant.body.used_generation = used.generation;
                grant.body.used_at = used.since;
                grant.body.repeats = 0;
            }
            TokenUse::Again if MAX_REPEATS <= grant.body.repeats => {
                return Err(BUSY);
            }
            TokenUse::Again => grant.body.repeats += 1,
            TokenUse::Reuse => {
                let client = &grant.body.client_id;
                end_grant(parts, proof.from, &grant.body.user, &grant.record.key, client).await?;
                return Err(INVALID.into());
            }
        }
        if !is_for(parts, &grant.body, proof.resource) {
            return Err(OTHER_RESOURCE.into());
        }
        let scopes = narrowed(&grant.body.scopes, proof.scopes).ok_or(MORE_SCOPES)?;
        let scopes = allowed(parts, &grant.body, &scopes).await?.ok_or(MORE_SCOPES)?;
        let (tokens, mut changes) = tokens(parts, &grant, token.body.generation + 1, &scopes)?;
        changes.extend(client_kept(parts, proof.client_id).await?);
        if parts.commit(changes).await? == Committed::Done {
            let GrantBody { user, client_id: client, .. } = grant.body;
            parts.tell(proof.from, AuthorizationEvent::Refreshed { user, client }).await;
            return Ok(tokens);
        }
    }
    Err(BUSY)
}

/// Ends a grant whose code or refresh token was used again, and may have been stolen.
async fn end_grant(
    parts: &ServerParts,
    from: ClientId,
    user: &str,
    grant: &str,
    client: &str,
) -> Result<(), ServerFailure> {
    tracing::warn!(user, client, "a code or a refresh token was used again: the login was ended");
    parts.commit(vec![StoredChange::RemoveGrant(grant.into())]).await?;
    parts
        .tell(from, AuthorizationEvent::Replayed { user: user.into(), client: client.into() })
        .await;
    Ok(())
}

/// Whether the grant is for the resource that the client names, if it names one.
fn is_for(parts: &ServerParts, grant: &GrantBody, resource: Option<&str>) -> bool {
    match resource {
        None => true,
        Some(_) => parts.settings.resource(resource) == Some(&*grant.resource),
    }
}

/// The scopes of the next access token; `None` if the client requests more than the grant has.
fn narrowed(granted: &str, asked: Option<&str>) -> Option<Box<str>> {
    let Some(asked) = asked else { return Some(granted.into()) };
    let (granted, asked) = (Scopes::parse(granted), Scopes::parse(asked));
    let wanted: Vec<Box<str>> = asked.iter().filter(|it| &***it != OFFLINE).cloned().collect();
    (!wanted.is_empty() && granted.contains_all(&wanted)).then(|| wanted.join(" ").into())
}

/// The scopes that the role of the grant's user allows; `None` if no scope is left.
async fn allowed(
    parts: &ServerParts,
    grant: &GrantBody,
    scopes: &str,
) -> Result<Option<Box<str>>, ServerFailure> {
    let access = parts.users.access(&grant.user).await?;
    let left = access.map(|access| access.cut(scopes));
    Ok(left.filter(|left| !left.is_empty() || scopes.is_empty()))
}

/// A client can request this scope to get a refresh token; here it gets one in any case.
pub(super) const OFFLINE: &str = "offline_access";

/// New tokens of a grant, and the changes that store them. The changes also replace the grant
/// itself, so that of two concurrent uses only one can be the first.
fn tokens(
    parts: &ServerParts,
    grant: &LoadedRecord<GrantBody>,
    generation: u64,
    scopes: &str,
) -> Result<(IssuedTokens, Vec<StoredChange>), ServerFailure> {
    let (now, lifetimes) = (parts.now(), parts.settings.lifetimes);
    let (access, refresh) = (new_secret("hoba_")?, new_secret("hobr_")?);
    let GrantBody { user, client_id, resource, .. } = &grant.body;
    let owner = |kept: u64| {
        let expires_at = Some(now + kept);
        RecordOwner { user, grant: &grant.record.key, expires_at }
    };
    let access_body = AccessTokenBody {
        client_id: client_id.clone(),
        resource: resource.clone(),
        scopes: scopes.into(),
        valid_until: now + lifetimes.access,
    };
    let refresh_body = RefreshTokenBody {
        client_id: client_id.clone(),
        generation,
        valid_until: now + lifetimes.refresh,
    };
    let changes = vec![
        grant.replaced(Some(now + lifetimes.refresh))?,
        insertion(&secret_digest(access.expose()), owner(lifetimes.access), &access_body)?,
        insertion(&secret_digest(refresh.expose()), owner(lifetimes.refresh), &refresh_body)?,
    ];
    let expires_in = lifetimes.access;
    Ok((IssuedTokens { access, refresh, expires_in, scopes: scopes.into() }, changes))
}

/// Extends the client's registration if it would end before its tokens; this is rarely needed.
async fn client_kept(
    parts: &ServerParts,
    client: &str,
) -> Result<Option<StoredChange>, ServerFailure> {
    let (now, life) = (parts.now(), parts.settings.lifetimes.refresh);
    let Some(client) = load::<ClientBody>(&*parts.store, client).await? else { return Ok(None) };
    match client.record.expires_at {
        Some(end) if end <= now + life => Ok(Some(client.replaced(Some(now + 2 * life))?)),
        Some(_) | None => Ok(None),
    }
}
