//! The table of questions to the owner, with a clock that the test controls.

use crate::consent::asked_tool::{AskedOrigin, AskedTool};
use crate::consent::open::{CallDigest, LIFETIME as FORM_LIFETIME};
use crate::consent::open_form::OpenForm;
use crate::consent::owner_question::{
    AskedOwner, CallOf, NotAnswered, OwnerAnswer, ShownArguments,
};
use crate::consent::owner_questions::{
    LIFETIME, MAX_PER_PRINCIPAL, MAX_QUESTIONS, MetQuestion, OwnerQuestions, RULE_DELAY,
    TooManyQuestions,
};
use hobnob_mcp_engine::{Caller, ClientId, Held, Principal};
use hobnob_policy::{
    Authorization, OwnerRule, RuleSet, RuleSource, Subject, SubjectCaller, SubjectKind, authorize,
};
use std::future::Future as _;
use std::path::{Path, PathBuf};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

const FIRST: u64 = 1000;
const TOOL: AskedTool<'static> = AskedTool { public: "t", origin: AskedOrigin::BuiltIn("t") };

fn rule() -> OwnerRule {
    let source = RuleSource {
        origin: "config.toml".into(),
        principal: None,
        group: None,
        server: None,
        tool: Some("*".into()),
        pattern: None,
        action: "ask-owner".into(),
    };
    let rules = RuleSet::parse(vec![source]).unwrap();
    let request = Subject {
        tool: "t",
        usual: None,
        server: None,
        original: None,
        caller: SubjectCaller::Named("ann"),
        kind: SubjectKind::BuiltIn,
        arguments: None,
    };
    match authorize(&rules, request) {
        Authorization::NeedsConsent(pending) => pending.owner_rule(),
        other => panic!("{other:?}"),
    }
}

fn asked(principal: &str, arguments: Option<&str>, folder: &Path) -> std::io::Result<AskedOwner> {
    let caller = Caller::new(
        ClientId::next_at(std::net::IpAddr::from([10, 0, 0, 7])),
        Principal::named(principal),
    );
    AskedOwner::new(&caller, TOOL, arguments, (CallOf::Other, rule(), "rule".into()), folder)
}

/// A table of questions about calls that differ in principal and arguments.
struct Desk {
    table: OwnerQuestions,
    now: Instant,
}

impl Desk {
    fn new() -> Self {
        Self { table: OwnerQuestions::new(FIRST), now: Instant::now() }
    }

    fn ask(&self, principal: &str, arguments: &str) -> Result<u64, TooManyQuestions> {
        let question = asked(principal, Some(arguments), Path::new("/nowhere")).unwrap();
        self.table.ask(call(principal, arguments), question, self.now)
    }

    fn meet(&self, principal: &str, arguments: &str) -> MetQuestion {
        self.table.meet(call(principal, arguments), self.now)
    }

    fn answer(&self, number: u64, answer: OwnerAnswer) -> Result<(), NotAnswered> {
        self.table.waiting(number, self.now)?;
        let question = self.table.answer(number, answer, self.now)?;
        assert_eq!((question.number, question.answer), (number, Some(answer)));
        Ok(())
    }
}

/// A question about a call of one of the owner's own clients.
fn asked_of_owner(arguments: &str, may_write_rule: bool) -> AskedOwner {
    let caller = Caller::new(ClientId::next(), Principal::anonymous());
    let why = (CallOf::Owner { may_write_rule }, rule(), "rule".into());
    AskedOwner::new(&caller, TOOL, Some(arguments), why, Path::new("/nowhere")).unwrap()
}

fn call(principal: &str, arguments: &str) -> CallDigest {
    CallDigest::of(0, principal, TOOL, Some(arguments))
}

