//! A gateway in a home of its own, with upstreams written in Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hobnob_config::{ConfinementLevel, Places, Servers, Settings, process_environment};
use hobnob_gateway::{
    FirstStarts, Gateway, GatewayOptions, GatewayService, KeepingPolicy, Launcher, Reload,
};
use mcp_engine::{Answers, Call, Caller, Notes, Outcome, Principal, Service, TaskOffer};
use mcp_server::Server;
use mcp_types::hello::Implementation;
use mcp_types::{Method, Params, Revision};
use serde_json::{Value, json};

/// The gateway, the server that holds its hub, and where both are at home.
pub(crate) struct House {
    pub(crate) gateway: Arc<Gateway>,
    service: GatewayService,
    _server: Server,
    pub(crate) home: PathBuf,
}

/// Where the interpreter is; none, aloud, if there is none.
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

/// An empty home.
pub(crate) fn home(name: &str) -> PathBuf {
    let folder = format!("house-{name}-{}", std::process::id());
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    drop(std::fs::remove_dir_all(&home));
    std::fs::create_dir_all(home.join("config")).unwrap();
    let allow = "[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";
    std::fs::write(home.join("config/config.toml"), allow).unwrap();
    home
}

/// The entry of an upstream with a journal.
pub(crate) fn entry(python: &str, home: &Path, name: &str, switches: &[&str]) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../hobnob/tests/upstreams/faulty.py");
    let journal = home.join(format!("{name}.journal"));
    let mut arguments = vec![script, "--name", name, "--journal", journal.to_str().unwrap()];
    arguments.extend(switches);
    json!({"command": python, "args": arguments})
}

/// Puts the list of servers in place.
pub(crate) fn write_servers(home: &Path, text: &str) {
    let scratch = home.join("scratch");
    std::fs::write(&scratch, text).unwrap();
    std::fs::rename(scratch, home.join("config/mcp.json")).unwrap();
}

impl House {
    /// Starts the gateway of this home.
    pub(crate) fn open(home: &Path) -> Self {
        let places = Places {
            home: home.into(),
            config_dir: home.join("config"),
            state_dir: home.join("state"),
            runtime_dir: home.join("run"),
            project: home.join("config"),
        };
        places.create().unwrap();
        let settings = Settings::load(&places.settings()).unwrap();
        let options = GatewayOptions {
            settings,
            servers: Servers::load(&places, &process_environment),
            profile: None,
            launcher: Launcher {
                implementation: Implementation::new("it", "1"),
                connect: Duration::from_secs(5),
                handshake: Duration::from_secs(60),
                pass: Vec::new(),
                keeping: KeepingPolicy::new("/nowhere".into(), ConfinementLevel::Group),
                folder: home.into(),
            },
            kits: Vec::new(),
            audit: None,
            page: 1000,
            first_starts: FirstStarts::Unknown,
            reload: Reload::OnDemand,
            places,
        };
        let built = Server::builder("it", "1").try_build_with(|hub, tasks| {
            let gateway = Gateway::start(options, hub, tasks).unwrap();
            let service: Arc<dyn Service> = Arc::new(GatewayService(Arc::clone(&gateway)));
            Ok::<_, mcp_server::BuildError>((service, gateway))
        });
        let Ok((server, gateway)) = built else { panic!("the gateway does not start") };
        let service = GatewayService(Arc::clone(&gateway));
        Self { gateway, service, _server: server, home: home.into() }
    }

    /// Calls a tool for somebody; the text of its result.
    pub(crate) async fn call(&self, who: &Principal, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments}).to_string();
        let call = Call {
            method: Method::ToolsCall,
            params: Arc::new(Params::from_json(params).unwrap()),
            caller: Caller {
                revision: Revision::NEWEST,
                capabilities: Arc::default(),
                client: None,
                principal: who.clone(),
                log_level: None,
            },
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        };
        match self.service.call(call, Notes::silent()).await {
            Ok(Outcome::Complete(answer)) => {
                let result: Value = serde_json::from_str(&answer.body).unwrap();
                result["content"][0]["text"].as_str().unwrap().to_owned()
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => format!("error: {error}"),
        }
    }

    /// How often an upstream has written this down.
    pub(crate) fn noted(&self, name: &str, what: &str) -> usize {
        let text = std::fs::read_to_string(self.home.join(format!("{name}.journal")));
        let text = text.unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["what"] == what).count()
    }

    /// Ends everything, and leaves nothing behind.
    pub(crate) async fn close(self) {
        self.gateway.shut_down().await;
        drop(std::fs::remove_dir_all(&self.home));
    }
}
