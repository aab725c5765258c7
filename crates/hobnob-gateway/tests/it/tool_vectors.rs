//! Tools that are found by meaning, with a model that knows two words.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hobnob_gateway::ToolEmbedder;
use hobnob_mcp_engine::BoxFuture;
use serde_json::json;
use tokio::sync::Notify;

use crate::harness::{Harness, entry, home, python, write_servers};

/// Puts `parrot` and `echo` in the same place, counts its texts, and notifies of requests.
#[derive(Default)]
struct Model {
    texts: AtomicUsize,
    asked: Notify,
}

impl ToolEmbedder for Model {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        let vector = |text: &String| match text.contains("parrot") || text.contains("echo") {
            true => vec![1.0, 0.0],
            false => vec![0.0, 1.0],
        };
        let vectors = texts.iter().map(vector).collect();
        self.asked.notify_one();
        Box::pin(std::future::ready(Some(vectors)))
    }
}

#[tokio::test]
async fn meaning_finds_what_no_word_does_once_the_vectors_are_made() {
    let Some(python) = python() else { return };
    let home = home("meaning");
    let up = entry(&python, &home, "up", &["--only", "echo", "--only", "count"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    assert_eq!(harness.found("parrot").await, [""; 0]);
    let model: Arc<Model> = Arc::default();
    harness.gateway.find_tools_with(Arc::clone(&model) as Arc<dyn ToolEmbedder>);
    // The first search starts computing vectors and does not wait for them.
    assert_eq!(harness.found("parrot").await, [""; 0]);
    model.asked.notified().await;
    let mut names = Vec::new();
    while names.is_empty() {
        tokio::task::yield_now().await;
        names = harness.found("parrot").await;
    }
    assert_eq!(names, ["mcp__up__echo"]);
    // From now on, only queries are embedded.
    let before = model.texts.load(Ordering::SeqCst);
    assert_eq!(harness.found("count").await[0], "mcp__up__count");
    assert_eq!(model.texts.load(Ordering::SeqCst), before + 1);
    harness.close().await;
}
