//! A program that tries to leave its sandbox, run as a command and by a server of a real hub: as an
//! ordinary user, and as root of a user namespace. It must reach nothing outside of its grant.
//!
//! What must stay true: no attempt ever runs with the rights of the machine's root.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hobnob_mcp_process::SandboxLevel;
use hobnob_mcp_process::supervisor::sandbox_support;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::{HttpServer, OWNER_SECRET, PROGRAM, listening, within};
use crate::seed_wire::Home;
use crate::shell_service::mark;

/// The user that nothing belongs to.
const NOBODY: u32 = 65534;
const ATTACK: &str = include_str!("sandbox_attack/inside.py");
/// A rule that allows the server, since no person can be asked.
const ALLOW: &str = "[[permissions]]\nserver = \"attacker\"\naction = \"allow\"\n\n";
const SERVER: &str = include_str!("sandbox_attack/server.py");

/// The user that the hub runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HubUser {
    Ordinary,
    /// User 0 of a namespace, who owns `/etc` there and is an ordinary user outside.
    NamespaceRoot,
}

/// A home of that user, with folders to read and to change and a secret beside them.
pub(crate) struct Hub {
    pub(crate) home: Home,
    user: HubUser,
    program: PathBuf,
}

impl Hub {
    pub(crate) fn new(user: HubUser) -> Self {
        // Not below `/tmp`: the command has its own, where the same paths are other files.
        let folder =
            tempfile::Builder::new().prefix("hobnob-attack-").tempdir_in("/var/tmp").unwrap();
        let home = Home(folder.keep());
        let root = home.0.clone();
        for folder in ["project", "work", "read", "etc/private"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("secret"), "the owner's secret").unwrap();
        std::fs::write(root.join("read/file"), "to be read").unwrap();
        std::fs::write(root.join("work/inside.py"), ATTACK).unwrap();
        for name in ["passwd", "group", "ld.so.cache", "nsswitch.conf", "hosts"] {
            drop(std::fs::copy(Path::new("/etc").join(name), root.join("etc").join(name)));
        }
        for secret in ["etc/shadow", "etc/private/key"] {
            std::fs::write(root.join(secret), "the owner's secret").unwrap();
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(root.join(secret), private).unwrap();
        }
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(root.join("etc/private"), private).unwrap();
        // The folder of a checkout may be closed to other users.
        let program = root.join("hobnob");
        std::fs::copy(PROGRAM, &program).unwrap();
        if is_root() {
            chown_all(&root);
        }
        Self { home, user, program }
    }

    /// The same with a server that attacks.
    fn with_server(user: HubUser) -> Self {
        let hub = Self::new(user);
        std::fs::write(hub.home.0.join("work/attacker.py"), SERVER).unwrap();
        let entry = json!({"command": "python3", "args": [hub.path("work/attacker.py")]});
        hub.write("config/mcp.json", &json!({"mcpServers": {"attacker": entry}}).to_string());
        hub
    }

