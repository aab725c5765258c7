//! Refreshes a grant without a person, safely among concurrent calls and processes.
//!
//! The authorizer runs one refresh at a time. What must stay true: the grant is read again under
//! the store's lock, a new one is saved before it is used, and a newer grant is never replaced.

use crate::client_identity::ClientIdentity;
use crate::discovery::Abilities;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::grant_store::{RegistrationKey, StoredGrant};
use crate::held_grant::{HeldGrant, Obtained};
use crate::login::LoginContext;
use crate::secret::SecretText;
use crate::token_endpoint::{TokenEndpoint, WantedToken};

impl LoginContext {
    /// Gets the next token for a grant, or adopts the one that another process has got meanwhile.
    ///
    /// [`AuthError::LoginNeeded`] means that the refresh token is no longer of use. After every
    /// other error the grant is as good as before.
    pub(crate) async fn refresh(&self, held: &HeldGrant) -> Result<HeldGrant, AuthError> {
        // Only this process has the key of a bound token, so the store knows nothing of it.
        let stored = held.possession.is_none();
        let _lock = if stored { Some(self.store.lock(&self.key).await?) } else { None };
        if let Some(newer) = self.newer(held).await? {
            return Ok(newer);
        }
        match self.ask(held).await {
            Ok(next) => {
                if stored {
                    self.store.save(&self.key, &next).await?;
                }
                Ok(HeldGrant::new(next, Obtained::ByRefresh, held.possession.clone()))
            }
            Err(error) if is_final(&error) => {
                // Another process may have used the refresh token in spite of the lock.
                let why = "the login has ended: the authorization server does not renew it";
                let ended = || AuthError::LoginNeeded(why.into());
                let renewed = self.newer(held).await.and_then(|newer| newer.ok_or_else(ended));
                if renewed.is_err() && error.is_code("invalid_client") {
                    self.forget_client(&held.stored).await?;
                }
                renewed
            }
            Err(error) => Err(error),
        }
    }

    /// The grant that another process has got meanwhile, if any. If the stored one is gone, a
    /// logout ended it for every process; if it cannot be read, the one held stays.
    async fn newer(&self, held: &HeldGrant) -> Result<Option<HeldGrant>, AuthError> {
        if held.possession.is_some() {
            return Ok(None);
        }
        match self.store.load(&self.key).await {
            Ok(None) => Err(AuthError::LoginNeeded("somebody has logged out".into())),
            Err(AuthError::Damaged(_)) => Ok(None),
            newest => Ok(newest?
                .filter(|newest| is_newer(newest, &held.stored))
                .map(|newer| HeldGrant::new(newer, Obtained::ByRefresh, None))),
        }
    }

    /// Forgets the registration, so that the next login registers the client again.
    async fn forget_client(&self, grant: &StoredGrant) -> Result<(), AuthError> {
        let Some(redirect) = grant.redirect.clone() else { return Ok(()) };
        let key = RegistrationKey { issuer: grant.issuer.clone(), redirect };
        self.store.save_client(&key, None).await
    }

    async fn ask(&self, held: &HeldGrant) -> Result<StoredGrant, AuthError> {
        let grant = &held.stored;
        let Some(refresh_token) = &grant.refresh_token else {
            return Err(AuthError::LoginNeeded("the login has ended".into()));
        };
        let rule = EndpointRule::for_server(&self.settings.server);
        let url = rule.check(&grant.token_endpoint, "token endpoint")?;
        let endpoint = TokenEndpoint {
            fetch: &*self.fetch,
            url: &url,
            issuer: &grant.issuer,
            abilities: &Abilities::default(),
            client: Some(&self.identity(grant)),
            possession: held.possession.as_deref(),
            wanted: WantedToken::Access,
            now: (self.now)(),
        };
        let kind = SecretText::new("refresh_token");
        let mut parameters = vec![("grant_type", &kind), ("refresh_token", refresh_token)];
        let resource = grant.resource.clone().map(SecretText::new);
        parameters.extend(resource.iter().map(|resource| ("resource", resource)));
        let token = endpoint.request(&parameters).await?;
        let mut next = grant.clone();
        next.access_token = token.access_token;
        next.issued_at = (self.now)();
        next.expires_at = token.expires_at;
        // A response without a refresh token means that the old one stays valid.
        next.refresh_token = token.refresh_token.or(next.refresh_token);
        Ok(next)
    }

    /// The client that the grant was issued to, with its secret from the settings if possible.
    pub(crate) fn identity(&self, grant: &StoredGrant) -> ClientIdentity {
        let stored = grant.client.identity();
        match self.settings.client.clone().filter(|client| client.id == stored.id) {
            Some(client) => ClientIdentity { method: client.method.or(stored.method), ..client },
            None => stored,
        }
    }
}

/// Whether another process has obtained a newer token for the same client.
fn is_newer(newest: &StoredGrant, ours: &StoredGrant) -> bool {
    let same_place = newest.issuer == ours.issuer && newest.client.id == ours.client.id;
    same_place && newest.access_token != ours.access_token && ours.issued_at <= newest.issued_at
}

/// Whether the authorization server has said that it will not refresh this grant.
fn is_final(error: &AuthError) -> bool {
    let codes =
        ["invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type"];
    codes.iter().any(|code| error.is_code(code)) || matches!(error, AuthError::LoginNeeded(_))
}
