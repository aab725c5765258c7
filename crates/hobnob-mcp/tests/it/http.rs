//! Serves on a port and connects a client by URL.

use hobnob_mcp::{Client, HttpOptions, Kit, Server, bind, serve_http};
use tokio::task::JoinSet;

#[tokio::test]
async fn a_client_reaches_a_server_by_its_url() {
    let kit = Kit::plain("greetings").tool("hello", "Greets somebody", async || "hello");
    let server = Server::of(kit).build().unwrap();
    let options = HttpOptions::default();
    let listener = bind(([127, 0, 0, 1], 0).into(), &options).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let mut serving = JoinSet::new();
    let served = server.clone();
    serving.spawn(async move {
        serve_http(&served, listener, options, served.stopping()).await.unwrap();
    });

    let client = Client::connect(&url).await.unwrap();
    assert_eq!(client.call::<_, String>("hello", &()).await.unwrap(), "hello");
    client.close().await;
    server.stop();
    while let Some(ended) = serving.join_next().await {
        ended.unwrap();
    }
}
