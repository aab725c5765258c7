//! The Rust blocks of `docs/src/writing-a-client.md`, each in a module or function that it
//! compiles in.
//!
//! The code is word for word what the page shows; change both.

#![expect(dead_code, reason = "it is compiled, not run")]

mod over_http {
    use hobnob_mcp::Client;

    #[tokio::main]
    async fn main() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::connect("http://127.0.0.1:4815/mcp").await?;
        println!("speaks {}", client.server_info().revision.as_str());
        for tool in client.tools().await? {
            println!("{}: {}", tool.name, tool.description.unwrap_or_default());
        }
        let report: String = client.call("health_check", &()).await?;
        println!("{report}");
        client.close().await;
        Ok(())
    }
}

mod typed_calls {
    use hobnob_mcp::{CallFailed, Client};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize)]
    struct Area {
        width: f64,
        height: f64,
    }

    #[derive(Deserialize)]
    struct Measured {
        area: f64,
    }

    async fn measure(client: &Client) -> Result<f64, CallFailed> {
        let measured: Measured = client.call("area", &Area { width: 2.0, height: 3.0 }).await?;
        Ok(measured.area)
    }

    async fn report(client: &Client) {
        match measure(client).await {
            Ok(area) => println!("{area} square metres"),
            Err(CallFailed::Tool(failure)) => println!("the tool failed: {}", failure.text()),
            Err(CallFailed::Refused(error)) => println!("{}: {}", error.code.0, error.message),
            Err(CallFailed::NoAnswer(error)) if error.cannot_have_run() => println!("try again"),
            Err(other) => println!("{other}"),
        }
    }
}

async fn login() -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp::Client;
    use hobnob_mcp::auth::{FileGrantStore, LoopbackLogin, OAuthAuthorizer};
    use std::sync::Arc;

    let server = "https://mcp.example.com/mcp";
    let authorizer = OAuthAuthorizer::builder(server)?
        .client_name("My agent")
        .prompt(LoopbackLogin::new(|page| println!("Log in here: {page}")))
        .store(Arc::new(FileGrantStore::new("my-agent/logins")))
        .build();
    let client = Client::builder().authorizer(authorizer).connect(server).await?;
    drop(client);
    Ok(())
}

async fn settings() -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp::Client;
    use std::time::Duration;

    let client = Client::builder()
        .name("my-agent", "1.0.0")
        .call_timeout(Duration::from_secs(10))
        .bearer_token(&std::env::var("SHOP_TOKEN")?)
        .header("X-Team", "docs")
        .connect("https://mcp.example.com/mcp")
        .await?;
    drop(client);
    Ok(())
}

#[cfg(unix)]
async fn over_a_pipe() -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp::Client;

    let client = Client::builder()
        .inherit_env("GITHUB_TOKEN")
        .env("LOG_LEVEL", "debug")
        .current_dir("/home/me/shop")
        .spawn(["uvx", "mcp-server-time"])
        .await?;
    let log = client.stderr(20).unwrap_or_default();
    drop(log);
    Ok(())
}

async fn forms() -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp::Client;
    use serde_json::json;

    let client = Client::builder()
        .on_form(|form| async move {
            println!("{}", form.message);
            Some(json!({ "name": "Ada" }))
        })
        .connect("http://127.0.0.1:4815/mcp")
        .await?;
    drop(client);
    Ok(())
}

mod questions {
    use hobnob_mcp::types::capabilities::{ClientCapabilities, RootsCapability};
    use hobnob_mcp::types::input::InputRequest;
    use hobnob_mcp::{BoxFuture, ErrorCode, Host, RpcError};
    use serde_json::value::{RawValue, to_raw_value};

    struct Rooted;

    impl Host for Rooted {
        fn capabilities(&self) -> ClientCapabilities {
            ClientCapabilities {
                roots: Some(RootsCapability::default()),
                ..ClientCapabilities::default()
            }
        }

        fn answer<'a>(
            &'a self,
            question: &'a InputRequest,
        ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
            Box::pin(async move {
                match question {
                    InputRequest::ListRoots(_) => {
                        let roots =
                            serde_json::json!({ "roots": [{ "uri": "file:///home/me/shop" }] });
                        to_raw_value(&roots).map_err(|_| RpcError::internal())
                    }
                    _ => Err(RpcError::new(ErrorCode::METHOD_NOT_FOUND, "nobody is there")),
                }
            })
        }
    }
}

async fn events(client: hobnob_mcp::Client) -> Result<(), hobnob_mcp::CallFailed> {
    use hobnob_mcp::ServerEvent;

    let mut events = client.events();
    client.subscribe("notes://readme").await?;
    while let Some(event) = events.next().await {
        match event {
            ServerEvent::ToolsChanged => println!("read the list of tools again"),
            ServerEvent::ResourceUpdated(uri) => println!("{uri} has new contents"),
            ServerEvent::Progress(it) => println!("{}: {}", it.target, it.progress),
            ServerEvent::Missed(count) => println!("{count} events were dropped"),
            other => println!("{other:?}"),
        }
    }
    Ok(())
}

mod scripted_server {
    use hobnob_mcp::testkit;
    use serde_json::json;

    #[tokio::test]
    async fn the_sum_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let script = r#"
        expect tools/call {"name":"add","arguments":{"a":1,"b":2}}
        answer {"content":[],"structuredContent":3}
    "#;
        let (client, server) = testkit::scripted(script).await?;
        let sum: i64 = client.call("add", &json!({ "a": 1, "b": 2 })).await?;
        assert_eq!(sum, 3);
        server.finish().await;
        Ok(())
    }
}
