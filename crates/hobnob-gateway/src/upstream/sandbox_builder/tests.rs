//! Which paths a sandbox exposes, and the errors for settings that are refused.

use super::*;
use hobnob_config::Settings;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

struct Home {
    _folder: TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for name in ["notes", "work/inner", "bin", ".config/hobnob", "real"] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        fs::write(path.join("real/program"), "").unwrap();
        symlink(path.join("real/program"), path.join("bin/program")).unwrap();
        symlink(path.join("real"), path.join("link")).unwrap();
        Self { _folder: folder, path }
    }

    fn builder(&self) -> SandboxBuilder {
        SandboxBuilder::new(SandboxOptions {
            home: self.path.clone(),
            own_folders: vec![self.path.join(".config/hobnob"), self.path.join("missing")],
            own_ports: Arc::new(|| vec![8080, 80, 8080]),
        })
    }

    fn named(&self, sandbox: &str) -> Result<Vec<NamedPath>, String> {
        let text = format!("[servers.x]\nsandbox = {sandbox}");
        let settings = Settings::parse(Path::new("config.toml"), &text).unwrap();
        let (_, server) = settings.servers.into_iter().next().unwrap();
        self.builder().named_paths(&server.sandbox.unwrap())
    }
}

#[test]
fn paths_that_cannot_be_used_are_named() {
    let home = Home::new();
    for (sandbox, wrong) in [
        (r#"{ read = ["~/gone"] }"#, "`sandbox.read[0]` (`~/gone`) cannot be used: No such file"),
        (r#"{ read = ["~"] }"#, "`sandbox.read[0]` (`~`) holds files of Hobnob itself"),
        (r#"{ write = ["~/.config/hobnob"] }"#, "holds files of Hobnob itself"),
        (r#"{ read = ["~/work/inner"], write = ["~/work"] }"#, "where the server can replace it"),
        (r#"{ write = ["~/work", "~/work/inner"] }"#, "where the server can replace it"),
    ] {
        let why = home.named(sandbox).unwrap_err();
        assert!(why.contains(wrong), "{sandbox}: {why}");
    }
}

#[test]
fn links_and_what_they_lead_to_are_both_in_reach() {
    let home = Home::new();
    let named = home.named(r#"{ read = ["~/link", "~/notes"], write = ["~/work"] }"#).unwrap();
    let program = home.path.join("bin/program");
    let (read, write) = reachable(&named, &program, Some(&home.path.join("work/inner")));
    let paths = |list: &[SandboxPath]| -> Vec<String> {
        let name =
            |it: &SandboxPath| it.path.strip_prefix(&home.path).unwrap().display().to_string();
        list.iter().map(name).collect()
    };
    // The working folder is inside a writable one: it is exposed already and not followed.
    assert_eq!(paths(&read), ["real", "link", "notes", "bin/program", "real/program"]);
    assert_eq!(paths(&write), ["work"]);
}

#[test]
fn a_home_as_working_folder_is_not_given_away() {
    let home = Home::new();
    let builder = home.builder();
    for (cwd, is_readable) in [("", false), ("notes", true), (".config", false)] {
        let cwd = home.path.join(cwd);
        assert_eq!(builder.readable_cwd(Some(&cwd)).is_some(), is_readable, "{}", cwd.display());
    }
}

#[test]
fn the_ports_of_hubs_are_closed() {
    let home = Home::new();
    assert_eq!(home.builder().network(false).unwrap(), NetworkAccess::Denied);
    match home.builder().network(true) {
        Ok(network) => {
            assert_eq!(network, NetworkAccess::Host { closed_ports: vec![80, 8080] });
        }
        Err(why) => assert!(why.contains("this kernel cannot keep it away"), "{why}"),
    }
}
