//! Changes of servers as a test scripts them. What the page asks for is written down.

use crate::page_hub::ScriptedHub;
use hobnob_mcp_engine::BoxFuture;
use hobnob_ui::{
    AddServers, LoginProgress, NotDone, PastePreview, ServerApproval, ServerChanges, ServerPaste,
    ServerReview, ShownEntry, StartedLogin,
};
use std::future::ready;

impl ScriptedHub {
    fn note(&self, words: String) {
        self.done.lock().push(words);
    }
}

impl ServerChanges for ScriptedHub {
    fn preview(&self, paste: ServerPaste) -> BoxFuture<'_, Result<PastePreview, NotDone>> {
        self.note(format!("preview {} as {:?}", paste.text, paste.names));
        Box::pin(ready(Ok(PastePreview::default())))
    }

    fn add(&self, request: AddServers) -> BoxFuture<'_, Result<Vec<String>, NotDone>> {
        let names: Vec<String> = request.servers.into_iter().map(|it| it.name).collect();
        self.note(format!("add {names:?} of {}", request.text));
        Box::pin(ready(match names.iter().any(|name| name == "taken") {
            true => Err(NotDone::Failed("`taken` exists".into())),
            false => Ok(names),
        }))
    }

    fn entry<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<ShownEntry, NotDone>> {
        let entry = ShownEntry {
            file: "/c/mcp.json".into(),
            entry: "{}".into(),
            also_in: vec![],
            backups: "/s".into(),
            digest: "d".into(),
        };
        Box::pin(ready(if server == "git" { Ok(entry) } else { Err(NotDone::Unknown) }))
    }

    fn remove<'a>(
        &'a self,
        server: &'a str,
        digest: &'a str,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        self.note(format!("remove {server} {digest}"));
        Box::pin(ready(Ok(())))
    }

    fn review<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<ServerReview, NotDone>> {
        Box::pin(ready(Ok(ServerReview::default())))
    }

    fn approve<'a>(
        &'a self,
        server: &'a str,
        approval: ServerApproval,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        let ServerApproval { tool, digest } = approval;
        self.note(format!("approve {server} {tool:?} {digest}"));
        Box::pin(ready(match &*digest {
            "old" => Err(NotDone::Failed("it changed".into())),
            _ => Ok(()),
        }))
    }

    fn begin_login<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<StartedLogin, NotDone>> {
        self.note(format!("log in {server}"));
        Box::pin(ready(Ok(StartedLogin { page: Some("https://login.example".into()) })))
    }

    fn login_progress<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<LoginProgress, NotDone>> {
        Box::pin(ready(Ok(LoginProgress::Failed { why: "refused".into() })))
    }

    fn log_out<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<String, NotDone>> {
        self.note(format!("log out {server}"));
        Box::pin(ready(Ok("logged out".into())))
    }
}
