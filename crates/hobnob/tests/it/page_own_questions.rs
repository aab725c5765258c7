//! Questions about calls of the owner's own clients, on the page in a real browser, while the clients
//! ask them too. `page_setup` has the stage.

use crate::page_setup::{Callers, Stage};
use serde_json::json;

#[tokio::test]
async fn the_page_and_the_clients_share_one_queue_of_questions() {
    let Some(mut stage) = Stage::start(Callers::Local).await else { return };
    let report = stage.run("own_questions.mjs", json!({})).await;
    assert_eq!(report["found"], json!([]), "{report:#}");
    assert_eq!(report["wider"], 0, "{report:#}");
    let has = |name: &str, words: &[&str]| {
        let text = report[name].to_string();
        for word in words {
            assert!(text.contains(word), "{name}: {word}: {report:#}");
        }
    };
    has("waited", &["not run yet", "hobnob ui", "hobnob answer"]);
    has("shown", &["Your client a <b>script</b>", "shop/stock allow", "shop/stock deny", "kind"]);
    has("beside", &["Your client an editor", "its client as well"]);
    assert_eq!(report["form"], "elicitation/create");
    assert_eq!(report["cancelled"], json!(["notifications/cancelled", true]));
    has("ran", &["cup"]);
    has("refused", &["refused by a person"]);
    let rule = json!({"rule": 3, "server": "shop", "tool": "stock", "action": "allow"});
    assert_eq!(report["rules"][2], rule, "the rule that asked allows now");
    has("again", &["cup"]);
    assert_eq!(stage.ran("stock").len(), 2, "one by each yes");
}
