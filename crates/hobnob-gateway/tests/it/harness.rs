//! A gateway in a temporary home, with upstreams written in Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hobnob_config::{
    ConfinementLevel, Places, Profile, ProfileName, Servers, Settings, process_environment,
};
use hobnob_gateway::{
    CallObserver, FirstStarts, Gateway, GatewayError, GatewayOptions, HubIdentity, Launcher,
    Reload, SandboxBuilder, SandboxOptions, SupervisionPolicy, ViewOptions,
};
use hobnob_mcp_auth::FileGrantStore;
use hobnob_mcp_engine::{Principal, Service};
use hobnob_mcp_server::{BuildError, Server};
use hobnob_mcp_toolbox::Kit;
use hobnob_mcp_types::hello::Implementation;
use hobnob_policy::audit::AuditLog;
use serde_json::{Value, json};

use crate::view_client::{Recorded, ViewClient};

/// The gateway, its plain view, and its home folder.
pub(crate) struct Harness {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) plain: ViewClient,
    pub(crate) home: PathBuf,
}

/// The path of the Python interpreter; `None`, with a message, if there is none.
pub(crate) fn python() -> Option<String> {
    let mut asked = Command::new("python3");
    asked.args(["-c", "import sys; print(sys.executable)"]).stdin(Stdio::null());
    match asked.output() {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
        }
        _ => {
            eprintln!("SKIPPED: there is no python3 to write upstreams in");
            None
        }
    }
}

/// An empty home with settings that allow every tool.
pub(crate) fn home(name: &str) -> PathBuf {
    let folder = format!("harness-{name}-{}", std::process::id());
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    drop(std::fs::remove_dir_all(&home));
    std::fs::create_dir_all(home.join("config")).unwrap();
    write_settings(&home, ALLOW);
    home
}

/// A rule that lets every upstream's tool run.
pub(crate) const ALLOW: &str = "[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";

/// Writes the settings. The long wait keeps busy machines from failing tests about other things.
pub(crate) fn write_settings(home: &Path, text: &str) {
    let settings = format!("gateway.first_list_wait = \"60s\"\n{text}");
    std::fs::write(home.join("config/config.toml"), settings).unwrap();
}

/// The configuration entry of an upstream with a journal.
pub(crate) fn entry(python: &str, home: &Path, name: &str, switches: &[&str]) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../hobnob/tests/upstreams/faulty.py");
    let journal = home.join(format!("{name}.journal"));
    let mut arguments = vec![script, "--name", name, "--journal", journal.to_str().unwrap()];
    arguments.extend(switches);
    json!({"command": python, "args": arguments})
}

/// Writes the list of servers atomically.
pub(crate) fn write_servers(home: &Path, text: &str) {
    let scratch = home.join("scratch");
    std::fs::write(&scratch, text).unwrap();
    std::fs::rename(scratch, home.join("config/mcp.json")).unwrap();
}

impl Harness {
    /// Starts the gateway of this home; it reloads the configuration only when the test says so.
    pub(crate) fn open(home: &Path) -> Self {
        Self::open_with(home, Reload::OnDemand)
    }

    /// Starts the gateway of this home.
    pub(crate) fn open_with(home: &Path, reload: Reload) -> Self {
        Self::open_watched(home, reload, None, None)
    }

    /// Starts the gateway of this home with an audit log.
    pub(crate) fn open_recorded(home: &Path, reload: Reload, audit: Option<Arc<AuditLog>>) -> Self {
        Self::open_watched(home, reload, audit, None)
    }

