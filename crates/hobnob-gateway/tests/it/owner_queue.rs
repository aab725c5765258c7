//! The owner's queue of questions about calls of the owner's own clients: what is asked in a client
//! is in the queue too, the first answer counts, and nothing runs twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use hobnob_gateway::{AfterYes, NotAnswered, OwnerAnswer, OwnerControls, OwnerQuestion, Reload};
use hobnob_mcp_engine::{Answers, Call, ClientId, Notes, Outcome, Principal, Questions, Service};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::{AuditLog, AuditOptions};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Harness, entry, home, python, write_servers, write_settings};
use crate::view_client::call_of;

const COUNT: &str = "mcp__up__count";

/// A hub that its owner reaches, and a server that counts its calls.
struct Queue {
    harness: Harness,
    controls: OwnerControls,
}

/// How a call ended.
#[derive(Debug)]
enum End {
    Asked(Questions),
    Text(String),
}

impl End {
    fn asked(self) -> Questions {
        match self {
            Self::Asked(questions) => questions,
            Self::Text(text) => panic!("not asked: {text}"),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Asked(questions) => panic!("asked: {questions:?}"),
        }
    }
}

impl Queue {
    fn open(name: &str, rules: &str) -> Option<Self> {
        let python = python()?;
        let home = home(&format!("queue-{name}"));
        write_settings(&home, rules);
        let up = entry(&python, &home, "up", &["--only", "count"]);
        write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
        let log = AuditLog::open(&home.join("audit.jsonl"), AuditOptions::default()).unwrap();
        let harness = Harness::open_recorded(&home, Reload::OnDemand, Some(Arc::new(log)));
        let controls = harness.gateway.owner_controls();
        controls.answers_can_come();
        Some(Self { harness, controls })
    }

    async fn call(&self, arguments: Value, answers: Answers) -> End {
        let params = json!({"name": COUNT, "arguments": arguments});
        let asked = call_of(&Principal::anonymous(), Method::ToolsCall, params);
        self.run(Call { answers, ..asked }).await
    }

    /// The call of a client that shows no forms.
    async fn call_without_forms(&self, arguments: Value) -> String {
        let params = json!({"name": COUNT, "arguments": arguments});
        let mut asked = call_of(&Principal::anonymous(), Method::ToolsCall, params);
        asked.caller.capabilities = Arc::default();
        self.run(asked).await.text()
    }

    async fn run(&self, call: Call) -> End {
        match self.harness.plain.service.call(call, Notes::silent()).await {
            Ok(Outcome::NeedsInput(questions)) => End::Asked(questions),
            Ok(Outcome::Complete(answer)) => {
                let result: Value = serde_json::from_str(&answer.body).unwrap();
                End::Text(result["content"][0]["text"].as_str().unwrap().to_owned())
            }
            Ok(other @ Outcome::Started(_)) => panic!("{other:?}"),
            // A tool that a rule denies is not listed either.
            Err(error) => End::Text(format!("error: {error}")),
        }
    }

    /// A new call without arguments, whose client shows a form; the form and the queue's question.
    async fn asked(&self) -> (Questions, OwnerQuestion) {
        let form = self.call(json!({}), Answers::default()).await.asked();
        (form, self.waiting())
    }

    /// The only question.
    fn waiting(&self) -> OwnerQuestion {
        let [question] = <[OwnerQuestion; 1]>::try_from(self.controls.questions()).unwrap();
        question
    }

    async fn answer(&self, number: u64, answer: OwnerAnswer) -> Result<(), NotAnswered> {
        self.controls.answer(number, answer).await.map(drop)
    }

    fn rules(&self) -> String {
        std::fs::read_to_string(self.harness.home.join("config/config.toml")).unwrap()
    }
}

/// The next round of a call with a form: with this choice, or without an answer.
fn round(form: &Questions, says: Option<&str>) -> Answers {
    let mut answers = Answers::default();
    answers.end_round(form.state.clone());
    if let Some(says) = says {
        let answer = json!({"action": "accept", "content": {"answer": says}});
        let keys = form.requests.0.iter().map(|(key, _)| Box::from(key));
        let all: BTreeMap<Box<str>, _> =
            keys.map(|key| (key, to_raw_value(&answer).unwrap())).collect();
        answers.add(all);
    }
    answers
}

#[tokio::test]
async fn the_first_answer_counts_but_a_no_in_the_client_always_refuses() {
    use OwnerAnswer::{No, Yes};
    let Some(queue) = Queue::open("first", "") else { return };
    let mut ran = 0;
    // What the owner answers before the client's answer arrives, and what that says.
    let cases = [
        (Some(Yes), None, true),
        (Some(Yes), Some("once"), true),
        (Some(Yes), Some("no"), false),
        (Some(No), None, false),
        (Some(No), Some("once"), false),
        (None, Some("once"), true),
        (None, Some("no"), false),
    ];
    for (owner, client, runs) in cases {
        let (form, question) = queue.asked().await;
        assert_eq!((&*question.public, question.own), (COUNT, true));
        assert_eq!(question.after_yes, AfterYes::Continues);
        if let Some(answer) = owner {
            queue.answer(question.number, answer).await.unwrap();
            form.withdrawn().await;
        }
        let text = queue.call(json!({}), round(&form, client)).await.text();
        ran += usize::from(runs);
        if runs {
            assert_eq!(text, ran.to_string(), "{owner:?} {client:?}");
        } else {
            assert!(text.starts_with("refused by "), "{owner:?} {client:?}: {text}");
        }
        assert_eq!(queue.controls.questions(), []);
        let late = queue.answer(question.number, Yes).await;
        assert_eq!(late, Err(NotAnswered::Gone), "{owner:?} {client:?}");
        // Neither answer is good for another round.
        queue.call(json!({}), round(&form, client)).await.asked();
        assert_eq!(queue.harness.noted("up", "call"), ran);
    }
    queue.harness.close().await;
}

