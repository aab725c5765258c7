//! Finds environment variables that are set here and that a server may need, but does not get.
//!
//! `show` and `doctor` name them. Hobnob does not pass them by default, because they may hold
//! credentials or give access to more than the server is for; the settings can name some to pass.

use hobnob_config::{ServerSpec, Settings, Target, glob_matches};
use std::path::Path;

/// The variables that well-known programs read, as globs over names in capital letters.
const READ_BY: [(&[&str], &[&str]); 4] = [
    (
        &["npx", "npm", "node", "pnpx", "pnpm", "bunx", "bun"],
        &["NPM_CONFIG_*", "NODE_OPTIONS", "NVM_DIR"],
    ),
    (&["uvx", "uv", "python", "python3", "pip", "pipx"], &["UV_*", "PIP_*", "VIRTUAL_ENV"]),
    (&["docker", "podman"], &["DOCKER_*", "CONTAINER_HOST"]),
    (&["git", "mcp-server-git"], &["GIT_*"]),
];

/// The variables that any program may need: keys, a screen, a session.
const READ_BY_ALL: [&str; 5] =
    ["SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"];

/// The names of such variables, sorted; empty for a server that Hobnob reaches by its URL.
pub(super) fn held_back_variables(spec: &ServerSpec, settings: &Settings) -> Vec<String> {
    let Target::Command { program, env, .. } = &spec.target else { return Vec::new() };
    let own: Vec<&str> = env.iter().map(|(name, _)| name.as_str()).collect();
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    held_back(program.expose(), &own, &settings.environment.pass, names)
}

/// Tells the user how to pass these variables; `None` if there are none.
pub(super) fn pass_hint(names: &[String], file: &Path) -> Option<String> {
    let list = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let (these, reach) = match names {
        [] => return None,
        [one] => (one.clone(), "is set here but does not reach the server"),
        many => (many.join(", "), "are set here but do not reach the server"),
    };
    Some(format!(
        "{these} {reach}; if it needs this, write pass = [{list}] under [environment] in {}",
        file.display()
    ))
}

fn held_back(
    program: &str,
    own: &[&str],
    pass: &[String],
    names: impl Iterator<Item = String>,
) -> Vec<String> {
    let program = Path::new(program).file_stem().unwrap_or_default().to_string_lossy();
    let of_kind = READ_BY.iter().filter(|(programs, _)| programs.contains(&&*program));
    let globs: Vec<&str> =
        of_kind.flat_map(|(_, globs)| globs.iter().copied()).chain(READ_BY_ALL).collect();
    let is_read = |name: &String| {
        let upper = name.to_ascii_uppercase();
        globs.iter().any(|glob| glob_matches(glob, &upper))
    };
    let reaches = |name: &String| {
        own.contains(&name.as_str()) || pass.iter().any(|it| glob_matches(it, name))
    };
    let mut names: Vec<String> = names.filter(|name| is_read(name) && !reaches(name)).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::{held_back, pass_hint};
    use std::path::Path;

    #[test]
    fn only_what_the_program_may_read_and_does_not_get_is_named() {
        let ours =
            ["SSH_AUTH_SOCK", "NPM_CONFIG_REGISTRY", "npm_config_cache", "UV_INDEX", "SECRET"];
        let check = |program: &str, own: &[&str], pass: &[&str], expected: &[&str]| {
            let pass: Vec<String> = pass.iter().map(|it| (*it).to_owned()).collect();
            let found = held_back(program, own, &pass, ours.iter().map(|it| (*it).to_owned()));
            assert_eq!(found, expected, "{program} {own:?} {pass:?}");
        };
        check("npx", &[], &[], &["NPM_CONFIG_REGISTRY", "SSH_AUTH_SOCK", "npm_config_cache"]);
        check("/usr/bin/npx", &["NPM_CONFIG_REGISTRY"], &["npm_*"], &["SSH_AUTH_SOCK"]);
        check("uvx", &[], &["SSH_*"], &["UV_INDEX"]);
        check("my-server", &[], &[], &["SSH_AUTH_SOCK"]);
    }

    #[test]
    fn the_hint_can_be_copied() {
        let hint = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
            pass_hint(&names, Path::new("/c/config.toml"))
        };
        assert_eq!(hint(&[]), None);
        let one = hint(&["DISPLAY"]).unwrap();
        assert!(
            one.ends_with("pass = [\"DISPLAY\"] under [environment] in /c/config.toml"),
            "{one}"
        );
        let two = hint(&["A", "B"]).unwrap();
        assert!(two.starts_with("A, B are set here") && two.contains("[\"A\", \"B\"]"), "{two}");
    }
}
