//! Warnings about entries that work but are risky. `add` prints them after it has written the
//! entry; the page shows them before.
//!
//! What must stay true: a warning never stops the command.

use serde_json::Value;
use std::path::Path;

/// One warning for each risk of the entry.
pub fn of_entry(entry: &Value) -> Vec<String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let args: Vec<&str> = entry
        .get("args")
        .and_then(Value::as_array)
        .map(|args| args.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let of_command = text("command").and_then(|program| unpinned(program, &args));
    let of_url = text("url").filter(|url| is_cleartext(url)).map(|_| {
        "this URL sends everything unencrypted, including credentials; use https".to_owned()
    });
    of_command.into_iter().chain(of_url).collect()
}

/// Warns about a package without a version, since its runner starts the latest release.
fn unpinned(program: &str, args: &[&str]) -> Option<String> {
    let runner = Path::new(program).file_stem()?.to_str()?;
    let (option, pin): (&[&str], _) = match runner {
        "npx" | "bunx" | "pnpx" => (&["-p", "--package"], "1.2.3"),
        "uvx" => (&["--from"], "1.2.3"),
        _ => return None,
    };
    let package = package(args, option)?;
    if is_pinned(package) {
        return None;
    }
    let sign = if runner == "uvx" { "==" } else { "@" };
    let bare = package.strip_suffix("@latest").unwrap_or(package);
    Some(format!(
        "`{runner} {package}` runs the latest published version; pin a version, \
         such as {bare}{sign}{pin}"
    ))
}

/// The package that the runner fetches: the value of one of its options, or else the first word
/// that is not an option.
fn package<'a>(args: &[&'a str], option: &[&str]) -> Option<&'a str> {
    for (at, word) in args.iter().enumerate() {
        if option.contains(word) {
            return args.get(at + 1).copied();
        }
        let inline = word.split_once('=').filter(|(name, _)| option.contains(name));
        if let Some((_, value)) = inline {
            return Some(value);
        }
        if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Whether the package has a version: `name@1.2`, `@scope/name@1.2`, `name==1.2`. Paths and URLs
/// count as pinned, since they do not come from a registry.
fn is_pinned(package: &str) -> bool {
    if package.starts_with(['.', '/']) || package.contains("://") {
        return true;
    }
    let version = package.rsplit_once("==").or_else(|| {
        // An `@` at the start begins a scope, not a version.
        package.rsplit_once('@').filter(|(name, _)| !name.is_empty())
    });
    version.is_some_and(|(_, version)| version.starts_with(|it: char| it.is_ascii_digit()))
}

fn is_cleartext(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let loopback = host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    !loopback
}

#[cfg(test)]
mod tests;
