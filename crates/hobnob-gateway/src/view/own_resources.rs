//! Hobnob's own resources as lists show them: server status, large results, logs and polls.
//!
//! `View` lists them; `dispatch::own` reads them.

use crate::catalog::BuiltIn;
use crate::uris::STATUS;
use hobnob_mcp_types::json::object;

/// The resources that always exist.
pub(crate) fn resources() -> Vec<BuiltIn> {
    let json = object(|entry| {
        entry.string("uri", STATUS).string("name", "status");
        entry.string("title", "Servers behind Hobnob");
        entry.string("description", "Which server is in what state, and why");
        entry.string("mimeType", "application/json");
    });
    vec![BuiltIn { key: STATUS.into(), json: json.into() }]
}

/// Templates of the resources that come and go.
pub(crate) fn templates() -> Vec<BuiltIn> {
    let template = |pattern: &str, name: &str, title: &str, description: &str| {
        let json = object(|entry| {
            entry.string("uriTemplate", pattern).string("name", name).string("title", title);
            entry.string("description", description);
        });
        BuiltIn { key: pattern.into(), json: json.into() }
    };
    vec![
        template(
            "hobnob://results/{id}{?page}",
            "result",
            "The rest of a large result",
            "A tool's result that was cut, in pages; the cut result names its address",
        ),
        template(
            "hobnob://logs/{server}{?of}",
            "log",
            "A server's log",
            "The last lines that a server wrote to standard error on your connections; with \
             of=all, on all connections",
        ),
        template(
            "hobnob://polls/{id}",
            "poll",
            "What a poll found last",
            "The newest result of a tool that SubscribePolling calls again and again",
        ),
    ]
}
