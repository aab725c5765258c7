//! The files of services: their places, their text, and that no value escapes its quotes.

use std::path::PathBuf;

use hobnob_config::{ServiceCommand, ServiceFile, ServiceSystem};

use crate::support::Scratch;

fn command(word: &str) -> ServiceCommand {
    ServiceCommand {
        program: "/usr/bin/hobnob".into(),
        args: vec!["serve".into(), "--http".into(), word.into()],
        env: vec![("HOBNOB_HOME".into(), word.into())],
        folder: "/home/me".into(),
    }
}

#[test]
fn each_system_has_its_file() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let systemd = ServiceFile::new(ServiceSystem::Systemd, &places, None, None);
    assert_eq!(systemd.path, places.home.join(".config/systemd/user/hobnob.service"));
    let config = Some(PathBuf::from("/config"));
    let moved = ServiceFile::new(ServiceSystem::Systemd, &places, config, Some(&places.project));
    let name = format!("hobnob-{}.service", places.project_key());
    assert_eq!(moved.path, PathBuf::from("/config/systemd/user").join(&name));
    let link = moved.enabling_link().unwrap();
    assert_eq!(link, PathBuf::from("/config/systemd/user/default.target.wants").join(&name));
    assert!(moved.after_install().iter().any(|line| line.ends_with(&name)));
    let launchd = ServiceFile::new(ServiceSystem::Launchd, &places, None, None);
    assert_eq!(launchd.path, places.home.join("Library/LaunchAgents/hobnob.serve.plist"));
    assert_eq!(launchd.enabling_link(), None);
    let unit = systemd.text(&command("a"));
    assert!(
        unit.contains("\nExecStart=\"/usr/bin/hobnob\" \"serve\" \"--http\" \"a\"\n"),
        "{unit}"
    );
    assert!(unit.contains("\nEnvironment=\"HOBNOB_HOME=a\"\n"), "{unit}");
    assert!(unit.contains("\nWorkingDirectory=/home/me\n"), "{unit}");
    let service = unit.split("[Service]").nth(1).and_then(|it| it.split("[Install]").next());
    assert!(service.is_some_and(|it| it.contains("\nDelegate=memory pids\n")), "{unit}");
    let agent = launchd.text(&command("a<b>&c"));
    assert!(agent.contains("<string>a&lt;b&gt;&amp;c</string>"), "{agent}");
}

#[test]
fn systemd_fills_nothing_in() {
    let scratch = Scratch::new();
    let file = ServiceFile::new(ServiceSystem::Systemd, &scratch.places(), None, None);
    let unit = file.text(&command("a \"b\" %h $HOME \\"));
    assert!(unit.contains(r#""a \"b\" %%h $$HOME \\""#), "{unit}");
}
