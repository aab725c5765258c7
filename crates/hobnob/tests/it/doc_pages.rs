//! Every command that the book shows is typed into a shell, page by page, in a prepared home.
//!
//! What a page needs before its first command is in `tests/pages`: `every-page.sh`, and a script of
//! the page's name. A block with `needs=REASON` cannot be run here; its commands are only parsed,
//! by the program's own tests of the documentation. CONTRIBUTING.md describes both.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::doc_pages_blocks::{Step, TypedCommand, blocks, repository, steps};
use crate::doc_pages_machine::{Shell, TestMachine};

/// How many commands of a page are at most only parsed, and why. A new mark belongs here as well,
/// so that none is added unnoticed.
const ONLY_PARSED: &[(&str, &str, usize)] = &[
    ("clients", "client", 3),
    ("command-line", "login", 3),
    ("command-line", "model", 7),
    ("command-line", "network", 3),
    ("conformance", "build", 8),
    ("install", "build", 5),
    ("install", "root", 6),
    ("logins", "network", 4),
    ("memory", "model", 10),
    ("speed", "build", 5),
    ("users", "login", 3),
];

/// Commands that are typed at least, in all pages together.
const MIN_TYPED: usize = 230;

/// The address at which the book shows a hub.
const SHOWN_HUB: &str = "127.0.0.1:4815";

/// One test for each page, so that they run beside each other.
macro_rules! pages {
    ($($test:ident: $page:literal;)*) => {
        $(#[tokio::test]
        async fn $test() {
            prepare_and_type($page).await;
        })*

        const PAGES: &[&str] = &[FIRST_STEPS, $($page),*];
    };
}

pages! {
    agents: "agents";
    audit: "audit";
    backup: "backup";
    chat: "chat";
    clients: "clients";
    command_line: "command-line";
    files: "files";
    grants: "grants";
    install: "install";
    logins: "logins";
    logs: "logs";
    memory: "memory";
    metrics: "metrics";
    native_rpc: "native-rpc";
    page: "page";
    permissions: "permissions";
    processes: "processes";
    profiles: "profiles";
    registry: "registry";
    remote: "remote";
    servers: "servers";
    serving: "serving";
    shell: "shell";
    sysmcp: "sysmcp";
    tasks: "tasks";
    trees: "trees";
    usage: "usage";
    users: "users";
}

/// The page that begins with an empty home, and with the packages of others.
const FIRST_STEPS: &str = "first-steps";

#[tokio::test]
async fn first_steps() {
    let Some(machine) = crate::readme::machine("page-first-steps") else { return };
    let Some(mut shell) = machine.sit_down(&variables(&machine)).await else { return };
    type_page(FIRST_STEPS, &machine, &mut shell).await;
}

/// The text of a page.
fn text(page: &str) -> String {
    fs::read_to_string(repository().join(format!("docs/src/{page}.md"))).unwrap()
}

#[test]
fn no_page_is_left_out_and_no_mark_is_new() {
    let mut marks = BTreeMap::new();
    let (mut typed, mut wrong) = (0, Vec::new());
    for file in fs::read_dir(repository().join("docs/src")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let page = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut here = 0;
        for step in steps(&blocks(&text(&page))) {
            let Step::Type(command) = step else { continue };
            match command.needs {
                Some(needs) => *marks.entry((page.clone(), needs.to_owned())).or_insert(0) += 1,
                None => here += 1,
            }
        }
        if (here > 0) != PAGES.contains(&page.as_str()) {
            wrong.push(page);
        }
        typed += here;
    }
    assert!(wrong.is_empty(), "the list `pages!` has too many or too few of {wrong:?}");
    let listed = |(page, needs): &(String, String)| {
        ONLY_PARSED.iter().find(|it| it.0 == page && it.1 == needs).map_or(0, |it| it.2)
    };
    let more: Vec<_> = marks.iter().filter(|(mark, count)| listed(mark) < **count).collect();
    assert!(more.is_empty(), "`ONLY_PARSED` allows fewer: {more:?}");
    assert!(MIN_TYPED <= typed, "only {typed} commands are typed");
}

/// Types the commands of a page in a home that its script has prepared.
async fn prepare_and_type(page: &str) {
    let machine = TestMachine::new(&format!("page-{page}"), "src/shop");
    let Some(mut shell) = machine.sit_down(&variables(&machine)).await else { return };
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    for script in [scripts.join("every-page.sh"), scripts.join(format!("{page}.sh"))] {
        if script.exists() {
            let (seen, code) = shell.run(&format!(". {}", script.display())).await;
            assert_eq!(code, 0, "{}: {seen:#?}", script.display());
        }
    }
    type_page(page, &machine, &mut shell).await;
    shell.leave().await;
}