#[tokio::test]
async fn an_answer_is_for_the_call_that_was_shown() {
    let Some(queue) = Queue::open("exact", "") else { return };
    let (form, question) = queue.asked().await;
    queue.answer(question.number, OwnerAnswer::Yes).await.unwrap();
    // Another call brings the token of the first: it is asked about itself, and the token is spent.
    let other = queue.call(json!({"more": 1}), round(&form, None)).await.asked();
    queue.call(json!({}), round(&form, None)).await.asked();
    // The yes to a form is not for the same call with another form.
    queue.answer(queue.waiting().number, OwnerAnswer::Yes).await.unwrap();
    other.withdrawn().await;
    queue.call(json!({"more": 1}), Answers::default()).await.asked();
    assert_eq!(queue.harness.noted("up", "call"), 0);
    queue.harness.close().await;
}

#[tokio::test]
async fn a_question_ends_with_its_call_or_its_client() {
    let Some(queue) = Queue::open("ends", "") else { return };
    let (form, question) = queue.asked().await;
    drop(form);
    assert_eq!(queue.controls.questions(), []);
    assert_eq!(queue.answer(question.number, OwnerAnswer::Yes).await, Err(NotAnswered::Gone));
    // A client that comes back with its answer keeps nothing open meanwhile.
    let params = json!({"name": COUNT, "arguments": {}});
    let call = call_of(&Principal::anonymous(), Method::ToolsCall, params);
    let client = call.caller.client_id;
    let form = queue.run(call).await.asked();
    form.held.as_ref().unwrap().release();
    drop(form);
    assert_eq!(queue.waiting().after_yes, AfterYes::ClientReturns);
    queue.harness.plain.service.client_gone(ClientId::next());
    assert_eq!(queue.controls.questions().len(), 1);
    queue.harness.plain.service.client_gone(client);
    assert_eq!(queue.controls.questions(), []);
    queue.harness.close().await;
}

