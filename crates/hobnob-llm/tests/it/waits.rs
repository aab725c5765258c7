//! Providers that take too long. The limits are short, and the server waits for the client to give
//! up, so that no test depends on how fast the machine is.

use std::time::Duration;

use hobnob_llm::{HttpProvider, ProviderError, ProviderOptions, ProviderTimeouts, WaitPhase};
use tokio::task::JoinSet;

use crate::server::{ModelServer, Step, ask, options, status, text};
use crate::streams::{ALL, Answer};

/// Long enough for a request to arrive on a busy machine.
const SHORT: Duration = Duration::from_secs(1);

/// Asks a server that runs these steps and then stays silent.
async fn check(
    steps: Vec<Step>,
    answer: &Answer,
    change: impl Fn(&mut ProviderTimeouts),
) -> (String, Option<ProviderError>) {
    let held = [steps, vec![Step::Hold]].concat();
    let mut server = ModelServer::start(vec![held]).await;
    let mut options: ProviderOptions = options(&server, answer.dialect);
    change(&mut options.timeouts);
    let (events, error) = ask(&HttpProvider::new(options)).await;
    server.client_gone().await;
    assert_eq!(server.seen().len(), 1, "nobody is asked twice");
    (text(&events), error)
}

fn late(phase: WaitPhase) -> Option<ProviderError> {
    Some(ProviderError::Late { phase, limit: SHORT })
}

/// The beginning of an answer in one write, so that there is no wait between its parts.
fn begun(answer: &Answer) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {}\r\n", answer.kind);
    let (body, length) = (answer.beginning, answer.beginning.len());
    let sent = format!("{head}transfer-encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n");
    vec![Step::Raw(sent.into_bytes())]
}

#[tokio::test]
async fn silence_has_a_limit_in_every_phase() {
    let mut checks = JoinSet::new();
    for answer in ALL {
        checks.spawn(async move {
            let nothing = check(vec![], &answer, |it| it.first_byte = SHORT).await;
            assert_eq!(nothing, (String::new(), late(WaitPhase::FirstByte)));

            let begun = check(begun(&answer), &answer, |it| it.silence = SHORT).await;
            assert_eq!(begun, ("Grüße ".into(), late(WaitPhase::Silence)));

            let nothing = check(vec![], &answer, |it| it.total = SHORT).await;
            assert_eq!(nothing, (String::new(), late(WaitPhase::Total)));
        });
    }
    checks.join_all().await;
}

#[tokio::test]
async fn a_wait_between_tries_counts_too() {
    let server = ModelServer::start(vec![status(429, "retry-after: 50\r\n", "")]).await;
    let mut options = options(&server, ALL[0].dialect);
    options.timeouts.total = SHORT;
    let (_, error) = ask(&HttpProvider::new(options)).await;
    assert_eq!(error, late(WaitPhase::Total));
    assert_eq!(server.seen().len(), 1);
}