/// Types the commands of a page in their order.
async fn type_page(page: &str, machine: &TestMachine, shell: &mut Shell) {
    let text = text(page);
    let mut hub: Option<Hub> = None;
    let mut wrong = Vec::new();
    for step in steps(&blocks(&text)) {
        match step {
            Step::Write { file, text } => write(machine, file, text),
            Step::Type(command) if command.needs.is_some() => {}
            Step::Type(command) if is_hub(&command.text) => {
                if let Some(hub) = hub.take() {
                    hub.end().await;
                }
                hub = Some(Hub::start(machine, &command, page).await);
            }
            Step::Type(command) => {
                let typed = type_command(machine, shell, hub.as_ref(), &command).await;
                wrong.extend(typed.err().map(|why| format!("{page}.md:{}: {why}", command.line)));
            }
        }
    }
    if let Some(hub) = hub {
        hub.end().await;
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

/// What scripts of pages may use.
fn variables(machine: &TestMachine) -> [(&'static str, String); 4] {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    [
        ("NAMES", machine.folder().join("names").display().to_string()),
        ("BIN", machine.folder().join("bin").display().to_string()),
        ("UPSTREAMS", tests.join("upstreams").display().to_string()),
        // A client that starts a hub in the background would leave it behind.
        ("HOBNOB_NO_BACKGROUND", "1".into()),
    ]
}

/// A file that a page shows: settings are added to those that are there.
fn write(machine: &TestMachine, file: &str, text: &str) {
    let home = machine.folder().join("home");
    let file = file.strip_prefix("~/").map_or(machine.project().join(file), |it| home.join(it));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = match file.extension().is_some_and(|it| it == "toml") {
        true => fs::read_to_string(&file).unwrap_or_default(),
        false => String::new(),
    };
    fs::write(file, old + text).unwrap();
}

/// What a hub is started with: it runs beside the commands that follow it.
fn is_hub(command: &str) -> bool {
    command.starts_with("hobnob serve --http")
}

/// A command that goes on until Ctrl-C.
fn is_endless(command: &str) -> bool {
    let watches = command.starts_with("hobnob watch ") && !command.contains("--count");
    watches || command.contains(" --follow")
}

/// A command with the names of this run in the place of those that the page shows.
fn with_names(machine: &TestMachine, hub: Option<&Hub>, command: &str) -> String {
    let names = fs::read_to_string(machine.folder().join("names")).unwrap_or_default();
    let names = names.lines().filter_map(|line| line.split_once('\t'));
    let names: Vec<_> = names.chain(hub.map(|hub| (SHOWN_HUB, hub.address.as_str()))).collect();
    let mut named = String::new();
    let mut rest = command;
    // Only once: a real name may contain one that is shown.
    while let Some(first) = rest.chars().next() {
        let shown = names.iter().find(|(shown, _)| rest.starts_with(shown));
        let (length, real) = shown.map_or((first.len_utf8(), None), |it| (it.0.len(), Some(it.1)));
        named.push_str(real.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    named
}

async fn type_command(
    machine: &TestMachine,
    shell: &mut Shell,
    hub: Option<&Hub>,
    typed: &TypedCommand<'_>,
) -> Result<(), String> {
    let mut command = with_names(machine, hub, &typed.text);
    if command.starts_with("hobnob serve") {
        // A client is at the other end, and goes at once.
        command = format!("{{\n{command}\n}} < /dev/null");
    }
    let (seen, code) = match is_endless(&command) {
        true => match shell.run_until(&command, "").await {
            Ok(seen) => (seen, ended_by_hand(shell.interrupt(&command).await)),
            Err(ended) => ended,
        },
        false => shell.run(&command).await,
    };
    if code != 0 {
        return Err(format!("`{command}` ended with {code}: {}", seen.join("\n")));
    }
    let Some(output) = &typed.output else { return Ok(()) };
    let seen = machine.comparable(seen.iter().map(String::as_str));
    match machine.comparable(output.iter().copied()) == seen {
        true => Ok(()),
        false => Err(format!("`{command}` printed {seen:#?}")),
    }
}

/// Ctrl-C is how such a command ends.
fn ended_by_hand(code: i32) -> i32 {
    match code {
        130 => 0,
        other => other,
    }
}

/// A hub in a shell of its own.
struct Hub {
    shell: Shell,
    command: String,
    address: String,
}

impl Hub {
    /// Starts it as the page says, on a free port.
    async fn start(machine: &TestMachine, typed: &TypedCommand<'_>, page: &str) -> Self {
        let command = on_a_free_port(&with_names(machine, None, &typed.text));
        let mut shell = machine.sit_down(&variables(machine)).await.unwrap();
        let seen = match shell.run_until(&command, "listening").await {
            Ok(seen) => seen,
            Err((seen, code)) => {
                panic!(
                    "{page}.md:{}: `{command}` ended with {code}: {}",
                    typed.line,
                    seen.join("\n")
                )
            }
        };
        let line = seen.iter().find(|line| line.contains("listening")).unwrap();
        let address =
            line.split_once("http://").unwrap_or_else(|| panic!("no address in {line}")).1;
        let address = address.split('/').next().unwrap().to_owned();
        Self { shell, command, address }
    }

    async fn end(mut self) {
        let code = self.shell.interrupt(&self.command).await;
        assert_eq!(ended_by_hand(code), 0, "`{}` ended with {code}", self.command);
    }
}

/// The port of a page may be in use, or in use by another page.
fn on_a_free_port(command: &str) -> String {
    let (command, _) = command.split_once(" #").unwrap_or((command, ""));
    let (start, rest) = command.split_once("--http").unwrap();
    let rest = rest.trim_start();
    let address = rest.split(' ').next().filter(|it| !it.is_empty() && !it.starts_with('-'));
    let options = &rest[address.map_or(0, str::len)..];
    let host = address.and_then(|it| it.trim_matches('\'').rsplit_once(':')).map(|it| it.0);
    format!("{start}--http '{}:0' {options}", host.unwrap_or("127.0.0.1"))
}
