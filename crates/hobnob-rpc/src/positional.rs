//! Turns parameters by position or by name into the arguments of a tool.

use crate::directory::RpcMethod;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::json::{elements, object};

/// The arguments as the JSON text of an object. Positions count the required properties in the
/// order of the schema's `required`, then the others as they are declared.
pub fn named_arguments(method: &RpcMethod, params: &str) -> Result<String, RpcError> {
    let params = params.trim();
    if params.starts_with('{') {
        return Ok(params.to_owned());
    }
    if !params.starts_with('[') {
        return Err(RpcError::invalid_params("`params` must be an array or an object"));
    }
    let values = elements(params);
    let names = positions(method);
    if names.len() < values.len() {
        let (dotted, known) = (method.dotted(), names.join(", "));
        let message = match names.len() {
            0 => format!("{dotted} takes no parameters"),
            count => format!("{dotted} takes at most {count} parameters: {known}"),
        };
        return Err(RpcError::invalid_params(message));
    }
    Ok(object(|arguments| {
        for (name, value) in names.iter().zip(values) {
            arguments.raw(name, value);
        }
    }))
}

/// The names of the properties by position.
fn positions(method: &RpcMethod) -> Vec<&str> {
    let required = method.params["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut names: Vec<&str> = required.iter().filter_map(|name| name.as_str()).collect();
    if let Some(properties) = method.params["properties"].as_object() {
        let others = properties.keys().map(String::as_str);
        let others: Vec<&str> = others.filter(|name| !names.contains(name)).collect();
        names.extend(others);
    }
    names
}

#[cfg(test)]
mod tests;