#[test]
fn a_yes_lets_its_own_call_run_once() {
    let desk = Desk::new();
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::New);
    assert_eq!(desk.ask("ann", "{}"), Ok(FIRST));
    assert_eq!(desk.ask("ann", "{}"), Ok(FIRST), "identical calls share a question");
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::Waiting(FIRST));
    assert_eq!(desk.answer(FIRST, OwnerAnswer::Yes), Ok(()));
    for (principal, arguments) in [("bob", "{}"), ("ann", "{ }"), ("", "{}")] {
        assert_eq!(desk.meet(principal, arguments), MetQuestion::New, "{principal} {arguments}");
    }
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::Granted);
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::New);
    assert_eq!(desk.ask("ann", "{}"), Ok(FIRST + 1), "a number is never used again");
}

#[test]
fn a_no_holds_as_long_as_its_question() {
    let mut desk = Desk::new();
    desk.ask("ann", "{}").unwrap();
    assert_eq!(desk.answer(FIRST, OwnerAnswer::No), Ok(()));
    for answer in [OwnerAnswer::Yes, OwnerAnswer::No] {
        assert_eq!(desk.answer(FIRST, answer), Err(NotAnswered::Answered(OwnerAnswer::No)));
    }
    desk.now += LIFETIME - Duration::from_secs(1);
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::Refused);
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::Refused);
    desk.now += Duration::from_secs(1);
    assert_eq!(desk.meet("ann", "{}"), MetQuestion::New);
}

#[test]
fn only_a_question_that_waits_is_answered() {
    let mut desk = Desk::new();
    desk.ask("ann", "1").unwrap();
    desk.ask("ann", "2").unwrap();
    for number in [0, FIRST - 1, FIRST + 2, u64::MAX] {
        assert_eq!(desk.answer(number, OwnerAnswer::Yes), Err(NotAnswered::Unknown), "{number}");
    }
    desk.answer(FIRST, OwnerAnswer::Yes).unwrap();
    assert_eq!(desk.meet("ann", "1"), MetQuestion::Granted);
    assert_eq!(desk.answer(FIRST, OwnerAnswer::Yes), Err(NotAnswered::Gone), "its call has run");
    desk.now += LIFETIME;
    assert_eq!(desk.answer(FIRST + 1, OwnerAnswer::Yes), Err(NotAnswered::Gone), "it is too old");
    assert!(desk.table.list(desk.now).is_empty());
}

#[test]
fn of_many_calls_one_uses_the_yes() {
    let desk = Desk::new();
    desk.ask("ann", "{}").unwrap();
    desk.answer(FIRST, OwnerAnswer::Yes).unwrap();
    let granted: usize = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..8).map(|_| scope.spawn(|| desk.meet("ann", "{}"))).collect();
        let met = callers.into_iter().map(|caller| caller.join().unwrap());
        met.filter(|met| *met == MetQuestion::Granted).count()
    });
    assert_eq!(granted, 1);
}

#[test]
fn a_flood_pushes_out_only_questions_of_its_own_principal() {
    let desk = Desk::new();
    let honest = desk.ask("bob", "{}").unwrap();
    for number in 0..1000 {
        desk.ask("ann", &number.to_string()).unwrap();
    }
    assert_eq!(desk.table.list(desk.now).len(), 1 + MAX_PER_PRINCIPAL);
    assert_eq!(desk.meet("ann", "0"), MetQuestion::New, "her oldest went first");
    assert_eq!(desk.meet("bob", "{}"), MetQuestion::Waiting(honest));
    // With every place taken, a newcomer gets none, and the others keep theirs.
    let others = (0..MAX_QUESTIONS).map(|number| desk.ask(&format!("p{number}"), "{}"));
    assert!(others.last().is_some_and(|last| last == Err(TooManyQuestions)));
    assert_eq!(desk.table.list(desk.now).len(), MAX_QUESTIONS);
    assert_eq!(desk.ask("eve", "{}"), Err(TooManyQuestions));
    assert_eq!(desk.meet("bob", "{}"), MetQuestion::Waiting(honest));
    assert!(desk.ask("bob", "{ }").is_ok(), "his own question makes room");
    assert_eq!(desk.meet("bob", "{}"), MetQuestion::New);
}

