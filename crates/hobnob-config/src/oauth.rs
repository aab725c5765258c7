//! How to log in to a server: the object `oauth` of its entry, parsed, and expanded.
//!
//! `entry` parses it and `prepare` expands it; the gateway logs in with it. Field names are those
//! of Claude Code if it has one. Unknown fields belong to other hosts and are ignored.

use serde_json::{Map, Value};

use crate::expand::Secret;

#[cfg(test)]
mod tests;

/// How to log in to a server, as its entry says; everything has a default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthSpec {
    /// The client that the user registered with the authorization server.
    pub client_id: Option<Secret>,
    /// The secret that authenticates this client.
    pub client_secret: Option<Secret>,
    /// The file with the client's private key (PKCS#8 in PEM), absolute.
    pub private_key_file: Option<Secret>,
    /// The id of that key among the client's keys.
    pub key_id: Option<Secret>,
    /// The local port in the client's redirect URI.
    pub callback_port: Option<u16>,
    /// The URL of the authorization server's metadata, if the server does not name it.
    pub metadata_url: Option<Secret>,
    /// The only issuer that is accepted.
    pub issuer: Option<Secret>,
    /// The only scopes to request, separated by spaces.
    pub scopes: Option<String>,
    /// The resource to request tokens for.
    pub resource: OAuthResource,
    /// More parameters for the login page, sorted by name.
    pub parameters: Vec<(String, Secret)>,
    /// Hosts of the login that may be in a private network.
    pub allow_private: Vec<String>,
    /// Who logs in: a person unless the entry says otherwise.
    pub grant: OAuthGrant,
}

/// The resource to request tokens for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum OAuthResource {
    /// The name that the server gives itself.
    #[default]
    FromServer,
    /// This text, under which the authorization server knows the server.
    Fixed(Secret),
    /// No resource: the authorization server refuses the parameter.
    Omitted,
}

/// Who logs in, and so whether a person is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum OAuthGrant {
    /// A person, with `hobnob login`.
    #[default]
    Person,
    /// The client logs in for itself, without a person.
    ClientCredentials,
    /// A company's identity provider vouches for a person.
    Enterprise(Box<IdentityProvider>),
}

/// A company's identity provider, and Hobnob's client there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityProvider {
    /// The URL of its token endpoint.
    pub token_url: Secret,
    /// Hobnob's client id there.
    pub client_id: Secret,
    /// The secret of that client.
    pub client_secret: Option<Secret>,
    /// The file with the ID token of the person's login there, absolute; read again for each login.
    pub id_token_file: Secret,
}

impl OAuthSpec {
    /// Every text in it that may hold a secret.
    pub(crate) fn secrets(&self) -> Vec<&Secret> {
        let own = [
            &self.client_id,
            &self.client_secret,
            &self.private_key_file,
            &self.key_id,
            &self.metadata_url,
            &self.issuer,
        ];
        let mut secrets: Vec<&Secret> = own.into_iter().flatten().collect();
        match &self.resource {
            OAuthResource::Fixed(resource) => secrets.push(resource),
            OAuthResource::FromServer | OAuthResource::Omitted => {}
        }
        secrets.extend(self.parameters.iter().map(|(_, value)| value));
        if let OAuthGrant::Enterprise(provider) = &self.grant {
            secrets.extend([&provider.token_url, &provider.client_id, &provider.id_token_file]);
            secrets.extend(&provider.client_secret);
        }
        secrets
    }

    /// Everything that affects the login, for a digest.
    pub(crate) fn key_parts(&self) -> Vec<String> {
        let mut parts = vec![
            "oauth".to_owned(),
            format!("{:?}", self.callback_port),
            format!("{:?}", self.scopes),
            self.allow_private.join(" "),
            match &self.resource {
                OAuthResource::FromServer => "from server",
                OAuthResource::Fixed(_) => "fixed",
                OAuthResource::Omitted => "omitted",
            }
            .to_owned(),
            match &self.grant {
                OAuthGrant::Person => "person",
                OAuthGrant::ClientCredentials => "client credentials",
                OAuthGrant::Enterprise(_) => "enterprise",
            }
            .to_owned(),
        ];
        parts.extend(self.parameters.iter().map(|(name, _)| name.clone()));
        // The presence of the optional texts decides what the next parts mean.
        let present = [
            self.client_id.is_some(),
            self.client_secret.is_some(),
            self.private_key_file.is_some(),
            self.key_id.is_some(),
            self.metadata_url.is_some(),
            self.issuer.is_some(),
        ];
        parts.push(format!("{present:?}"));
        parts.extend(self.secrets().into_iter().map(|secret| secret.expose().to_owned()));
        parts
    }

    /// What a person approves of it, one item a line: the name, and the text as written.
    pub(crate) fn shown(&self) -> Vec<(&'static str, &Secret)> {
        let named = [
            ("oauth.clientId", &self.client_id),
            ("oauth.clientSecret", &self.client_secret),
            ("oauth.privateKeyFile", &self.private_key_file),
            ("oauth.authServerMetadataUrl", &self.metadata_url),
            ("oauth.issuer", &self.issuer),
        ];
        let mut shown: Vec<_> =
            named.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))).collect();
        if let OAuthGrant::Enterprise(provider) = &self.grant {
            shown.push(("oauth.identityProvider.tokenUrl", &provider.token_url));
            shown.push(("oauth.identityProvider.idTokenFile", &provider.id_token_file));
        }
        shown
    }
}

