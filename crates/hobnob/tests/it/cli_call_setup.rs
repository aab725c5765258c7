//! A home with one server of our own making: a script that writes down what it receives. The tests
//! of commands that talk to servers use it.
//!
//! What must stay true: a test finds everything that reached the server in the file `noted`.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::process::{Child, Command};
use tokio::time::interval;

use crate::cli_config_home::Home;
use crate::program::{HttpServer, listening};

/// Far more than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server in a few lines of shell: it answers in the handshake's era, appends every call and
/// every cancellation to a file, and never answers `stuck`.
const SCRIPT: &str = r#"
noted=$1
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
  *'"method":"initialize"'*)
    reply '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
  *'"method":"tools/list"'*)
    reply '{"tools":[
      {"name":"typed","title":"Typed things","description":"Takes words","inputSchema":{"type":"object","properties":{"count":{"type":"integer"},"loud":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},"text":{"type":"string"}},"additionalProperties":false}},
      {"name":"stuck","description":"Never answers","inputSchema":{"type":"object"}},
      {"name":"broken","description":"Always fails","inputSchema":{"type":"object"}},
      {"name":"picture","description":"Paints a dot","inputSchema":{"type":"object"}},
      {"name":"clock","description":"Tells how often it was asked","inputSchema":{"type":"object"}}]}' ;;
  *'"method":"resources/list"'*)
    reply '{"resources":[{"uri":"note://one","name":"one","mimeType":"text/plain"},{"uri":"note://dot","name":"dot"}]}' ;;
  *'"method":"resources/templates/list"'*)
    reply '{"resourceTemplates":[{"uriTemplate":"note://{name}","name":"any"}]}' ;;
  *'"method":"resources/read"'*'note://dot'*)
    reply '{"contents":[{"uri":"note://dot","blob":"AP8="}]}' ;;
  *'"method":"resources/read"'*)
    reply "{\"contents\":[{\"uri\":\"note://one\",\"mimeType\":\"text/plain\",\"text\":\"$(cat "$noted.note")\"}]}" ;;
  *'"method":"prompts/list"'*)
    reply '{"prompts":[{"name":"greet","description":"Says hello","arguments":[{"name":"who","required":true}]}]}' ;;
  *'"method":"prompts/get"'*)
    printf '%s\n' "$line" >> "$noted"
    reply '{"messages":[{"role":"user","content":{"type":"text","text":"Say hello"}}]}' ;;
  *'"method":"tools/call"'*)
    printf '%s\n' "$line" >> "$noted"
    case "$line" in
    *'"name":"stuck"'*) ;;
    *'"name":"broken"'*) reply '{"isError":true,"content":[{"type":"text","text":"it broke"}]}' ;;
    *'"name":"picture"'*) reply '{"content":[{"type":"image","data":"AP8=","mimeType":"image/png"}]}' ;;
    *'"name":"clock"'*) reply "{\"content\":[{\"type\":\"text\",\"text\":\"asked $(wc -l < "$noted")\"}]}" ;;
    *) reply '{"content":[{"type":"text","text":"well done"}]}' ;;
    esac ;;
  *'"method":"notifications/cancelled"'*) printf '%s\n' "$line" >> "$noted" ;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}\n' "$id" ;;
  esac
done
"#;

/// Every tool of the script may run.
pub(crate) const ALLOW: &str = "[[permissions]]\ntool = \"mcp__script__*\"\naction = \"allow\"\n";

/// The home and what the server noted in it.
pub(crate) struct Setup {
    pub(crate) home: Home,
}

impl Setup {
    /// A home with the server `script` and these settings.
    pub(crate) fn new(settings: &str) -> Self {
        let home = Home::new();
        home.write("server.sh", SCRIPT.replace("[\n", "[").replace("},\n", "},").as_str());
        home.write("noted.note", "first");
        let words = [home.path("server.sh"), home.path("noted")];
        let servers = json!({"mcpServers": {"script": {"command": "sh", "args": words}}});
        home.write("hobnob/config/mcp.json", &servers.to_string());
        home.write(
            "hobnob/config/config.toml",
            &format!("[gateway]\nfirst_list_wait = \"60s\"\npoll_interval = \"1s\"\n{settings}"),
        );
        Self { home }
    }

    /// What the server received, line by line.
    pub(crate) fn noted(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path("noted")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the server has received this.
    pub(crate) async fn received(&self, words: &str) {
        let received = || self.noted().iter().any(|line| line.contains(words));
        until(&format!("{words} in {:?}", self.home.path("noted")), received).await;
    }

    /// The program, started and not waited for.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::from(self.home.command(arguments));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn().unwrap()
    }

    /// `hobnob serve --http` in this home.
    pub(crate) async fn serve(&self) -> HttpServer {
        let arguments = ["serve", "--http", "127.0.0.1:0"];
        let mut command = Command::from(self.home.command(&arguments));
        command.stderr(Stdio::piped()).kill_on_drop(true);
        listening(command).await
    }

    /// The sockets of running servers.
    pub(crate) fn sockets(&self) -> Vec<std::path::PathBuf> {
        let Ok(entries) = fs::read_dir(self.home.path("hobnob/run")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|it| it == "sock")).collect()
    }
}

/// Polls until the condition holds, for events in another process that it does not report.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    let mut looks = interval(Duration::from_millis(20));
    while !holds() {
        assert!(Instant::now() < end, "{what}: not after {TIMEOUT:?}");
        looks.tick().await;
    }
}

/// Sends a signal to a process of ours.
pub(crate) fn signal(name: &str, process: u32) {
    let mut kill = std::process::Command::new("kill");
    let status = kill.arg(format!("-{name}")).arg(process.to_string()).status().unwrap();
    assert!(status.success());
}
