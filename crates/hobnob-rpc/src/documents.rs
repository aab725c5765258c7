//! The answers to `schema`: everything, one service or one method, each with its hash.

use crate::directory::{MethodDirectory, RpcMethod};
use serde_json::{Value, json};

/// All services with their methods.
pub(crate) fn everything(directory: &MethodDirectory) -> Value {
    let services: Vec<Value> = directory.services().map(|it| service(directory, it)).collect();
    json!({"services": services, "hash": directory.hash()})
}

/// One service of the directory.
pub(crate) fn service(directory: &MethodDirectory, name: &str) -> Value {
    let methods: Vec<Value> = directory.methods_of(name).map(method).collect();
    json!({"name": name, "methods": methods, "hash": directory.service_hash(name)})
}

/// One method of the directory.
pub(crate) fn method(method: &RpcMethod) -> Value {
    json!({
        "name": method.dotted(),
        "tool": method.tool,
        "description": method.description,
        "params": method.params,
        "hash": method.hash,
    })
}