#[tokio::test]
async fn a_client_without_forms_is_told_where_its_call_waits() {
    let Some(queue) = Queue::open("formless", "") else { return };
    let told = queue.call_without_forms(json!({})).await;
    let question = queue.waiting();
    assert_eq!((question.after_yes, question.own), (AfterYes::CallAgain, true));
    for words in [&*format!("hobnob answer {} yes", question.number), "hobnob ui", "not run yet"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(queue.call_without_forms(json!({})).await, told);
    queue.answer(question.number, OwnerAnswer::Yes).await.unwrap();
    assert!(queue.call_without_forms(json!({"more": 1})).await.contains("not run yet"));
    assert_eq!(queue.call_without_forms(json!({})).await, "1");
    assert!(queue.call_without_forms(json!({})).await.contains("not run yet"), "once");
    // The same call by a client with forms uses the yes up as well.
    let number = queue.controls.questions().last().unwrap().number;
    queue.answer(number, OwnerAnswer::Yes).await.unwrap();
    assert_eq!(queue.call(json!({}), Answers::default()).await.text(), "2");
    queue.call(json!({}), Answers::default()).await.asked();
    // Another caller's call is not in the queue: its own person is asked.
    let params = json!({"name": COUNT, "arguments": {"of": "ann"}});
    let mut call = call_of(&Principal::named("ann"), Method::ToolsCall, params);
    call.caller.capabilities = Arc::default();
    let text = queue.run(call).await.text();
    assert!(text.starts_with("refused because nobody could be asked"), "{text}");
    queue.harness.close().await;
}

#[tokio::test]
async fn without_a_way_to_answer_nothing_is_queued() {
    let Some(python) = python() else { return };
    let home = home("queue-closed");
    write_settings(&home, "");
    let up = entry(&python, &home, "up", &["--only", "count"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    let harness = Harness::open(&home);
    let controls = harness.gateway.owner_controls();
    let queue = Queue { harness, controls };
    let text = queue.call_without_forms(json!({})).await;
    assert!(text.starts_with("refused because nobody could be asked"), "{text}");
    let form = queue.call(json!({}), Answers::default()).await.asked();
    assert!(form.held.is_none() && queue.controls.questions().is_empty());
    queue.harness.close().await;
}

#[tokio::test]
async fn always_and_never_write_the_rule_that_was_shown() {
    for (answer, action) in [(OwnerAnswer::Always, "allow"), (OwnerAnswer::Never, "deny")] {
        let Some(queue) = Queue::open(action, "") else { return };
        let (form, question) = queue.asked().await;
        let shown = [&question.always_writes, &question.never_writes].map(|it| it.as_deref());
        assert_eq!(shown, [Some("up/count allow"), Some("up/count deny")]);
        queue.answer(question.number, answer).await.unwrap();
        let rules = queue.rules();
        assert!(rules.contains(&format!("action = \"{action}\"")), "{rules}");
        let text = queue.call(json!({}), round(&form, None)).await.text();
        assert_eq!(text == "1", answer.agrees(), "{text}");
        queue.harness.gateway.read_again();
        let next = queue.call_without_forms(json!({})).await;
        let expected = if answer.agrees() { "2" } else { "is denied by rule `up/count deny`" };
        assert!(next.contains(expected), "{next}");
        let log = queue.harness.home.join("audit-decisions.jsonl");
        let log = std::fs::read_to_string(log).unwrap();
        let at = |words: &str| log.find(words).unwrap_or_else(|| panic!("{words}: {log}"));
        assert!(at("rules/owner-answer") < at("rules/write"), "{log}");
        queue.harness.close().await;
    }
}

#[tokio::test]
async fn a_rule_for_everybody_is_not_written_by_an_answer_to_one_call() {
    let rule = "[[permissions]]\nserver = \"up\"\naction = \"ask-owner\"\n";
    let Some(queue) = Queue::open("others", rule) else { return };
    let (form, question) = queue.asked().await;
    assert_eq!((question.always_writes, question.never_writes), (None, None));
    let params = json!({"name": COUNT, "arguments": {"of": "ann"}});
    let of_ann = call_of(&Principal::named("ann"), Method::ToolsCall, params);
    let told = queue.run(of_ann).await.text();
    assert!(told.contains("the owner of this hub was asked"), "{told}");
    let before = queue.rules();
    for question in queue.controls.questions() {
        for answer in [OwnerAnswer::Always, OwnerAnswer::Never] {
            let answered = queue.answer(question.number, answer).await;
            assert_eq!(answered, Err(NotAnswered::WritesNoRule));
        }
    }
    assert_eq!(queue.rules(), before);
    queue.answer(question.number, OwnerAnswer::Yes).await.unwrap();
    assert_eq!(queue.call(json!({}), round(&form, None)).await.text(), "1");
    queue.harness.close().await;
}

/// A rule or a remembered answer that comes between a question and a no changes nothing.
#[tokio::test]
async fn a_no_holds_although_the_tool_is_allowed_meanwhile() {
    let Some(queue) = Queue::open("meanwhile", "") else { return };
    let (first, question) = queue.asked().await;
    queue.answer(question.number, OwnerAnswer::No).await.unwrap();
    let second = queue.call(json!({}), Answers::default()).await.asked();
    let third = queue.call(json!({}), Answers::default()).await.asked();
    let agreed = queue.call(json!({}), round(&third, Some("until_restart"))).await.text();
    assert_eq!(agreed, "1");
    for (form, says) in [(&first, None), (&second, Some("no"))] {
        let text = queue.call(json!({}), round(form, says)).await.text();
        assert!(text.starts_with("refused by "), "{text}");
    }
    queue.harness.close().await;

    let Some(queue) = Queue::open("allowed", "") else { return };
    let (form, question) = queue.asked().await;
    queue.answer(question.number, OwnerAnswer::Always).await.unwrap();
    queue.harness.gateway.read_again();
    let text = queue.call(json!({}), round(&form, Some("no"))).await.text();
    assert!(text.starts_with("refused by a person"), "{text}");
    assert_eq!(queue.call(json!({}), Answers::default()).await.text(), "1");
    queue.harness.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_at_once_run_the_call_once_at_most() {
    let Some(queue) = Queue::open("race", "") else { return };
    let queue = Arc::new(queue);
    let mut ran = 0;
    for says in [Some("once"), Some("no"), None].into_iter().cycle().take(60) {
        let (form, question) = queue.asked().await;
        let (mut owners, mut clients) = (JoinSet::new(), JoinSet::new());
        for _ in 0..2 {
            let (at, number) = (Arc::clone(&queue), question.number);
            owners.spawn(async move { at.answer(number, OwnerAnswer::Yes).await.is_ok() });
            let (at, answers) = (Arc::clone(&queue), round(&form, says));
            clients.spawn(async move {
                match at.call(json!({}), answers).await {
                    End::Text(text) => text.parse::<usize>().is_ok(),
                    End::Asked(_) => false,
                }
            });
        }
        let count = |ended: Vec<bool>| ended.into_iter().filter(|it| *it).count();
        let (answered, runs) = (count(owners.join_all().await), count(clients.join_all().await));
        assert!(answered <= 1 && runs <= 1, "{says:?}: {answered} answers, {runs} runs");
        if says == Some("no") {
            assert_eq!(runs, 0, "a no in the client always refuses");
        }
        ran += runs;
        drop(form);
        assert_eq!(queue.harness.noted("up", "call"), ran);
    }
    Arc::into_inner(queue).unwrap().harness.close().await;
}