    /// Starts the gateway of this home with an audit log and an observer of calls.
    pub(crate) fn open_watched(
        home: &Path,
        reload: Reload,
        audit: Option<Arc<AuditLog>>,
        observer: Option<Arc<dyn CallObserver>>,
    ) -> Self {
        let places = Places {
            home: home.into(),
            config_dir: home.join("config"),
            data_dir: home.join("data"),
            state_dir: home.join("state"),
            runtime_dir: home.join("run"),
            project: home.join("config"),
        };
        places.create().unwrap();
        let settings = Settings::load(&places.settings()).unwrap();
        let gateway = Gateway::start(GatewayOptions {
            settings,
            servers: Servers::load(&places, &process_environment),
            launcher: Launcher {
                implementation: Implementation::new("it", "1"),
                connect: Duration::from_secs(5),
                handshake: Duration::from_secs(60),
                install: Duration::from_secs(60),
                pass: Vec::new(),
                supervision: SupervisionPolicy::new("/nowhere".into(), ConfinementLevel::Group),
                sandboxes: SandboxBuilder::new(SandboxOptions {
                    home: home.into(),
                    own_folders: Vec::new(),
                    own_ports: Arc::new(Vec::new),
                }),
                trace_report: None,
                folder: home.into(),
                identity: Arc::new(HubIdentity::new(&places, "/nowhere".into(), None)),
                logins: Arc::new(FileGrantStore::new(places.logins())),
                tap: hobnob_mcp_engine::MessageTap::default(),
            },
            audit,
            observer,
            page: 1000,
            first_starts: FirstStarts::Unknown,
            reload,
            places,
        });
        let plain = show(&gateway, None, Vec::new()).unwrap();
        Self { gateway, plain, home: home.into() }
    }

    /// Opens a view for the text of a profile.
    pub(crate) fn view(&self, name: &str, profile: &str, kits: Vec<Kit>) -> ViewClient {
        self.try_view(name, profile, kits).unwrap()
    }

    /// Opens a view that may be refused.
    pub(crate) fn try_view(
        &self,
        name: &str,
        profile: &str,
        kits: Vec<Kit>,
    ) -> Result<ViewClient, String> {
        let profile = Profile::parse(Path::new("p.toml"), profile, &["demo"]).unwrap();
        let name = ProfileName::parse(name).unwrap();
        show(&self.gateway, Some((name, profile)), kits)
    }

    /// The names of the tools that a search in the plain view finds.
    pub(crate) async fn found(&self, query: &str) -> Vec<String> {
        let answer = self.plain.tool("find_tools", json!({"query": query})).await.unwrap();
        let text = answer["content"][0]["text"].as_str().unwrap();
        let Ok(tools) = serde_json::from_str::<Vec<Value>>(text) else { return Vec::new() };
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls a tool of the plain view as `who`; returns the text of its result.
    pub(crate) async fn call(&self, who: &Principal, tool: &str, arguments: Value) -> String {
        self.plain.call_as(who, tool, arguments).await
    }

    /// How often an upstream's journal has this event.
    pub(crate) fn noted(&self, name: &str, what: &str) -> usize {
        let text = std::fs::read_to_string(self.home.join(format!("{name}.journal")));
        let text = text.unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["what"] == what).count()
    }

    /// Shuts everything down and removes the home.
    pub(crate) async fn close(self) {
        self.gateway.shut_down().await;
        drop(std::fs::remove_dir_all(&self.home));
    }
}

fn show(
    gateway: &Arc<Gateway>,
    profile: Option<(ProfileName, Profile)>,
    kits: Vec<Kit>,
) -> Result<ViewClient, String> {
    #[derive(Debug)]
    enum Failed {
        Build(BuildError),
        View(GatewayError),
    }
    impl From<BuildError> for Failed {
        fn from(error: BuildError) -> Self {
            Self::Build(error)
        }
    }
    let (name, profile) = profile.unzip();
    let mut recorded = None;
    let built = Server::builder("it", "1").try_build_with(|hub, jobs| {
        recorded = Some(Recorded::on(&hub));
        let options = ViewOptions {
            name,
            profile,
            kits,
            everyday: Arc::new(|_| true),
            hub: hub.clone(),
            jobs,
        };
        let service = gateway.open_view(options).map_err(Failed::View)?;
        Ok::<_, Failed>((Arc::new(service.clone()) as Arc<dyn Service>, (service, hub)))
    });
    match built {
        Ok((server, (service, hub))) => {
            Ok(ViewClient { service, hub, recorded: recorded.unwrap(), _server: server })
        }
        Err(Failed::View(error)) => Err(error.to_string()),
        Err(Failed::Build(error)) => panic!("{error}"),
    }
}
