//! Which method a name means, and what to tell somebody whose name means nothing.
//!
//! The names of MCP never get here. A service's own method comes before one of ours with that name.

use crate::directory::{MethodDirectory, RpcMethod};
use hobnob_gateway::nearest::nearest;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde::Serialize;

/// Names that an error lists; a hub with fifty servers has thousands.
const MAX_LISTED: usize = 50;
/// Characters of a name that an error repeats.
const MAX_ECHO: usize = 100;

/// What a name means.
#[derive(Debug)]
pub enum RpcTarget<'a> {
    /// A method of a service.
    Method(&'a RpcMethod),
    /// Ends a subscription, which the parameters name.
    Unsubscribe,
    /// What can be called, with schemas; the parameters may narrow it.
    Schema(SchemaScope<'a>),
    /// The hash of the same.
    Hash(SchemaScope<'a>),
}

/// How much a schema or a hash is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaScope<'a> {
    /// Every service that there is.
    Everything,
    /// One service, by its name.
    Service(&'a str),
}

/// A name that means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownMethod {
    #[serde(skip)]
    message: String,
    /// The service that the name begins with, if there is such a service.
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    /// The methods of that service, or of the one that was meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    methods: Vec<String>,
    /// The services there are, if the name begins with none of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    services: Vec<String>,
    /// Names of methods that are much like it, or else of the service that is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<String>,
}

/// Finds what a name means: `service.method`, then `service_method`, then what every directory has:
/// `schema`, `hash` and `unsubscribe`, alone or behind the name of a service or a method.
pub fn resolve<'a>(
    directory: &'a MethodDirectory,
    name: &'a str,
) -> Result<RpcTarget<'a>, UnknownMethod> {
    if let Some(method) = directory.method(name) {
        return Ok(RpcTarget::Method(method));
    }
    match name {
        "schema" => return Ok(RpcTarget::Schema(SchemaScope::Everything)),
        "hash" => return Ok(RpcTarget::Hash(SchemaScope::Everything)),
        "unsubscribe" => return Ok(RpcTarget::Unsubscribe),
        _ => {}
    }
    let behind_service = |ours: &str| {
        let head = name.strip_suffix(ours)?.strip_suffix(['.', '_'])?;
        directory.has_service(head).then_some(head)
    };
    if let Some(service) = behind_service("schema") {
        return Ok(RpcTarget::Schema(SchemaScope::Service(service)));
    }
    if let Some(service) = behind_service("hash") {
        return Ok(RpcTarget::Hash(SchemaScope::Service(service)));
    }
    let unsubscribed = name.strip_suffix("unsubscribe").and_then(|it| it.strip_suffix(['.', '_']));
    if unsubscribed.is_some_and(|it| directory.has_service(it) || directory.method(it).is_some()) {
        return Ok(RpcTarget::Unsubscribe);
    }
    Err(unknown(directory, name))
}

/// What to tell whoever uses a name that means nothing.
pub(crate) fn unknown(directory: &MethodDirectory, name: &str) -> UnknownMethod {
    UnknownMethod::new(directory, name)
}

impl UnknownMethod {
    fn new(directory: &MethodDirectory, name: &str) -> Self {
        let shown: String = name.chars().take(MAX_ECHO).collect();
        let names: Vec<String> = directory.names().collect();
        let near = nearest(name, names.iter().map(String::as_str));
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let begins_with = |service: &&str| {
            name.strip_prefix(*service)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
        };
        // The longest, since the name of one may begin with the name of another.
        let service = directory.services().filter(begins_with).max_by_key(|it| it.len());
        if let Some(service) = service {
            let methods = methods_of(directory, service);
            let there = names_of(&methods);
            let what = match service == name {
                true => format!("`{service}` is a service; it has: {there}"),
                false => format!("service `{service}` has no method `{shown}`; it has: {there}"),
            };
            let message = format!("{what}{}", meant(&near));
            let service = Some(service.to_owned());
            return Self { message, service, methods, services: Vec::new(), nearest: near };
        }
        let services = listed(directory.services());
        let what =
            format!("method not found: {shown}; there are the services: {}", names_of(&services));
        // Without a method that is much like it, at least the service may be.
        let meant_service = match near.is_empty() {
            true => nearest(service_part(name), directory.services()).into_iter().next(),
            false => None,
        };
        let Some(service) = meant_service else {
            if near.is_empty() && !name.contains(['.', '_']) {
                // Nothing says that a method of a service was meant.
                return Self::plain(&shown);
            }
            let message = format!("{what}{}", meant(&near));
            return Self { message, service: None, methods: Vec::new(), services, nearest: near };
        };
        let methods = methods_of(directory, service);
        let hint = meant(&[service.to_owned()]);
        let message = format!("{what}{hint} It has: {}", names_of(&methods));
        let nearest = vec![service.to_owned()];
        Self { message, service: None, methods, services, nearest }
    }

    fn plain(name: &str) -> Self {
        let message = format!("method not found: {name}");
        let (methods, services, nearest) = (Vec::new(), Vec::new(), Vec::new());
        Self { message, service: None, methods, services, nearest }
    }

    /// The error that the caller gets: everything is in the words, and in `data` for programs.
    pub fn to_rpc(&self) -> RpcError {
        RpcError::new(ErrorCode::METHOD_NOT_FOUND, self.message.clone()).with_data(self)
    }
}

/// What stands where the name of a service would.
fn service_part(name: &str) -> &str {
    name.split_once('.').or_else(|| name.split_once('_')).map_or(name, |(service, _)| service)
}

fn methods_of(directory: &MethodDirectory, service: &str) -> Vec<String> {
    listed(directory.methods_of(service).map(|it| it.method.as_str()))
}

/// The end of a sentence that names what is much like it; empty if nothing is.
fn meant(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => {
            let near: Vec<String> = near.iter().map(|it| format!("`{it}`")).collect();
            format!("; did you mean {}?", near.join(" or "))
        }
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.take(MAX_LISTED).map(str::to_owned).collect()
}

fn names_of(names: &[String]) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests;
