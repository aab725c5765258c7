//! The file that lets the system start Hobnob at login: a unit of systemd, or an agent of launchd.
//!
//! `hobnob service` writes, compares and removes it. This file only decides its text and its path;
//! the user tells the system to use it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::places::Places;

/// The system program that starts services of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceSystem {
    /// Linux: a unit in the user's own folder.
    Systemd,
    /// macOS: a property list in the user's `Library`.
    Launchd,
}

/// The command that the service starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceCommand {
    /// The absolute path of the program.
    pub program: String,
    /// Its arguments, beginning with `serve`.
    pub args: Vec<String>,
    /// Variables that it needs besides those of the user's session.
    pub env: Vec<(String, String)>,
    /// The folder it runs in.
    pub folder: String,
}

/// A service and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceFile {
    system: ServiceSystem,
    /// The name by which the system knows it.
    pub name: String,
    /// The path of the file, whether it exists or not.
    pub path: PathBuf,
}

impl ServiceFile {
    /// The service of this user, or the service of a project that has its own.
    pub fn new(
        system: ServiceSystem,
        places: &Places,
        config_home: Option<PathBuf>,
        project: Option<&Path>,
    ) -> Self {
        let suffix = project.map(|_| places.project_key());
        match system {
            ServiceSystem::Systemd => {
                let name = match suffix {
                    Some(key) => format!("hobnob-{key}.service"),
                    None => "hobnob.service".into(),
                };
                let config = config_home.unwrap_or_else(|| places.home.join(".config"));
                let path = config.join("systemd").join("user").join(&name);
                Self { system, name, path }
            }
            ServiceSystem::Launchd => {
                let name = match suffix {
                    Some(key) => format!("hobnob.serve.{key}"),
                    None => "hobnob.serve".into(),
                };
                let agents = places.home.join("Library").join("LaunchAgents");
                let path = agents.join(format!("{name}.plist"));
                Self { system, name, path }
            }
        }
    }

    /// The link that systemd makes when the unit is enabled.
    pub fn enabling_link(&self) -> Option<PathBuf> {
        match self.system {
            ServiceSystem::Systemd => {
                let wants = self.path.parent()?.join("default.target.wants");
                Some(wants.join(&self.name))
            }
            ServiceSystem::Launchd => None,
        }
    }

    /// The contents of the file.
    pub fn text(&self, command: &ServiceCommand) -> String {
        match self.system {
            ServiceSystem::Systemd => unit(command),
            ServiceSystem::Launchd => property_list(&self.name, command),
        }
    }

    /// The commands to type after the file was written.
    pub fn after_install(&self) -> Vec<String> {
        let (name, path) = (&self.name, self.path.display());
        match self.system {
            ServiceSystem::Systemd => vec![
                "systemctl --user daemon-reload".into(),
                format!("systemctl --user enable --now {name}"),
            ],
            ServiceSystem::Launchd => vec![format!("launchctl bootstrap gui/$(id -u) '{path}'")],
        }
    }

    /// The commands to type after the file was removed.
    pub fn after_uninstall(&self) -> Vec<String> {
        let name = &self.name;
        match self.system {
            ServiceSystem::Systemd => vec![
                format!("systemctl --user stop {name}"),
                "systemctl --user daemon-reload".into(),
            ],
            ServiceSystem::Launchd => vec![format!("launchctl bootout gui/$(id -u)/{name}")],
        }
    }
}

fn unit(command: &ServiceCommand) -> String {
    let ServiceCommand { program, args, env, folder } = command;
    let words = std::iter::once(program).chain(args).map(|word| systemd_word(word));
    let mut text =
        String::from("[Unit]\nDescription=Hobnob, one place for MCP servers\n\n[Service]\n");
    // Writing to a string never fails.
    let _ = writeln!(text, "ExecStart={}", words.collect::<Vec<_>>().join(" "));
    let _ = writeln!(text, "ExecReload=/bin/kill -HUP $MAINPID");
    let _ = writeln!(text, "WorkingDirectory={}", folder.replace('%', "%%"));
    for (name, value) in env {
        let _ = writeln!(text, "Environment={}", systemd_word(&format!("{name}={value}")));
    }
    text.push_str("Restart=on-failure\n");
    // The kernel then enforces commands' memory limits: each has a cgroup below the unit's.
    text.push_str("Delegate=memory pids\n\n[Install]\nWantedBy=default.target\n");
    text
}

/// A word in quotes, escaped so that systemd expands nothing in it.
fn systemd_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('%', "%%").replace('$', "$$"))
}

fn property_list(name: &str, command: &ServiceCommand) -> String {
    let ServiceCommand { program, args, env, folder } = command;
    let string = |text: &str| format!("<string>{}</string>", xml(text));
    let words = std::iter::once(program).chain(args);
    let words: String = words.map(|word| format!("    {}\n", string(word))).collect();
    let pair = |(name, value): &(String, String)| {
        format!("    <key>{}</key>\n    {}\n", xml(name), string(value))
    };
    let pairs: String = env.iter().map(pair).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  {}\n  <key>ProgramArguments</key>\n  \
         <array>\n{words}  </array>\n  <key>EnvironmentVariables</key>\n  <dict>\n{pairs}  </dict>\n  \
         <key>WorkingDirectory</key>\n  {}\n  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  \
         <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n</dict>\n</plist>\n",
        string(name),
        string(folder),
    )
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
