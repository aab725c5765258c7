//! Resolves a name to a method, and builds the error for an unknown name.
//!
//! MCP's own names never get here. A service's method hides a meta method of the same name.

use crate::directory::{MethodDirectory, RpcMethod};
use hobnob_gateway::nearest::nearest;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde::Serialize;

/// The most names that an error lists; a hub with fifty servers has thousands.
const MAX_LISTED: usize = 50;
/// How many characters of a name an error repeats.
const MAX_ECHO_CHARS: usize = 100;

/// The target of a name.
#[derive(Debug)]
pub enum RpcTarget<'a> {
    /// A method of a service.
    Method(&'a RpcMethod),
    /// Ends the subscription that the parameters name.
    Unsubscribe,
    /// Returns schemas; the parameters may narrow them to a service or a method.
    Schema(SchemaScope<'a>),
    /// Returns hashes; the parameters may narrow them likewise.
    Hash(SchemaScope<'a>),
}

/// The scope of a schema or a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaScope<'a> {
    /// All services of the view.
    Everything,
    /// One service, by its name.
    Service(&'a str),
}

/// A name that resolves to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownMethod {
    #[serde(skip)]
    message: String,
    /// The service at the beginning of the name, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    /// The methods of that service, or of the suggested one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    methods: Vec<String>,
    /// All services, if the name begins with none of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    services: Vec<String>,
    /// Similar names of methods, or else the similar name of a service.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<String>,
}

/// Resolves a name: `service.method`, then `service_method`, then the meta methods `schema`, `hash`
/// and `unsubscribe`, alone or after the name of a service or a method.
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
    let behind_service = |suffix: &str| {
        let service = name.strip_suffix(suffix)?.strip_suffix(['.', '_'])?;
        directory.has_service(service).then_some(service)
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

/// The error for a name that resolves to nothing.
pub(crate) fn unknown(directory: &MethodDirectory, name: &str) -> UnknownMethod {
    UnknownMethod::new(directory, name)
}

impl UnknownMethod {
    fn new(directory: &MethodDirectory, name: &str) -> Self {
        let shown: String = name.chars().take(MAX_ECHO_CHARS).collect();
        let names: Vec<String> = directory.names().collect();
        let near = nearest(name, names.iter().map(String::as_str));
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let begins_with = |service: &&str| {
            name.strip_prefix(*service)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
        };
        // The longest match, since one service's name may begin with another's.
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
        // If no method has a similar name, a service may.
        let meant_service = match near.is_empty() {
            true => nearest(service_part(name), directory.services()).into_iter().next(),
            false => None,
        };
        let Some(service) = meant_service else {
            if near.is_empty() && !name.contains(['.', '_']) {
                // Nothing suggests that the name means a method of a service.
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

    /// The caller's error: everything is in the message, and in `data` for programs.
    pub fn to_rpc(&self) -> RpcError {
        RpcError::new(ErrorCode::METHOD_NOT_FOUND, self.message.clone()).with_data(self)
    }
}

/// The part of a name that would be the service.
fn service_part(name: &str) -> &str {
    name.split_once('.').or_else(|| name.split_once('_')).map_or(name, |(service, _)| service)
}

fn methods_of(directory: &MethodDirectory, service: &str) -> Vec<String> {
    listed(directory.methods_of(service).map(|it| it.method.as_str()))
}

/// The suggestions as the end of a sentence; empty if there are none.
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
