//! The directory of a view: services, their methods, the tool behind each method, and hashes.
//!
//! A source builds it from what a view shows; resolution, calls and documents read it. It is
//! immutable, and names are looked up as a whole, never parsed.

use crate::content_hash::content_hash;
use hobnob_mcp_types::json::field;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// A method that is to be added to a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodEntry {
    /// The service, or the server behind Hobnob, that offers it.
    pub service: String,
    /// The method's name at that service or server.
    pub method: String,
    /// The tool's name in `tools/call`.
    pub tool: String,
    /// The tool's entry in `tools/list`, as JSON text.
    pub definition: String,
}

/// A method that clients can call.
#[derive(Debug)]
pub struct RpcMethod {
    /// The service, or the server behind Hobnob, that offers it.
    pub service: String,
    /// The method's name at that service or server.
    pub method: String,
    /// The tool's name in `tools/call`.
    pub tool: String,
    /// The description of the tool.
    pub description: Option<String>,
    /// The JSON Schema of its parameters.
    pub params: Value,
    /// The hash of names, description and schema.
    pub hash: String,
}

impl RpcMethod {
    /// The preferred name: `service.method`.
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.service, self.method)
    }

    fn new(entry: MethodEntry) -> Self {
        let MethodEntry { service, method, tool, definition } = entry;
        let parsed = |member: &str| {
            field(&definition, member).and_then(|json| serde_json::from_str::<Value>(json).ok())
        };
        let description = parsed("description").and_then(|it| it.as_str().map(str::to_owned));
        let params = parsed("inputSchema").unwrap_or_else(|| json!({"type": "object"}));
        let hash = content_hash(&json!({
            "service": service, "method": method, "description": description, "params": params,
        }));
        Self { service, method, tool, description, params, hash }
    }
}

/// All methods of a view. If two methods have one name, the first has it.
#[derive(Debug, Default)]
pub struct MethodDirectory {
    methods: Vec<RpcMethod>,
    dotted: HashMap<String, usize>,
    underscored: HashMap<String, usize>,
    services: BTreeMap<String, ServiceMethods>,
    hash: String,
}

/// The methods of one service.
#[derive(Debug, Default)]
struct ServiceMethods {
    /// Indices of its methods, in the order of the list.
    at: Vec<usize>,
    hash: String,
}

impl MethodDirectory {
    /// A directory of these methods, in this order.
    pub fn new(entries: impl IntoIterator<Item = MethodEntry>) -> Self {
        let mut directory = Self::default();
        for entry in entries {
            let dotted = format!("{}.{}", entry.service, entry.method);
            if directory.dotted.contains_key(&dotted) {
                continue;
            }
            let at = directory.methods.len();
            let underscored = format!("{}_{}", entry.service, entry.method);
            directory.underscored.entry(underscored).or_insert(at);
            directory.dotted.insert(dotted, at);
            directory.services.entry(entry.service.clone()).or_default().at.push(at);
            directory.methods.push(RpcMethod::new(entry));
        }
        let methods = &directory.methods;
        for service in directory.services.values_mut() {
            let mut hashes: Vec<&str> = service.at.iter().map(|at| &*methods[*at].hash).collect();
            hashes.sort_unstable();
            service.hash = content_hash(&json!(hashes));
        }
        let all: BTreeMap<&String, &String> =
            directory.services.iter().map(|(name, service)| (name, &service.hash)).collect();
        directory.hash = content_hash(&json!(all));
        directory
    }

    /// The method with this name: `service.method`, or else `service_method`.
    pub fn method(&self, name: &str) -> Option<&RpcMethod> {
        let at = self.dotted.get(name).or_else(|| self.underscored.get(name));
        at.map(|at| &self.methods[*at])
    }

    /// Whether there is a service of this name.
    pub fn has_service(&self, service: &str) -> bool {
        self.services.contains_key(service)
    }

    /// The names of all services, sorted.
    pub fn services(&self) -> impl Iterator<Item = &str> {
        self.services.keys().map(String::as_str)
    }

    /// The methods of one service in the order of the list; none if there is no such service.
    pub fn methods_of(&self, service: &str) -> impl Iterator<Item = &RpcMethod> {
        let places = self.services.get(service).map(|service| service.at.as_slice());
        places.unwrap_or_default().iter().map(|at| &self.methods[*at])
    }

    /// The preferred names of all methods.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.methods.iter().map(RpcMethod::dotted)
    }

    /// The hash of all methods of a service.
    pub fn service_hash(&self, service: &str) -> Option<&str> {
        self.services.get(service).map(|service| &*service.hash)
    }

    /// The hash of the whole directory.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}
