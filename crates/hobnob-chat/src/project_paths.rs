//! Makes paths below the project absolute in calls of the built-in file and shell tools, before the
//! call, so that rules, questions and the audit log show the actual file.
//!
//! `hub_tools` calls it. What must stay true: a path that may begin with the name of a granted
//! folder stays unchanged.

use serde_json::Value;
use std::borrow::Cow;
use std::path::{Component, Path};

#[cfg(test)]
mod tests;

/// Name prefixes of the tools, and the names of their arguments that are paths.
const PATH_ARGUMENTS: [(&str, &[&str]); 2] =
    [("files_", &["path", "from", "to"]), ("shell_", &["cwd"])];

/// The arguments of a call, with absolute paths.
pub(super) fn with_absolute_paths<'a>(
    tool: &str,
    arguments: &'a str,
    project: &Path,
) -> Cow<'a, str> {
    let Some((_, keys)) = PATH_ARGUMENTS.iter().find(|(begin, _)| tool.starts_with(begin)) else {
        return Cow::Borrowed(arguments);
    };
    let Ok(Value::Object(mut all)) = serde_json::from_str(arguments) else {
        return Cow::Borrowed(arguments);
    };
    let mut changed = false;
    for key in *keys {
        let Some(Value::String(path)) = all.get_mut(*key) else { continue };
        if let Some(absolute) = absolute(path, project) {
            (*path, changed) = (absolute, true);
        }
    }
    match changed {
        true => Cow::Owned(Value::Object(all).to_string()),
        false => Cow::Borrowed(arguments),
    }
}

/// The absolute path, if its first component exists in the project or is the only one.
fn absolute(path: &str, project: &Path) -> Option<String> {
    let mut parts = Path::new(path).components();
    let first = parts.next()?;
    let begins_here = match first {
        Component::CurDir => true,
        Component::Normal(name) => {
            let only = parts.next().is_none() && project.file_name() != Some(name);
            project.join(name).exists() || only
        }
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    };
    let is_address = path.contains(':');
    let absolute = project.join(Path::new(path).strip_prefix(".").unwrap_or(Path::new(path)));
    let absolute = absolute.to_str()?.trim_end_matches('/').to_owned();
    Some(absolute).filter(|_| begins_here && !is_address)
}
