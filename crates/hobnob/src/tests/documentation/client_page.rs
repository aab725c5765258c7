//! The Rust blocks of `docs/src/writing-a-client.md`, each in a module or function that it
//! compiles in.
//!
//! The code is word for word what the page shows; change both.

#![expect(dead_code, reason = "it is compiled, not run")]

mod over_http {
    use hobnob_mcp_client::{
        Client, ClientOptions, Connection, DeclineAll, IgnoreEvents, connect_http, http_target,
    };
    use hobnob_mcp_engine::Notes;
    use std::sync::Arc;
    use tokio_util::task::TaskTracker;

    #[tokio::main]
    async fn main() -> Result<(), Box<dyn std::error::Error>> {
        let tasks = TaskTracker::new();
        let host = Arc::new(DeclineAll);
        let connection = Connection {
            host: host.clone(),
            events: Arc::new(IgnoreEvents),
            options: ClientOptions::new("my-client", "1.0.0"),
            tasks: tasks.clone(),
        };
        let target = http_target("http://127.0.0.1:4815/mcp", [("X-Team", "docs")])?;
        let remote = connect_http(connection, target).await?;
        println!("speaks {}", remote.hello().revision.as_str());

        let client = Client::new(Arc::clone(&remote), host);
        for tool in client.tools().await? {
            println!("{tool}");
        }
        let result = client.call_tool("health_check", Some("{}"), &Notes::silent()).await?;
        for piece in &result.content {
            println!("{}", piece.as_text().unwrap_or("(no text)"));
        }

        remote.close();
        tasks.close();
        tasks.wait().await;
        Ok(())
    }
}

#[cfg(unix)]
async fn over_a_pipe(
    connection: hobnob_mcp_client::Connection,
) -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp_client::connect_lines;
    use hobnob_mcp_transport::child::{Child, ChildSpec, StopGrace, Supervision, environment};

    let spec = ChildSpec {
        program: "uvx".into(),
        args: vec!["mcp-server-time".into()],
        env: environment(|_| false, []),
        cwd: None,
        supervision: Supervision::Group,
    };
    let (child, pipes) = Child::spawn(&spec)?;
    let remote = connect_lines(connection, pipes.stdout, pipes.stdin).await?;
    // …
    remote.close();
    child.stop(StopGrace::default()).await;
    Ok(())
}

mod questions {
    use hobnob_mcp_client::Host;
    use hobnob_mcp_engine::BoxFuture;
    use hobnob_mcp_types::capabilities::{ClientCapabilities, RootsCapability};
    use hobnob_mcp_types::input::InputRequest;
    use hobnob_mcp_types::{ErrorCode, RpcError};
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