/// Whether a question has been withdrawn.
fn is_withdrawn(held: &Held) -> bool {
    let mut withdrawn = std::pin::pin!(held.withdrawn());
    withdrawn.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn only_an_answer_withdraws_a_form() {
    let mut desk = Desk::new();
    let ask = |desk: &Desk, number: usize| {
        let held = Held::new(|| {});
        let form = OpenForm::new(&number.to_string(), ClientId::next(), held.withdrawal());
        let number =
            desk.table.ask_beside(form, call("", "{}"), asked_of_owner("{}", true), desk.now);
        (held, number.unwrap())
    };
    // Questions about the same call are as many as forms, and make room without ending the forms.
    let all: Vec<_> = (0..=MAX_PER_PRINCIPAL).map(|number| ask(&desk, number)).collect();
    assert_eq!(desk.table.list(desk.now).len(), MAX_PER_PRINCIPAL);
    assert_eq!(desk.answer(all[0].1, OwnerAnswer::Yes), Err(NotAnswered::Gone));
    assert_eq!(desk.meet("", "{}"), MetQuestion::New, "a form's question is not met by its call");
    assert_eq!(desk.answer(all[1].1, OwnerAnswer::No), Ok(()));
    let withdrawn: Vec<usize> = (0..all.len()).filter(|at| is_withdrawn(&all[*at].0)).collect();
    assert_eq!(withdrawn, [1]);
    assert_eq!(desk.table.close("1"), Some(OwnerAnswer::No));
    assert_eq!((desk.table.close("1"), desk.table.close("2")), (None, None));
    desk.now += FORM_LIFETIME;
    assert!(desk.table.list(desk.now).is_empty(), "a form lives shorter than a question without");
    assert!(!is_withdrawn(&all[3].0));
}

#[test]
fn an_answer_with_a_rule_is_kept_until_the_rule_is_read() {
    for has_rule in [true, false] {
        let mut desk = Desk::new();
        let number = desk.table.ask(call("", "{}"), asked_of_owner("{}", true), desk.now).unwrap();
        assert_eq!(desk.answer(number, OwnerAnswer::Always), Ok(()));
        if !has_rule {
            desk.table.has_no_rule(number);
        }
        desk.now += RULE_DELAY;
        let expected = if has_rule { MetQuestion::New } else { MetQuestion::Granted };
        assert_eq!(desk.meet("", "{}"), expected);
    }
}

#[test]
fn the_owner_can_read_all_arguments() {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("hobnob-owner-questions-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    let desk = Desk::new();
    desk.ask("ann", "{\"a\":1}").unwrap();
    let long = format!("\"{}\"", "x".repeat(6 << 20));
    for number in 0..3 {
        let question = asked("ann", Some(&long), &folder).unwrap();
        desk.table.ask(call("ann", &number.to_string()), question, desk.now).unwrap();
    }
    let files = || std::fs::read_dir(&folder).unwrap().count();
    let listed = desk.table.list(desk.now);
    // Three files exceed one principal's limit, so her oldest question made room.
    assert_eq!((listed.len(), files()), (2, 2));
    let ShownArguments::File { path, bytes } = &listed[0].arguments else {
        panic!("{:?}", listed[0].arguments)
    };
    assert_eq!(std::fs::read_to_string(path).unwrap(), long);
    assert_eq!((*bytes, &*listed[0].principal), (long.len() as u64, "ann"));
    assert_eq!(listed[0].address.as_deref(), Some("10.0.0.7"));
    drop((desk, listed));
    assert_eq!(files(), 0, "files go with their questions");
    assert!(asked("ann", Some(&"x".repeat((16 << 20) + 1)), &folder).is_err());
    assert_eq!(files(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}
