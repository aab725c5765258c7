//! Links open one session each, and sessions end: by their age, by others, by their person.

use crate::page_hub::{INSTANCE, PageHub};
use crate::requests::{Browser, OpenEvents, browser, cookie_with, get, open_with, post};
use hobnob_ui::{PageConnection, PageRefusal};
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::advance;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

async fn session_status(hub: &PageHub, browser: &Browser) -> u16 {
    get("/ui/api/session").by(browser).status(hub).await
}

#[tokio::test]
async fn a_link_opens_one_session() {
    let hub = PageHub::new();
    let link = hub.page.issue_link().unwrap();
    assert!(link.len() == 64 && link.bytes().all(|byte| byte.is_ascii_hexdigit()), "{link}");
    let answer = open_with(&link).answer(&hub).await;
    assert_eq!(answer.0, 200);
    for (link, why) in [(&*link, "used"), ("", "empty"), (&"0".repeat(64), "wrong")] {
        let answer = open_with(link).send(&hub).await;
        assert_eq!(answer.status(), 403, "{why}");
        assert!(!answer.headers().contains_key("set-cookie"), "{why}");
        assert_eq!(hub.refused(), [PageRefusal::Link], "{why}");
    }
    let text = open_with(&link).answer(&hub).await.1.to_string();
    assert!(text.contains("hobnob ui") && !text.contains(&link), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_link_expires() {
    for (age, expected) in [(2 * MINUTE - Duration::from_secs(1), 200), (2 * MINUTE, 403)] {
        let hub = PageHub::new();
        let link = hub.page.issue_link().unwrap();
        advance(age).await;
        assert_eq!(open_with(&link).status(&hub).await, expected, "{age:?}");
    }
}

#[tokio::test]
async fn at_most_eight_links_are_open() {
    let hub = PageHub::new();
    let links: Vec<String> = (0..9).map(|_| hub.page.issue_link().unwrap()).collect();
    assert_eq!(links.iter().collect::<HashSet<_>>().len(), 9);
    let mut statuses = Vec::new();
    for link in &links {
        statuses.push(open_with(link).status(&hub).await);
    }
    assert_eq!(statuses, [vec![403], vec![200; 8]].concat());
}

#[tokio::test]
async fn a_session_introduces_the_hub_and_has_a_guarded_cookie() {
    let plain = format!("hobnob-ui-{INSTANCE}=VALUE; Path=/ui; HttpOnly; SameSite=Strict");
    let tls =
        format!("__Host-hobnob-ui-{INSTANCE}=VALUE; Path=/; Secure; HttpOnly; SameSite=Strict");
    for (connection, origin, expected) in [
        (PageConnection::Plain, "http://127.0.0.1:4815", plain),
        (PageConnection::Tls, "https://127.0.0.1:4815", tls),
    ] {
        let hub = PageHub::with(connection, None);
        let link = hub.page.issue_link().unwrap();
        let answer = open_with(&link).header("origin", origin).send(&hub).await;
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        let value = cookie.split(['=', ';']).nth(1).unwrap();
        assert_eq!(cookie.replace(value, "VALUE"), expected);
        let mut body = crate::requests::json_of(&answer);
        assert_ne!(body["csrf"], value, "the page must not learn its cookie");
        assert_eq!(body["csrf"].take().as_str().unwrap().len(), 64);
        let expected = json!({
            "csrf": null, "rights": "owner", "principal": "", "view": "", "version": "1.2.3",
            "instance": INSTANCE,
            "project": "/home/me/project", "profile_names": ["work"], "sign_in": [],
        });
        assert_eq!(body, expected);
    }
}

#[tokio::test]
async fn only_the_cookie_of_this_hub_counts() {
    let hub = PageHub::new();
    let other = PageHub::of_instance(&"f".repeat(32), PageConnection::Plain, None);
    let (mine, theirs) = (browser(&hub).await, browser(&other).await);
    let value = mine.cookie.split('=').nth(1).unwrap();
    let foreign = theirs.cookie.split('=').nth(1).unwrap();
    let planted = format!("{}; {}", cookie_with("planted"), mine.cookie);
    for (cookie, expected) in [
        (mine.cookie.as_str(), 200),
        (theirs.cookie.as_str(), 401),
        (&cookie_with(foreign), 401),
        (&cookie_with(""), 401),
        (&cookie_with(&value[1..]), 401),
        // A hub of another instance, a listener with TLS, and a name that merely begins alike.
        (&format!("hobnob-ui-{}={value}", "f".repeat(32)), 401),
        (&format!("__Host-hobnob-ui-{INSTANCE}={value}"), 401),
        (&format!("hobnob-ui-{INSTANCE}x={value}"), 401),
        // A page at another port can add a cookie of the same name, but not hide the session's.
        (&planted, 200),
    ] {
        let request = get("/ui/api/session").header("cookie", cookie);
        assert_eq!(request.status(&hub).await, expected, "{cookie}");
    }
    let (status, body) = get("/ui/api/session").answer(&hub).await;
    assert_eq!(status, 401);
    assert!(body["error"].as_str().unwrap().contains("hobnob ui"), "{body}");
}

#[tokio::test]
async fn the_token_of_another_session_does_not_count() {
    let hub = PageHub::new();
    let (one, two) = (browser(&hub).await, browser(&hub).await);
    for (csrf, expected) in [(&one.csrf, 204), (&two.csrf, 403)] {
        let mixed = Browser { csrf: csrf.clone(), ..one.clone() };
        assert_eq!(post("/ui/api/calls/1/cancel").by(&mixed).status(&hub).await, expected);
    }
    assert_eq!((hub.done().len(), hub.refused()), (1, vec![PageRefusal::Csrf]));
}

#[tokio::test(start_paused = true)]
async fn a_person_ends_a_session_with_its_streams_and_no_other() {
    let hub = PageHub::new();
    let (one, two) = (browser(&hub).await, browser(&hub).await);
    let mut stream = OpenEvents::open(&hub, &one, None).await;
    assert_eq!(stream.next().await.unwrap().name, "state");
    let answer = post("/ui/api/session/end").by(&one).send(&hub).await;
    assert_eq!(answer.status(), 204);
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with(&cookie_with("; Max-Age=0")), "{cookie}");
    let last = stream.event("end").await;
    assert_eq!((last.data, stream.next().await), (json!({ "reason": "session" }), None));
    assert_eq!((session_status(&hub, &one).await, session_status(&hub, &two).await), (401, 200));
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_when_it_is_idle_or_old() {
    let hub = PageHub::new();
    let (idle, used) = (browser(&hub).await, browser(&hub).await);
    let mut stream = OpenEvents::open(&hub, &idle, None).await;
    for hour in 1..7 * 24 {
        advance(HOUR).await;
        assert_eq!(session_status(&hub, &used).await, 200, "hour {hour}");
    }
    // A stream alone keeps no session open.
    assert_eq!(stream.event("end").await.data, json!({ "reason": "session" }));
    assert_eq!(session_status(&hub, &idle).await, 401);
    advance(HOUR).await;
    assert_eq!(session_status(&hub, &used).await, 401);
}

#[tokio::test(start_paused = true)]
async fn twelve_hours_without_a_request_end_a_session() {
    for (rest, expected) in [(12 * HOUR - Duration::from_secs(1), 200), (12 * HOUR, 401)] {
        let hub = PageHub::new();
        let browser = browser(&hub).await;
        advance(rest).await;
        assert_eq!(session_status(&hub, &browser).await, expected, "{rest:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_session_too_many_ends_the_one_that_was_unused_for_longest() {
    let hub = PageHub::new();
    let mut browsers = Vec::new();
    for _ in 0..32 {
        browsers.push(browser(&hub).await);
        advance(Duration::from_secs(1)).await;
    }
    assert_eq!(session_status(&hub, &browsers[0]).await, 200);
    browsers.push(browser(&hub).await);
    let mut statuses = Vec::new();
    for browser in &browsers {
        statuses.push(session_status(&hub, browser).await);
    }
    assert_eq!(statuses, [vec![200, 401], vec![200; 31]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_hub_learns_that_nothing_has_used_its_page_for_a_while() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let stream = OpenEvents::open(&hub, &browser, None).await;
    let unused = hub.page.unused_for(10 * MINUTE);
    let mut unused = std::pin::pin!(unused);
    let begun = tokio::time::Instant::now();
    let used = async {
        // The stream is open for an hour; five minutes after its end there is one more request.
        tokio::time::timeout(HOUR, std::future::pending::<()>()).await.unwrap_err();
        drop(stream);
        tokio::time::timeout(5 * MINUTE, std::future::pending::<()>()).await.unwrap_err();
        session_status(&hub, &browser).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = used => {}
        () = &mut unused => {}
    }
    assert_eq!(begun.elapsed().as_secs(), (HOUR + 15 * MINUTE).as_secs());
}