    /// Writes a file of the hub's user.
    fn write(&self, name: &str, text: &str) {
        let path = self.home.0.join(name);
        let folder = path.parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&path, text).unwrap();
        if is_root() {
            chown_all(folder);
        }
    }

    fn path(&self, name: &str) -> String {
        self.home.0.join(name).display().to_string()
    }

    /// The program as that user.
    pub(crate) fn hobnob(&self, arguments: &[&str]) -> Command {
        let mut words: Vec<String> = Vec::new();
        if is_root() {
            let nobody = format!("--reuid={NOBODY}");
            let group = format!("--regid={NOBODY}");
            words.extend(["setpriv".into(), nobody, group, "--clear-groups".into(), "--".into()]);
        }
        if self.user == HubUser::NamespaceRoot {
            let script = "mount --bind \"$0\" /etc && exec \"$@\"";
            let enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script];
            words.extend(enter.map(str::to_owned));
            words.push(self.path("etc"));
        }
        words.push(self.program.display().to_string());
        words.extend(arguments.iter().map(|it| (*it).to_owned()));
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOBNOB_HOME", &self.home.0)
            .env("HOBNOB_NO_REUSE", "1")
            .env("HOME", &self.home.0)
            .current_dir(self.home.0.join("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// A command of the person, who has no terminal here: the first one makes the owner's secret.
    pub(crate) async fn person(&self, words: &[&str]) {
        let file = self.home.0.join("state/owner-secret");
        if !file.exists() {
            let refused = within("a refusal", self.hobnob(words).output()).await.unwrap();
            assert!(!refused.status.success(), "{words:?} needs a terminal or the secret");
        }
        let secret = std::fs::read_to_string(file).unwrap();
        let mut command = self.hobnob(words);
        command.env(OWNER_SECRET.0, secret.trim());
        let output = within("a command of the person", command.output()).await.unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

pub(crate) fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn chown_all(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|it| chown_all(&it.unwrap().path()));
    }
}

/// What is outside of the sandbox, for the attack to try: sockets, ports, processes and files.
struct Outside {
    targets: Value,
    _sockets: (UnixListener, UnixListener, std::net::TcpListener),
    _process: tokio::process::Child,
    _segment: SharedSegment,
}

/// A segment of shared memory that every user may read.
struct SharedSegment(String);

impl SharedSegment {
    fn new() -> Self {
        let mut made = std::process::Command::new("ipcmk");
        let output = made.args(["--shmem", "64", "--mode", "0666"]).output().unwrap();
        // Shared memory id: 7
        let said = String::from_utf8(output.stdout).unwrap();
        Self(said.rsplit(' ').next().unwrap().trim().to_owned())
    }
}

impl Drop for SharedSegment {
    fn drop(&mut self) {
        drop(std::process::Command::new("ipcrm").args(["--shmem-id", &self.0]).status());
    }
}

impl Outside {
    fn open(hub: &Hub, server: &HttpServer) -> Self {
        let path = hub.home.0.join("outside.sock");
        let socket = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let name = format!("hobnob-attack-{}", std::process::id());
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let abstract_socket = UnixListener::bind_addr(&address).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mark = mark();
        let process = Command::new("sleep").arg(&mark).kill_on_drop(true).spawn().unwrap();
        let segment = SharedSegment::new();
        let runtime = hub.home.0.join("run");
        let mut sockets = vec![path.display().to_string()];
        for entry in std::fs::read_dir(&runtime).unwrap() {
            sockets.push(entry.unwrap().path().display().to_string());
        }
        let own: u16 =
            server.url.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
        let targets = json!({
            "secret": hub.path("secret"), "grants": hub.path("state/grants.json"),
            "home": hub.path(""), "read": hub.path("read"), "runtime": runtime,
            "sockets": sockets, "abstract": name, "mark": mark, "address": "127.0.0.1",
            "segment": segment.0.parse::<u32>().unwrap(),
            "hub": own, "port": port.local_addr().unwrap().port(),
            "pids": [process.id().unwrap(), server.child.id().unwrap(), std::process::id()],
        });
        let sockets = (socket, abstract_socket, port);
        Self { targets, _sockets: sockets, _process: process, _segment: segment }
    }
}

/// Runs the attack as a command and returns the names of what it reached.
async fn attack(user: HubUser, grant: &[&str]) -> Vec<String> {
    let hub = Hub::new(user);
    let (work, read) = (hub.path("work"), hub.path("read"));
    hub.person(&["enable", "shell"]).await;
    let base = ["grant", "shell", "--as-root", "--line", "--in", &work, "--read", &read];
    hub.person(&[&base, grant].concat()).await;
    let run = json!({"command": "exec python3 inside.py places.json", "timeout_ms": 60_000});
    let result = call(&hub, json!({"name": "shell_run", "arguments": run})).await;
    let done = &result["structuredContent"];
    assert_eq!(done["exit_code"], 0, "{user:?} {grant:?}: {result}");
    reached(done["stdout"].as_str().unwrap())
}

/// Has a server with these settings run the attack, and returns the same.
async fn attack_by_server(user: HubUser, settings: impl Fn(&Hub) -> String) -> Vec<String> {
    let hub = Hub::with_server(user);
    hub.write("config/config.toml", &format!("{ALLOW}{}", settings(&hub)));
    let result = call(&hub, json!({"name": "mcp__attacker__attack", "arguments": {}})).await;
    assert_eq!(result["isError"], false, "{user:?}: {result}");
    reached(result["content"][0]["text"].as_str().unwrap())
}

/// The result of one call, beside a hub that listens.
async fn call(hub: &Hub, call: Value) -> Value {
    let server = listening(hub.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let outside = Outside::open(hub, &server);
    let places = serde_json::to_string(&outside.targets).unwrap();
    std::fs::write(hub.home.0.join("work/places.json"), places).unwrap();
    let mut client =
        Client::start(&mut hub.hobnob(&["serve"]), Era::Modern, ClientAbilities::nothing()).await;
    let result = client.result("tools/call", call).await;
    client.end().await;
    result
}

fn reached(output: &str) -> Vec<String> {
    assert!(output.lines().count() > 20, "{output}");
    output.lines().filter(|it| it.starts_with("REACHED")).map(str::to_owned).collect()
}

/// `sandbox` with the folders of the attack.
fn sandbox(hub: &Hub, network: bool) -> String {
    let (read, write) = (hub.path("read"), hub.path("work"));
    format!(
        "[servers.attacker]\nsandbox = {{ read = [{read:?}], write = [{write:?}], network = {network} }}"
    )
}

/// Elsewhere there is nothing to attack; `hobnob doctor` says what such a machine lacks.
fn has_full_sandbox() -> bool {
    sandbox_support(Path::new(PROGRAM)).level == SandboxLevel::Full
}

#[tokio::test]
async fn a_confined_command_reaches_nothing_outside_its_grant() {
    if !has_full_sandbox() {
        return;
    }
    for user in [HubUser::Ordinary, HubUser::NamespaceRoot] {
        let reached = attack(user, &[]).await;
        assert!(reached.is_empty(), "{user:?}: {reached:#?}");
    }
}

/// The attack itself works: without a sandbox most of it succeeds.
#[tokio::test]
async fn the_same_command_without_a_sandbox_reaches_what_its_user_does() {
    let reached = attack(HubUser::Ordinary, &["--sandbox", "off"]).await;
    for name in [
        "read_outside",
        "list_outside",
        "write_outside",
        "change_metadata_outside",
        "connect_to_unix_sockets",
        "connect_to_hobnob",
        "connect_to_another_port",
        "connect_past_the_rules_for_ports",
        "read_shared_memory",
        "make_namespaces",
        "make_a_ring",
    ] {
        assert!(reached.iter().any(|it| it.contains(name)), "{name}: {reached:#?}");
    }
}

#[tokio::test]
async fn a_command_with_the_network_reaches_ports_but_not_hobnobs() {
    if !has_full_sandbox() {
        return;
    }
    let reached = attack(HubUser::Ordinary, &["--network"]).await;
    assert_eq!(reached.len(), 1, "{reached:#?}");
    assert!(reached[0].contains("connect_to_another_port"), "{reached:#?}");
}

#[tokio::test]
async fn a_confined_server_reaches_nothing_outside_its_sandbox() {
    if !has_full_sandbox() {
        return;
    }
    for user in [HubUser::Ordinary, HubUser::NamespaceRoot] {
        let reached = attack_by_server(user, |hub| sandbox(hub, false)).await;
        assert!(reached.is_empty(), "{user:?}: {reached:#?}");
    }
}

#[tokio::test]
async fn a_confined_server_with_the_network_reaches_ports_but_not_hobnobs() {
    if !has_full_sandbox() {
        return;
    }
    let reached = attack_by_server(HubUser::Ordinary, |hub| sandbox(hub, true)).await;
    assert_eq!(reached.len(), 1, "{reached:#?}");
    assert!(reached[0].contains("connect_to_another_port"), "{reached:#?}");
}

/// The attack works through a server, too: without a sandbox it reaches what the user does.
#[tokio::test]
async fn the_same_server_without_a_sandbox_reaches_what_its_user_does() {
    let reached = attack_by_server(HubUser::Ordinary, |_| String::new()).await;
    for name in ["read_outside", "write_outside", "connect_to_unix_sockets", "connect_to_hobnob"] {
        assert!(reached.iter().any(|it| it.contains(name)), "{name}: {reached:#?}");
    }
}

#[tokio::test]
async fn a_new_sandbox_holds_for_a_server_that_runs() {
    if !has_full_sandbox() {
        return;
    }
    let hub = Hub::with_server(HubUser::Ordinary);
    hub.write("config/config.toml", ALLOW);
    let mut client =
        Client::start(&mut hub.hobnob(&["serve"]), Era::Modern, ClientAbilities::nothing()).await;
    let read = |name: &str| {
        let arguments = json!({"path": hub.path(name)});
        json!({"name": "mcp__attacker__read", "arguments": arguments})
    };
    let open = client.result("tools/call", read("secret")).await;
    assert_eq!(open["content"][0]["text"], "the owner's secret", "{open}");
    hub.write("config/config.toml", &format!("{ALLOW}{}", sandbox(&hub, false)));
    // While it is replaced, calls say that it is stopping.
    let refusing = async {
        let refused = |result: Value| result.to_string().contains("No such file");
        while !refused(client.result("tools/call", read("secret")).await) {}
    };
    within("the server has its sandbox", refusing).await;
    let inside = client.result("tools/call", read("read/file")).await;
    assert_eq!(inside["content"][0]["text"], "to be read", "{inside}");
    client.end().await;
}
