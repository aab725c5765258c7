//! Which requests get the page, and what is on it.

use super::{CallerProof, FrontPage, HubOrigin};
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::{OpenRequest, OpenRoutes as _};
use http::{Method, Request};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn page(proof: CallerProof) -> FrontPage {
    FrontPage::new(proof, HubOrigin::Visited("https"))
}

#[test]
fn only_browsers_on_a_visit_get_the_page() {
    for (method, path, headers, expected) in [
        (Method::GET, "/", &[("accept", BROWSER)][..], true),
        (Method::GET, "/", &[("accept", "Text/HTML")], true),
        (Method::GET, "/", &[("accept", "image/png"), ("accept", "text/html;q=0.1")], true),
        (Method::GET, "/", &[], false),
        (Method::GET, "/", &[("accept", "*/*")], false),
        (Method::GET, "/", &[("accept", "text/event-stream")], false),
        (Method::GET, "/", &[("accept", "text/html, text/event-stream")], false),
        (Method::GET, "/", &[("accept", "text/htmlx")], false),
        (Method::POST, "/", &[("accept", BROWSER)], false),
        (Method::GET, "/mcp", &[("accept", BROWSER)], false),
        (Method::GET, "/", &[("accept", BROWSER), ("origin", "https://evil.example")], false),
    ] {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).unwrap();
        let (method, headers) = (request.method(), request.headers());
        let head = OpenRequest { method, path, headers };
        assert_eq!(page(CallerProof::Nothing).has(head), expected, "{request:?}");
    }
}

async fn shown(page: FrontPage) -> String {
    let request = Request::builder().header("host", "box.example:4815").body(Bytes::new()).unwrap();
    let response = page.answer(request, ClientId::next()).await;
    String::from_utf8(response.body().bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn the_lines_to_copy_carry_what_a_caller_has_to_prove() {
    for (proof, header, said) in [
        (CallerProof::Nothing, None, "The address is"),
        (CallerProof::Secret, Some("Bearer SECRET"), "<code>listener-secret</code>"),
        (CallerProof::Token, Some("Bearer TOKEN"), "<code>hobnob token create NAME</code>"),
        (CallerProof::Login, None, "clients that know OAuth"),
    ] {
        let text = shown(page(proof)).await;
        assert!(text.contains(said), "{proof:?}: {text}");
        assert!(text.contains("hobnob https://box.example:4815/mcp"), "{proof:?}: {text}");
        let (_, entry) = text.split_once("settings:</p><pre><code>").unwrap();
        let entry = entry.split_once("</code>").unwrap().0.replace("&quot;", "\"");
        let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
        let server = &entry["mcpServers"]["hobnob"];
        assert_eq!(server["url"], "https://box.example:4815/mcp", "{proof:?}");
        assert_eq!(server["headers"]["Authorization"].as_str(), header, "{proof:?}");
        assert_eq!(text.contains(" --header "), header.is_some(), "{proof:?}");
    }
}

#[tokio::test]
async fn the_public_address_is_what_the_settings_say() {
    let origin = HubOrigin::Public("https://hub.example.com/".into());
    let text = shown(FrontPage::new(CallerProof::Login, origin)).await;
    assert!(text.contains("<code>https://hub.example.com/mcp</code>"), "{text}");
    assert!(!text.contains("box.example"), "{text}");
}
