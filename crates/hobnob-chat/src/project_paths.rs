//! Paths below the project, in calls of the built-in tools of files and of the shell: they are made whole
//! before the call, so that rules, questions and the audit log show the file that is meant.
//!
//! `hub_tools` calls it. What must stay true: a path that may begin with the name of a granted folder stays
//! as it is.

use serde_json::Value;
use std::borrow::Cow;
use std::path::{Component, Path};

#[cfg(test)]
mod tests;

/// The tools, by what their names begin with, and their arguments that are paths.
const PATHS: [(&str, &[&str]); 2] = [("files_", &["path", "from", "to"]), ("shell_", &["cwd"])];

/// The arguments of a call, with whole paths.
pub(super) fn with_whole_paths<'a>(tool: &str, arguments: &'a str, project: &Path) -> Cow<'a, str> {
    let Some((_, keys)) = PATHS.iter().find(|(begin, _)| tool.starts_with(begin)) else {
        return Cow::Borrowed(arguments);
    };
    let Ok(Value::Object(mut all)) = serde_json::from_str(arguments) else {
        return Cow::Borrowed(arguments);
    };
    let mut changed = false;
    for key in *keys {
        let Some(Value::String(path)) = all.get_mut(*key) else { continue };
        if let Some(whole) = whole(path, project) {
            (*path, changed) = (whole, true);
        }
    }
    match changed {
        true => Cow::Owned(Value::Object(all).to_string()),
        false => Cow::Borrowed(arguments),
    }
}

/// The whole path, if this one begins in the project: its first part is there, or it is the only one.
fn whole(path: &str, project: &Path) -> Option<String> {
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
    let whole = project.join(Path::new(path).strip_prefix(".").unwrap_or(Path::new(path)));
    let whole = whole.to_str()?.trim_end_matches('/').to_owned();
    Some(whole).filter(|_| begins_here && !is_address)
}
