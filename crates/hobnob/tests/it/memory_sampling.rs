//! The client's own model, asked by `enrich` and `consolidate`: other people's clients that lend
//! one, in every era and transport they have, and clients that have none to lend.

use serde_json::{Value, json};

use crate::memory_client::Era;
use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{PROGRAM, listening};
use crate::seed_wire::{Home, ServerTransport};

/// Whether the client lends a model.
#[derive(Clone, Copy)]
enum Model {
    Lent,
    Missing,
}

/// Which presentation of the service the client sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Native,
    Subcog,
}

/// One client's run, and what it saw; none where the client is not installed.
async fn merge_with_client(
    library: &str,
    era: Era,
    transport: ServerTransport,
    model: Model,
    view: View,
) -> Option<Value> {
    let peer = Peer::find(library)?;
    let home = Home::new("sampling");
    let mut command = match library {
        "mcp" => peer.python("memory.py"),
        _ => {
            let mut command = peer.script("memory.mjs");
            command.arg(library);
            command
        }
    };
    command.arg(match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    });
    command.arg(match model {
        Model::Lent => "model",
        Model::Missing => "none",
    });
    command.arg(match view {
        View::Native => "memory",
        View::Subcog => "subcog",
    });
    let mut server = None;
    match transport {
        ServerTransport::Stdio => {
            command.args(["stdio", PROGRAM, "serve"]);
            if view == View::Subcog {
                command.args(["--profile", "subcog"]);
            }
        }
        ServerTransport::Http => {
            let listens = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
            let url = match view {
                View::Native => listens.url.clone(),
                View::Subcog => listens.url.replace("/mcp", "/p/subcog/mcp"),
            };
            command.args(["http", &url]);
            server = Some(listens);
        }
    }
    command.env("HOBNOB_HOME", &home.0).current_dir(home.0.join("project"));
    let seen = report_of(&mut command).await;
    drop(server);
    assert_eq!(seen["revision"], era.revision(), "{seen}");
    Some(seen)
}

/// What the model says is asked for, and stored.
async fn check_lent(library: &str, era: Era, transport: ServerTransport) {
    let Some(seen) = merge_with_client(library, era, transport, Model::Lent, View::Native).await
    else {
        return;
    };
    let questions = seen["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 2, "{seen}");
    assert_eq!(questions[0], "Suggest tags for: Use PostgreSQL for the storage layer");
    let merge = questions[1].as_str().unwrap();
    assert!(merge.contains("seven days") && merge.contains("fourteen days"), "{merge}");

    assert_eq!(seen["enriched"]["added_tags"], json!(["database", "storage"]), "{seen}");
    let labelled = &seen["labelled"];
    assert_eq!(labelled["tags"], json!(["database", "storage"]), "{seen}");
    assert_eq!(labelled["version"], 2, "{seen}");
    let content = "Use PostgreSQL for the storage layer\n\nContext: Where everything is kept.";
    assert_eq!(labelled["content"], content);
    assert_eq!(seen["enriched"]["memory"], *labelled);

    let groups = seen["consolidated"]["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &seen["consolidated"]["remaining"]), (1, &json!(0)), "{seen}");
    let merged = &seen["merged"];
    let said = "The nightly backup runs at three and keeps seven or fourteen days.";
    assert_eq!((&merged["content"], &merged["status"]), (&json!(said), &json!("active")));
    for old in seen["old"].as_array().unwrap() {
        assert_eq!(old["status"], "superseded", "{seen}");
        assert_eq!(old["superseded_by"], merged["id"], "{seen}");
        assert!(groups[0]["from"].as_array().unwrap().contains(&old["id"]), "{seen}");
    }
}

/// Without a model both say so, and change nothing.
async fn check_missing(library: &str, era: Era) {
    for (view, transport) in [
        (View::Native, ServerTransport::Stdio),
        (View::Subcog, ServerTransport::Stdio),
        (View::Subcog, ServerTransport::Http),
    ] {
        let seen = merge_with_client(library, era, transport, Model::Missing, view).await;
        let Some(seen) = seen else { return };
        assert_eq!(seen["questions"], json!([]), "{seen}");
        for tool in ["enriched", "consolidated"] {
            let said = match view {
                View::Native => &seen[tool]["failed"],
                View::Subcog => {
                    assert_eq!(seen[tool]["code"], -32606, "{seen}");
                    &seen[tool]["message"]
                }
            };
            assert!(said.as_str().is_some_and(|it| it.contains("sampling")), "{tool}: {seen}");
        }
        assert_eq!(seen["labelled"]["version"], 1, "{seen}");
        for old in seen["old"].as_array().unwrap() {
            assert_eq!(old["status"], "active", "{seen}");
        }
    }
}

peer_tests! {
    sdk_legacy_stdio: check_lent("sdk", Era::Legacy, ServerTransport::Stdio);
    sdk_legacy_http: check_lent("sdk", Era::Legacy, ServerTransport::Http);
    client_legacy_stdio: check_lent("client", Era::Legacy, ServerTransport::Stdio);
    client_legacy_http: check_lent("client", Era::Legacy, ServerTransport::Http);
    client_modern_stdio: check_lent("client", Era::Modern, ServerTransport::Stdio);
    client_modern_http: check_lent("client", Era::Modern, ServerTransport::Http);
    mcp_legacy_stdio: check_lent("mcp", Era::Legacy, ServerTransport::Stdio);
    mcp_legacy_http: check_lent("mcp", Era::Legacy, ServerTransport::Http);
    mcp_modern_stdio: check_lent("mcp", Era::Modern, ServerTransport::Stdio);
    mcp_modern_http: check_lent("mcp", Era::Modern, ServerTransport::Http);
    sdk_legacy_without: check_missing("sdk", Era::Legacy);
    client_modern_without: check_missing("client", Era::Modern);
    mcp_legacy_without: check_missing("mcp", Era::Legacy);
    mcp_modern_without: check_missing("mcp", Era::Modern);
}
