//! Recognises programs that download what they run: their first start takes as long as the network
//! needs.
//!
//! `start` asks in order to give such a server more time. It is a guess from the command line only.

use hobnob_config::Target;
use std::path::Path;

/// Whether starting this target may download it first.
pub(crate) fn may_download(target: &Target) -> bool {
    let Target::Command { program, args, .. } = target else { return false };
    let program = Path::new(program.expose());
    let name = program.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let mut words = args.iter().map(|arg| arg.expose()).filter(|word| !word.starts_with('-'));
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match name {
        "npx" | "bunx" | "pnpx" | "uvx" => true,
        "npm" | "pnpm" | "yarn" | "bun" => matches!(first, "exec" | "x" | "dlx"),
        "uv" => first == "run" || (first, second) == ("tool", "run"),
        "pipx" => first == "run",
        "docker" | "podman" | "nerdctl" => matches!(first, "run" | "pull" | "compose"),
        "deno" => first == "run",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::may_download;
    use hobnob_config::{Servers, Target};

    /// The target of an entry, as the configuration reads it.
    fn target(line: &str) -> Target {
        let mut words = line.split(' ');
        let (command, args) = (words.next().unwrap(), words.collect::<Vec<_>>());
        let entry = serde_json::json!({"mcpServers": {"it": {"command": command, "args": args}}});
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().to_owned();
        let places = hobnob_config::Places {
            home: folder.clone(),
            config_dir: folder.clone(),
            data_dir: folder.clone(),
            state_dir: folder.clone(),
            runtime_dir: folder.clone(),
            project: folder.clone(),
        };
        std::fs::write(folder.join("mcp.json"), entry.to_string()).unwrap();
        let servers = Servers::load(&places, &|_| None);
        let spec = servers.get("it").unwrap().state.as_ref().unwrap();
        spec.target.clone()
    }

    #[test]
    fn programs_that_fetch_packages_are_recognised() {
        for (line, fetches) in [
            ("npx -y @modelcontextprotocol/server-everything", true),
            ("/usr/bin/npx some-server", true),
            ("npm exec --yes some-server", true),
            ("npm run start", false),
            ("pnpm dlx some-server", true),
            ("pnpm start", false),
            ("bunx some-server", true),
            ("uvx mcp-server-time", true),
            ("uv tool run mcp-server-time", true),
            ("uv --quiet tool run mcp-server-time", true),
            ("uv tool list", false),
            ("pipx run mcp-server-time", true),
            ("pipx list", false),
            ("docker run -i --rm mcp/time", true),
            ("docker exec -i box server", false),
            ("node server.js", false),
            ("python3 -m mcp_server_time", false),
        ] {
            assert_eq!(may_download(&target(line)), fetches, "{line}");
        }
    }
}
