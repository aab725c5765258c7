//! The registry's rows, and one for the example service in `CONTRIBUTING.md`.

use super::{KnownService, SERVICES, built_in_tools, open_from, service_names};
use crate::services::context::ServiceContext;
use digest::{DigestOptions, DigestService};
use hobnob_config::{
    FileGrantEntry, GrantEntries, GrantedFolderEntry, GrantsFile, IntentChoice, Places, Settings,
};
use hobnob_mcp_engine::{
    Answers, Call, Caller, ClientId, Notes, Outcome, Principal, Service as _, TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::{Method, Params};
use hobnob_policy::MachineService;
use hobnob_services::{Dialect, Presentation};
use hobnob_store::tasks::ListName;
use std::path::PathBuf;
use std::sync::Arc;

#[path = "../../../../hobnob-services/tests/it/digest.rs"]
#[expect(unreachable_pub, reason = "the example is written as part of a library")]
mod digest;

const WITH_EXAMPLE: &[KnownService] = &[KnownService {
    open: Some(|context| {
        let options = DigestOptions { list: ListName::new("list"), limit: 500 };
        Ok(Arc::new(DigestService::new(context.store(), options)))
    }),
    ..KnownService::new(DigestService::NAME, "count")
}];

#[tokio::test]
async fn every_row_opens_the_service_of_its_name() {
    let folder = Folder::new("lines");
    let settings = Settings::default();
    let context = ServiceContext::new(&folder.places, &settings, None);
    let all = [SERVICES, WITH_EXAMPLE].concat();
    let opened = open_from(&all, &context).unwrap();
    let names: Vec<&str> = opened.iter().map(|service| service.name()).collect();
    assert_eq!(names, [service_names(), vec![DigestService::NAME]].concat());
    // All of them fit into one view, each under its own name.
    let mut builder = Server::builder("probe", "1");
    for service in opened {
        let kit = service.kit(&Presentation::default()).unwrap();
        assert_eq!(kit.name(), service.name());
        builder = builder.kit(kit);
    }
    let server = builder.build().unwrap();
    for (tool, part) in [("digest_count", r#"{"open":0}"#), ("health_check", r#""status":"ok""#)] {
        let answer = call(&server, tool).await;
        assert!(answer.contains(part), "{tool}: {answer}");
    }
}

/// Commands use the list to know tools without opening services.
#[tokio::test]
async fn every_tool_of_a_kit_is_in_the_list_of_names() {
    let folder = Folder::new("names");
    std::fs::create_dir_all(&folder.places.state_dir).unwrap();
    let entries = |entries: &mut GrantEntries| {
        for service in MachineService::ALL {
            entries.services.insert(service.as_str().into(), "read-write".into());
        }
        // Without a granted folder, the service `files` lists nothing.
        let path = folder.top.display().to_string();
        let (access, identity) = ("write".to_owned(), "any".to_owned());
        let granted = GrantedFolderEntry { path, access, identity, hard_links: false };
        entries.files.push(FileGrantEntry { folder: granted, principal: None });
    };
    GrantsFile::new(&folder.places.grants()).change(entries).unwrap();
    let mut settings = Settings::default();
    settings.memory.intent = IntentChoice::Model;
    let context = ServiceContext::new(&folder.places, &settings, None);
    let mut names = std::collections::BTreeSet::new();
    for dialect in [Dialect::Native, Dialect::SysMcp] {
        let mut builder = Server::builder("probe", "1");
        for service in open_from(SERVICES, &context).unwrap() {
            let presentation = Presentation { dialect, ..Presentation::default() };
            builder = builder.kit(service.kit(&presentation).unwrap());
        }
        let server = builder.build().unwrap();
        let list = ask(&server, Method::ToolsList, &serde_json::json!({})).await;
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        let tools = list["tools"].as_array().unwrap().iter();
        names.extend(tools.map(|tool| tool["name"].as_str().unwrap().to_owned()));
    }
    let known: std::collections::BTreeSet<String> = built_in_tools().into_iter().collect();
    let unknown: Vec<_> = names.difference(&known).collect();
    assert!(unknown.is_empty(), "not in registry.rs: {unknown:?}");
    // The service `registry` has its native tools on another system only.
    let elsewhere = |name: &&String| name.starts_with("registry_");
    let gone: Vec<_> = known.difference(&names).filter(|name| !elsewhere(name)).collect();
    assert!(gone.is_empty(), "only in registry.rs: {gone:?}");
}

async fn call(server: &Server, tool: &str) -> String {
    ask(server, Method::ToolsCall, &serde_json::json!({"name": tool, "arguments": {}})).await
}

async fn ask(server: &Server, method: Method, params: &serde_json::Value) -> String {
    let caller = Caller::new(ClientId::next(), Principal::anonymous());
    let call = Call {
        method,
        params: Arc::new(Params::from_json(params.to_string()).unwrap()),
        caller,
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    };
    match server.toolbox().unwrap().call(call, Notes::silent()).await {
        Ok(Outcome::Complete(answer)) => answer.body,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_service_that_is_off_is_not_opened_and_touches_no_file() {
    let folder = Folder::new("off");
    let mut settings = Settings::default();
    for name in ["memory", "tasks", "arbor", "cone", "digest"] {
        settings.services.insert(name.into(), false);
    }
    let context = ServiceContext::new(&folder.places, &settings, None);
    let opened = open_from(&[SERVICES, WITH_EXAMPLE].concat(), &context).unwrap();
    let names: Vec<&str> = opened.iter().map(|service| service.name()).collect();
    let expected: &[&str] = match cfg!(target_os = "linux") {
        true => &["health", "echo", "shell", "files", "logs", "registry", "claudecode"],
        false => &["health", "echo", "logs", "registry"],
    };
    assert_eq!(names, expected);
    assert!(context.opened_store().is_none());
}

#[test]
fn a_name_that_nobody_has_is_an_error() {
    let folder = Folder::new("unknown");
    let mut settings = Settings::default();
    settings.services.insert("digest".into(), true);
    let context = ServiceContext::new(&folder.places, &settings, None);
    let error = open_from(SERVICES, &context).err().map(|error| error.to_string());
    let (linux, agents) = match cfg!(target_os = "linux") {
        true => ("shell, files, ", ", claudecode"),
        false => ("", ""),
    };
    let expected = format!(
        "config.toml: [services]: there is no service `digest`; \
         known: health, echo, memory, tasks, arbor, cone, {linux}logs, registry{agents}"
    );
    assert_eq!(error, Some(expected));
}

/// Folders of a user, removed when the test ends.
struct Folder {
    top: PathBuf,
    places: Places,
}

impl Folder {
    fn new(name: &str) -> Self {
        let top = std::env::temp_dir().join(format!("registry-{name}-{}", std::process::id()));
        let inside = |name: &str| top.join(name);
        let places = Places {
            home: top.clone(),
            config_dir: inside("config"),
            data_dir: inside("data"),
            state_dir: inside("state"),
            runtime_dir: inside("run"),
            project: top.clone(),
        };
        std::fs::create_dir_all(&places.data_dir).unwrap();
        Self { top, places }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.top));
    }
}
