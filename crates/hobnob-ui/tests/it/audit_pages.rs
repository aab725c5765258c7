//! The audit log page by page, in both of its streams, and as a download.

use crate::page_hub::PageHub;
use crate::requests::{Browser, browser, get};
use hobnob_mcp_http::ReplyBody;
use hobnob_policy::audit::{
    AuditEntry, AuditLog, AuditMode, AuditOptions, AuditOutcome, AuditRecord, AuditRetention,
    AuditTarget,
};
use hobnob_ui::PageConnection;
use jiff::Timestamp;
use serde_json::Value;
use std::future::poll_fn;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const LINES: usize = 250;

/// A log of calls, with a decision after every fifty of them. Calls are written when they end, so
/// their times, which are those of their beginnings, go back and forth.
fn write_log(path: &Path) {
    let options = AuditOptions {
        calls: AuditRetention::new(Duration::from_secs(3_600_000_000), 64 << 20),
        decisions: AuditRetention::by_age(Duration::MAX),
        mode: AuditMode::BestEffort,
    };
    let log = AuditLog::open(path, options).unwrap();
    let begun = Timestamp::from_second(1_700_000_000).unwrap();
    for number in 0..LINES {
        let target = format!("tool_{number}");
        let back = if number % 7 == 0 { 5 } else { 0 };
        let at = begun + Duration::from_secs(number as u64) - Duration::from_secs(back);
        log.record(&AuditRecord {
            at,
            target: AuditTarget::Tool(&target),
            server: Some(if number % 2 == 0 { "git" } else { "Files" }),
            outcome: if number % 10 == 0 { AuditOutcome::ToolError } else { AuditOutcome::Ok },
            ..AuditRecord::event("tools/call")
        });
        if number % 50 == 0 {
            let grant = AuditTarget::Grant("files /home/me");
            log.notice(&AuditRecord { at, target: grant, ..AuditRecord::event("grants/add") });
        }
    }
    log.flush().unwrap();
}

async fn logged() -> (PageHub, Browser, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(&path);
    let hub = PageHub::with(PageConnection::Plain, Some(path));
    let browser = browser(&hub).await;
    (hub, browser, folder)
}

/// All lines that a page gets, page by page.
async fn all(hub: &PageHub, browser: &Browser, query: &str) -> Vec<Value> {
    let (mut lines, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/ui/api/audit?{query}&before={cursor}");
        let (status, body) = get(&path).by(browser).answer(hub).await;
        assert_eq!(status, 200, "{body}");
        let page = body["lines"].as_array().unwrap();
        lines.extend(page.iter().cloned());
        assert!(lines.len() <= 2 * LINES, "the pages go round in a circle");
        match body["next"].as_str() {
            Some(next) => {
                assert!(!page.is_empty());
                cursor = next.to_owned();
            }
            None => return lines,
        }
    }
}

/// What the command shows, newest first.
fn newest_first(folder: &TempDir) -> Vec<Value> {
    let path = folder.path().join("audit.jsonl");
    let lines = hobnob_policy::audit::last(&path, &Default::default(), 10_000).unwrap();
    lines.iter().rev().map(|line| serde_json::to_value(line).unwrap()).collect()
}

#[tokio::test]
async fn pages_continue_each_other_exactly() {
    let (hub, browser, folder) = logged().await;
    let expected = newest_first(&folder);
    assert_eq!(expected.len(), LINES + LINES / 50);
    for limit in [1, 7, 50, 254, 255, 256, 1_000] {
        let lines = all(&hub, &browser, &format!("limit={limit}")).await;
        assert!(lines == expected, "limit {limit}: {} lines", lines.len());
    }
}

#[tokio::test]
async fn lines_are_found_by_words_and_outcome() {
    let (hub, browser, _folder) = logged().await;
    for (query, expected) in [
        ("q=tool_7", 11),
        ("q=TOOL_7", 11),
        ("q=tool_249", 1),
        ("q=files+tools%2Fcall", 125),
        ("q=files+git", 0),
        ("q=grants%2Fadd", 5),
        ("q=%2Fhome%2Fme", 5),
        ("q=nothing", 0),
        ("outcome=tool_error", 25),
        ("outcome=tool_error&q=tool_1", 11),
        ("outcome=unheard", 0),
        ("q=", 255),
    ] {
        let lines = all(&hub, &browser, &format!("limit=9&{query}")).await;
        assert_eq!(lines.len(), expected, "{query}");
    }
}

#[tokio::test]
async fn a_wrong_query_is_refused() {
    let (hub, browser, _folder) = logged().await;
    let long = format!("q={}", "x".repeat(201));
    for (query, part) in [
        ("limit=0", "`limit`"),
        ("limit=1001", "`limit`"),
        ("limit=-1", "`limit`"),
        ("before=unknown", "`before`"),
        ("before=1.2.3", "`before`"),
        (&*long, "`q`"),
    ] {
        let path = format!("/ui/api/audit?{query}");
        let (status, body) = get(&path).by(&browser).answer(&hub).await;
        assert_eq!(status, 422, "{query}: {body}");
        assert!(body["error"].as_str().unwrap().contains(part), "{query}: {body}");
    }
}

#[tokio::test]
async fn the_download_has_every_line() {
    let (hub, browser, folder) = logged().await;
    let answer = get("/ui/api/audit/export").by(&browser).send(&hub).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
    let name = answer.headers()["content-disposition"].to_str().unwrap();
    assert!(name.starts_with("attachment;"), "{name}");
    let ReplyBody::Stream(mut stream) = answer.into_body() else { panic!("no stream") };
    // The reader of one download is the only reader.
    let busy = get("/ui/api/audit/export").by(&browser).status(&hub).await;
    let mut text = Vec::new();
    while let Some(block) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        text.extend_from_slice(&block);
    }
    let parse = |line: &[u8]| serde_json::from_slice::<AuditEntry>(line).unwrap();
    let lines: Vec<AuditEntry> = text.trim_ascii().split(|it| *it == b'\n').map(parse).collect();
    assert_eq!(lines.len(), newest_first(&folder).len());
    assert!(lines.iter().any(|line| line.grant.is_some()));
    assert!(matches!(busy, 200 | 429), "{busy}");
}

#[tokio::test]
async fn a_log_that_is_off_is_not_empty_but_absent() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for path in ["/ui/api/audit", "/ui/api/audit/export"] {
        let (status, body) = get(path).by(&browser).answer(&hub).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["error"].as_str().unwrap().contains("audit.enabled"), "{body}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let hub = PageHub::with(PageConnection::Plain, Some(path));
    let browser = crate::requests::browser(&hub).await;
    assert!(all(&hub, &browser, "limit=5").await.is_empty());
}