/// The object as it is written, with its types checked.
#[derive(Debug, Default)]
pub(crate) struct OAuthEntry {
    /// The texts that are present, by name.
    pub(crate) texts: Map<String, Value>,
    pub(crate) callback_port: Option<u16>,
    pub(crate) resource_omitted: bool,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) allow_private: Vec<String>,
    pub(crate) grant: EntryGrant,
    /// The texts of `identityProvider`.
    pub(crate) provider: Map<String, Value>,
}

/// The grant as it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum EntryGrant {
    #[default]
    Person,
    ClientCredentials,
    Enterprise,
}

const TEXTS: [&str; 7] = [
    "clientId",
    "clientSecret",
    "privateKeyFile",
    "keyId",
    "authServerMetadataUrl",
    "issuer",
    "scopes",
];
const PROVIDER_TEXTS: [&str; 4] = ["tokenUrl", "clientId", "clientSecret", "idTokenFile"];

impl OAuthEntry {
    /// Parses the object; an error names the field and what is wrong with it.
    pub(crate) fn read(value: &Value) -> Result<Self, (String, &'static str)> {
        let at = |name: &str| format!("oauth.{name}");
        let Value::Object(members) = value else {
            return Err(("oauth".into(), "is not an object"));
        };
        let mut entry = Self { texts: texts(members, &TEXTS, "oauth")?, ..Self::default() };
        let given = |name: &str| members.get(name).filter(|it| !it.is_null());
        if let Some(port) = given("callbackPort") {
            let port = port.as_u64().and_then(|port| u16::try_from(port).ok());
            let port = port.filter(|port| *port != 0);
            entry.callback_port = Some(port.ok_or((at("callbackPort"), "is not a port"))?);
        }
        match given("resource") {
            None => {}
            Some(Value::Bool(false)) => entry.resource_omitted = true,
            Some(text @ Value::String(_)) => {
                entry.texts.insert("resource".into(), text.clone());
            }
            Some(_) => return Err((at("resource"), "is neither a string nor false")),
        }
        if let Some(parameters) = given("parameters") {
            let Value::Object(parameters) = parameters else {
                return Err((at("parameters"), "is not an object of strings"));
            };
            for (name, value) in parameters {
                let Value::String(value) = value else {
                    return Err((at(&format!("parameters.{name}")), "is not a string"));
                };
                entry.parameters.push((name.clone(), value.clone()));
            }
            entry.parameters.sort();
        }
        if let Some(hosts) = given("allowPrivate") {
            let hosts = hosts.as_array().map(|hosts| hosts.iter().map(Value::as_str));
            let hosts: Option<Vec<&str>> = hosts.and_then(Iterator::collect);
            let hosts = hosts.ok_or((at("allowPrivate"), "is not a list of host names"))?;
            entry.allow_private = hosts.into_iter().map(str::to_owned).collect();
        }
        entry.read_grant(given("grant"), given("identityProvider"))?;
        Ok(entry)
    }

    fn read_grant(
        &mut self,
        grant: Option<&Value>,
        provider: Option<&Value>,
    ) -> Result<(), (String, &'static str)> {
        self.grant = match grant.map(Value::as_str) {
            None | Some(Some("authorization_code")) => EntryGrant::Person,
            Some(Some("client_credentials")) => EntryGrant::ClientCredentials,
            Some(Some("enterprise_managed")) => EntryGrant::Enterprise,
            Some(_) => {
                let why = "is neither \"authorization_code\", \"client_credentials\" nor \
                           \"enterprise_managed\"";
                return Err(("oauth.grant".into(), why));
            }
        };
        if self.grant != EntryGrant::Person && !self.texts.contains_key("clientId") {
            return Err(("oauth.clientId".into(), "is missing: this grant needs a client"));
        }
        if self.grant == EntryGrant::Enterprise {
            let Some(Value::Object(members)) = provider else {
                let why = "is missing: write an object with tokenUrl, clientId and idTokenFile";
                return Err(("oauth.identityProvider".into(), why));
            };
            self.provider = texts(members, &PROVIDER_TEXTS, "oauth.identityProvider")?;
            for name in ["tokenUrl", "clientId", "idTokenFile"] {
                if !self.provider.contains_key(name) {
                    return Err((format!("oauth.identityProvider.{name}"), "is missing"));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).and_then(Value::as_str)
    }

    pub(crate) fn provider_text(&self, name: &str) -> Option<&str> {
        self.provider.get(name).and_then(Value::as_str)
    }
}

/// The members of these names that are present; each must be a text.
fn texts(
    members: &Map<String, Value>,
    names: &[&str],
    place: &str,
) -> Result<Map<String, Value>, (String, &'static str)> {
    let mut texts = Map::new();
    for name in names {
        match members.get(*name).filter(|it| !it.is_null()) {
            None => {}
            Some(Value::String(text)) if text.is_empty() => {
                return Err((format!("{place}.{name}"), "is empty"));
            }
            Some(text @ Value::String(_)) => drop(texts.insert((*name).into(), text.clone())),
            Some(_) => return Err((format!("{place}.{name}"), "is not a string")),
        }
    }
    Ok(texts)
}
