//! Which rule decides about which call.

use crate::audit::{AuditDecision, Decision};
use crate::{
    Authorization, Glob, GrantedBy, RefusedBy, RuleAction, RuleSet, RuleSource, Subject,
    SubjectCaller, SubjectKind, authorize, decide, hidden,
};

/// Rules, one on each line: `tool action`, `tool pattern action`, or with `server/tool`.
pub(super) fn rules(lines: &str) -> RuleSet {
    RuleSet::parse(lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(text).collect())
        .unwrap()
}

fn text(line: &str) -> RuleSource {
    let words: Vec<&str> = line.split(' ').collect();
    let (server, tool) = match words[0].split_once('/') {
        Some((server, tool)) => (Some(server.into()), (!tool.is_empty()).then(|| tool.into())),
        None => (None, Some(words[0].into())),
    };
    RuleSource {
        origin: "config.toml".into(),
        principal: None,
        group: None,
        server,
        tool,
        pattern: (words.len() == 3).then(|| words[1].into()),
        action: words[words.len() - 1].into(),
    }
}

pub(super) fn upstream<'a>(tool: &'a str, server: &'a str, original: &'a str) -> Subject<'a> {
    let (server, original) = (Some(server), Some(original));
    let (caller, kind) = (SubjectCaller::Nameless, SubjectKind::Upstream);
    Subject { tool, usual: None, server, original, caller, kind, arguments: None }
}

fn own(tool: &str, kind: SubjectKind) -> Subject<'_> {
    let caller = SubjectCaller::Nameless;
    Subject { tool, usual: None, server: None, original: None, caller, kind, arguments: None }
}

const GITHUB: Subject<'static> = Subject {
    tool: "mcp__github__get_issue",
    usual: None,
    server: Some("github"),
    original: Some("get_issue"),
    caller: SubjectCaller::Nameless,
    kind: SubjectKind::Upstream,
    arguments: None,
};

#[test]
fn the_most_specific_rule_decides() {
    let check = |lines: &str, subject: &Subject<'_>, expected: &str| {
        let verdict = decide(&rules(lines), subject);
        assert_eq!(
            format!("{} {}", verdict.action().as_str(), verdict.rule()),
            expected,
            "{lines}"
        );
    };
    check("", &GITHUB, "ask default");
    check("* allow", &GITHUB, "allow * allow");
    check("* deny\nmcp__github__* allow", &GITHUB, "allow mcp__github__* allow");
    check("mcp__github__get_* ask\nmcp__github__* allow", &GITHUB, "ask mcp__github__get_* ask");
    check(
        "mcp__github__get_issue allow\n*__get_issue deny",
        &GITHUB,
        "allow mcp__github__get_issue allow",
    );
    check(
        "mcp__github__get_issu? deny\nmcp__github__get_issue allow",
        &GITHUB,
        "allow mcp__github__get_issue allow",
    );
    // Of equal rules the stricter wins, in any order.
    check("mcp__github__* allow\nmcp__github__* ask", &GITHUB, "ask mcp__github__* ask");
    check("mcp__github__* deny\nmcp__github__* ask", &GITHUB, "deny mcp__github__* deny");
    // A server without a tool weighs as much as a glob over all of its tools.
    check("mcp__github allow", &GITHUB, "allow mcp__github allow");
    check("mcp__github deny\nmcp__github__* allow", &GITHUB, "deny mcp__github deny");
    check("mcp__github allow\nmcp__github__get_* deny", &GITHUB, "deny mcp__github__get_* deny");
    check("mcp__git{hub,lab} deny", &GITHUB, "deny mcp__git{hub,lab} deny");
    check("mcp__git{hub,lab} allow", &GITHUB, "ask default");
    check("mcp__git allow", &GITHUB, "ask default");
    // Bytes are bytes: neither case nor look-alikes match.
    check("MCP__GitHub__* allow", &GITHUB, "ask default");
    check("mcp__github__get_\u{131}ssue allow", &GITHUB, "ask default");
    check("mcp__github__get_issue\0 allow", &GITHUB, "ask default");
    // Literal brackets.
    let odd = upstream("mcp__s__a_b_", "s", "a[b]{c}");
    check("mcp__s__a\\[b\\]\\{c\\} deny", &odd, "deny mcp__s__a\\[b\\]\\{c\\} deny");
    check("mcp__s__a[[]b]* deny", &odd, "deny mcp__s__a[[]b]* deny");
}

#[test]
fn the_parts_of_a_name_are_never_split() {
    let check = |line: &str, subject: &Subject<'_>, expected: RuleAction| {
        assert_eq!(decide(&rules(line), subject).action(), expected, "{line}");
    };
    let inner = upstream("mcp__a__b__c", "a__b", "c");
    let outer = upstream("mcp__a__b__c", "a", "b__c");
    check("mcp__a__* allow", &outer, RuleAction::Allow);
    check("mcp__a__* allow", &inner, RuleAction::Ask);
    check("mcp__a__* deny", &inner, RuleAction::Deny);
    check("mcp__a allow", &inner, RuleAction::Ask);
    check("mcp__a__b allow", &inner, RuleAction::Allow);
    check("mcp__a__b allow", &outer, RuleAction::Ask);
    check("mcp__* allow", &inner, RuleAction::Allow);
    // A renamed or shortened tool still answers to its full name.
    let renamed = upstream("search", "github", "search_code");
    check("mcp__github__search_* deny", &renamed, RuleAction::Deny);
    check("mcp__github deny", &renamed, RuleAction::Deny);
    check("search allow", &renamed, RuleAction::Allow);
    let nameless = Subject { original: None, ..renamed };
    check("mcp__github__* deny", &nameless, RuleAction::Deny);
}

#[test]
fn a_joined_name_allows_only_what_it_means_in_every_reading() {
    let check = |line: &str, servers: &[&str], subject: &Subject<'_>, expected: RuleAction| {
        let rules = rules(line).among(servers.iter().copied());
        let verdict = decide(&rules, subject);
        assert_eq!(verdict.action(), expected, "{line} {servers:?} {subject:?}");
    };
    let of_x = upstream("mcp__x__y__evil", "x", "y__evil");
    let of_x_y = upstream("mcp__x__y__evil_0a1b2c3d", "x__y", "evil");
    let (x, x_y, both): (&[&str], &[&str], &[&str]) = (&["x"], &["x__y"], &["x", "x__y"]);
    // One server makes the name unambiguous; with both, nothing is allowed and everything denied.
    check("mcp__x__y__* allow", x, &of_x, RuleAction::Allow);
    check("mcp__x__y__* allow", x_y, &of_x_y, RuleAction::Allow);
    for subject in [&of_x, &of_x_y] {
        check("mcp__x__y__* allow", both, subject, RuleAction::Ask);
        check("mcp__x__y__* deny", both, subject, RuleAction::Deny);
        // A rule that asks never relaxes a deny, and never fails to ask.
        check("* deny\nmcp__x__y__* ask", both, subject, RuleAction::Deny);
        check("* allow\nmcp__x__y__* ask", both, subject, RuleAction::Ask);
        // Nor does a question to the caller replace one to the owner.
        for lines in [
            "* ask\nmcp__x__y__* ask-owner",
            "* ask-owner\nmcp__x__y__* ask",
            "* allow\nmcp__x__* ask-owner\nmcp__x__y__* ask",
            "mcp__x__y__* ask-owner",
        ] {
            check(lines, both, subject, RuleAction::AskOwner);
        }
        check("* deny\nmcp__x__y__* ask-owner", both, subject, RuleAction::Deny);
        check("mcp__{x,z}__y__* allow", both, subject, RuleAction::Ask);
        check("mcp__x__y__*__* allow", both, subject, RuleAction::Ask);
        check("mcp__* allow", both, subject, RuleAction::Allow);
    }
    // A tool's name is not a server's name.
    let read = upstream("mcp__files__read", "files", "read");
    let other = upstream("mcp__files__read__rm_0a1b2c3d", "files__read", "rm");
    let servers: &[&str] = &["files", "files__read"];
    check("mcp__files__read allow", servers, &read, RuleAction::Allow);
    check("mcp__files__read allow", servers, &other, RuleAction::Ask);
    check("mcp__files__read deny", servers, &other, RuleAction::Deny);
    check("mcp__files__read allow", &["files__read"], &other, RuleAction::Allow);
    // A wildcard at the end of a server's name does not reach into another server's tools.
    check("mcp__x_* allow", x, &of_x, RuleAction::Ask);
    check("mcp__x_* allow", x_y, &of_x_y, RuleAction::Allow);
    check("mcp__x* allow", both, &of_x, RuleAction::Allow);
    check("mcp__*evil allow", both, &of_x, RuleAction::Ask);
    check("mcp__*__*evil allow", x, &of_x, RuleAction::Allow);
    check("mcp__*evil deny", both, &of_x, RuleAction::Deny);
    check("mcp__x_* deny", x, &of_x, RuleAction::Deny);
    // The refusal says what to do.
    let said = decide(&rules("mcp__x__y__* allow").among(both.iter().copied()), &of_x).explain();
    assert!(said.contains("rule `mcp__x__y__* allow` (config.toml, rule 1) allows nothing here"));
    // More places to split than any person would write.
    let many = format!("mcp__{}* allow", "a__".repeat(12));
    let name = format!("{}b", "a__".repeat(11));
    check(&many, &["a"], &upstream("t", "a", &name), RuleAction::Ask);
}

#[test]
fn server_and_tool_apart_are_exact() {
    let check = |line: &str, subject: &Subject<'_>, expected: RuleAction| {
        let rules = rules(line).among(["a", "a__b"]);
        assert_eq!(decide(&rules, subject).action(), expected, "{line} {subject:?}");
    };
    let inner = upstream("mcp__a__b__c", "a__b", "c");
    let outer = upstream("mcp__a__b__c", "a", "b__c");
    for (line, of_inner, of_outer) in [
        ("a/b__* allow", RuleAction::Ask, RuleAction::Allow),
        ("a__b/* allow", RuleAction::Allow, RuleAction::Ask),
        ("a__b/ allow", RuleAction::Allow, RuleAction::Ask),
        ("a/b__c deny", RuleAction::Ask, RuleAction::Deny),
        ("a*/c allow", RuleAction::Allow, RuleAction::Ask),
        ("a/mcp__a__b__c allow", RuleAction::Ask, RuleAction::Ask),
        ("*/* allow", RuleAction::Allow, RuleAction::Allow),
        // Separate names are as specific as the same joined name.
        ("a/* allow\nmcp__a__b__c deny", RuleAction::Deny, RuleAction::Deny),
        ("a/b__c allow\nmcp__a__* deny", RuleAction::Deny, RuleAction::Allow),
        ("a/b__c allow\na/b__c deny", RuleAction::Ask, RuleAction::Deny),
    ] {
        check(line, &inner, of_inner);
        check(line, &outer, of_outer);
    }
    // Server and tool never mean a tool of Hobnob's own.
    let own = own("c", SubjectKind::BuiltIn);
    assert_eq!(decide(&rules("*/* deny"), &own).action(), RuleAction::Allow);
    assert_eq!(decide(&rules("c deny"), &own).action(), RuleAction::Deny);
}

#[test]
fn patterns_see_through_the_spellings_of_a_path() {
    let check = |line: &str, value: &str, applies: bool| {
        let arguments = serde_json::json!({"path": value}).to_string();
        let subject = Subject { arguments: Some(&arguments), ..GITHUB };
        let verdict = decide(&rules(line), &subject);
        assert_eq!(verdict.rule() != "default", applies, "{line} {value}");
    };
    for value in [
        "/etc/shadow",
        "//etc/shadow",
        "/./etc/./shadow",
        "/x/../etc/shadow",
        "/../../etc//shadow",
        "/etc/shadow/",
        "%2Fetc%2fshadow",
        "/x/%2e%2e/etc/shadow",
        "%252e%252e/%252Fetc/x/../shadow",
        "/et%63/shadow",
        "file:///etc/shadow",
        "FILE://localhost/etc/shadow",
        "file:/etc/shadow",
        "file:///x/%2e%2e/etc/shadow",
        "\\etc\\shadow",
        "/x\\..\\..\\etc\\shadow",
        "/etc/shadow\0.txt",
        "/etc/shadow%00.txt",
    ] {
        let climbs = value.contains("252e");
        check("* /etc/* deny", value, !climbs);
        check("* /etc/shadow deny", value, !climbs);
        check("* **/shadow deny", value, true);
        check("* /home/** allow", value, false);
        // The same below a folder that is allowed.
        check("* /home/** allow", &format!("/home/../{value}"), false);
        check("* /home/** allow", &format!("/home/%2e%2e/{value}"), false);
    }
    check("* /home/me/** allow", "/home/me//a/./b/", true);
    check("* /home/me/** allow", "file:///home/me/a%20b", true);
    check("* file:///home/me/** allow", "file:///home/me/a", true);
    check("* file:///etc/** deny", "/etc/shadow", true);
    check("* /home/me/** allow", "/home/me/%2Fa", true);
    check("* https://host/** allow", "https://host/a//b/", true);
    // A folder is not beneath itself, in any spelling; a host's root page is on the host.
    for folder in ["/proj", "/proj/", "//proj//", "/proj/.", "/proj/./", "file:///proj/"] {
        check("* /proj/** allow", folder, false);
        check("* /proj/**/ allow", folder, false);
        check("* /proj/**/* allow", folder, false);
        check("* /proj/**/** allow", folder, false);
        check("* {/x,/proj/**} allow", folder, false);
        // Removing or renaming the folder affects everything beneath it.
        check("* /proj/** deny", folder, true);
        check("* /proj/** ask", folder, true);
    }
    for folder in ["/proj", "/proj/", "file:///proj/"] {
        check("* {/proj,/proj/**} allow", folder, true);
        check("* /proj allow", folder, true);
        check("* /proj/ allow", folder, true);
    }
    check("* /a:/** allow", "/a:/", false);
    check("* /** allow", "/", true);
    check("* / allow", "/", true);
    check("* /proj/** allow", "/proj/a/", true);
    check("* /proj/**/ allow", "/proj/a", true);
    check("* /proj/** allow", "/project", false);
    check("* https://host/ allow", "https://host", true);
    check("* https://host/** allow", "https://host", true);
    check("* https://host/** allow", "https://host/", true);
    check("* https://host/pub/** allow", "https://host/pub/", false);
    check("* https://host/** allow", "https://host.evil/a", false);
    check("* https://host/pub/** allow", "https://host/pub/..%2fkeys", false);
    check("* /caf\u{e9}/** deny", "/cafe\u{301}/x", true);
    check("* /cafe\u{301}/** allow", "/caf\u{e9}/x", true);
    // Encoded more often than any honest caller would: it counts against the call.
    let often = (0..12).fold("/etc/shadow".to_owned(), |text, _| text.replace(['%', '/'], "%25"));
    check("* /nothing deny", &format!("%{}", "25".repeat(40)), true);
    check("* ** allow", &format!("%{}41", "25".repeat(40)), false);
    check("* ** allow", &often, false);
    check("* 100% allow", "100%", true);
}

#[test]
fn the_kind_of_tool_has_a_default_and_management_never_asks() {
    use SubjectKind::{BuiltIn, Management, Upstream};
    let check = |lines: &str, kind: SubjectKind, expected: RuleAction, hides: bool| {
        let subject = own("ListMcpResources", kind);
        assert_eq!(decide(&rules(lines), &subject).action(), expected, "{lines} {kind:?}");
        assert_eq!(hidden(&rules(lines), &subject), hides, "{lines} {kind:?}");
    };
    check("", Upstream, RuleAction::Ask, false);
    check("", Management, RuleAction::Allow, false);
    check("", BuiltIn, RuleAction::Allow, false);
    check("* ask", Management, RuleAction::Allow, false);
    check("ListMcpResources ask", Management, RuleAction::Allow, false);
    check("* ask", BuiltIn, RuleAction::Ask, false);
    check("* ask-owner", Management, RuleAction::Allow, false);
    check("* ask-owner", BuiltIn, RuleAction::AskOwner, false);
    check("ListMcpResources deny", Management, RuleAction::Deny, true);
    check("* deny\nListMcp* ask", Management, RuleAction::Allow, false);
}

#[test]
fn patterns_look_at_every_string_of_the_arguments() {
    let check = |line: &str, arguments: &str, applies: bool| {
        let subject = Subject { arguments: Some(arguments), ..GITHUB };
        let verdict = decide(&rules(line), &subject);
        assert_eq!(verdict.rule() != "default", applies, "{line} {arguments}");
    };
    // An allow needs every value to match, and at least one value.
    check("* /home/me/** allow", r#"{"path":"/home/me/a/b"}"#, true);
    check("* /home/me/** allow", r#"{"path":"/home/me/a","n":1,"b":[true,null,1.5,-2]}"#, true);
    check("* /home/me/** allow", r#"{"path":"/home/me/a","to":"/etc/passwd"}"#, false);
    check("* /home/me/** allow", r#"{"path":"/home/me/a","path":"/etc"}"#, false);
    check("* /home/me/** allow", r#"{"path":"/etc","path":"/home/me/a"}"#, false);
    check("* /home/me/** allow", r#"{"path":"/home/me/../you"}"#, false);
    check("* /home/me/** allow", r#"{"path":"/home/me/..\\you"}"#, false);
    check("* /home/me/** allow", r#"{"path":"/home/me/a..b"}"#, true);
    check("* /home/me/** allow", r#"{"n":1}"#, false);
    check("* ** allow", "{}", false);
    check("* /home/* allow", r#"{"path":"/home/me/deep"}"#, false);
    check("* /home/** allow", r#"{"path":"\/h\u006fme\/x"}"#, true);
    // A deny or an ask needs one.
    check("* **/.ssh/** deny", r#"{"a":"x","b":{"c":["y","/home/me/.ssh/id"]}}"#, true);
    check("* **/.ssh/** ask", r#"{"a":".ssh/id"}"#, true);
    check("* **/.ssh/** deny", r#"{"a":"/home/ssh/id"}"#, false);
    check("* /etc/* deny", r#"{"a":"/etc/../etc/shadow","b":"/etc/shadow"}"#, true);
    check("* rm** deny", r#"{"command":"rm -rf /home/me"}"#, true);
    check("* **sudo** deny", r#"{"command":"cd / && sudo rm -rf /home"}"#, true);
    check("* {a**,b} deny", r#"{"command":"a/b/c"}"#, true);
    // Keys are strings too: a tool may take a map from paths to contents.
    let files = r#"{"files":{"/etc/cron.d/evil":"x"}}"#;
    check("* /etc/** deny", files, true);
    check("* /etc/** ask", files, true);
    check("* /etc/** deny", r#"{"/etc/passwd":1}"#, true);
    check("* /etc/** deny", r#"{"a":[{"b":{"%2fetc/../etc/x":null}}]}"#, true);
    check("* **/Makefile deny", r#"{"files":{"Makefile":[1,2]}}"#, true);
    check("* crontab deny", r#"{"crontab":[1,2]}"#, true);
    check("* /proj/** allow", r#"{"files":{"/etc/cron.d/evil":"/proj/a"}}"#, false);
    check("* /proj/** allow", r#"{"files":{"/proj/a":"/proj/b"}}"#, true);
    check("* /proj/** allow", r#"{"path":"/proj/a","/etc/passwd":1}"#, false);
    check("* /proj/** allow", r#"{"path":"/proj/a","../x":1}"#, false);
    check("* /proj/** allow", r#"{"path":"/proj/a",".bashrc":1}"#, false);
    check("* /proj/** allow", r#"{"/proj/a":1,"/proj/a":2}"#, true);
    // The names of parameters are not values, or no rule could allow anything.
    check("* /proj/** allow", r#"{"path":"/proj/a","max-depth_2":1}"#, true);
    check("* /proj/** allow", r#"{"path":"/proj/a","files":{"Makefile":[1,2]}}"#, false);
    check("* /proj/** allow", r#"{"edits":[{"path":"/proj/a"}]}"#, false);
    // Arguments that cannot be parsed count against the call.
    check("* /x deny", "{\"a\":", true);
    check("* ** allow", "{\"a\":\"b\"} x", false);
    check("* /x deny", &format!("{}{}", "[".repeat(5000), "]".repeat(5000)), true);
    assert_eq!(decide(&rules("* ** deny"), &GITHUB).action(), RuleAction::Ask);
}

#[test]
fn a_pattern_that_matches_is_more_specific_than_none() {
    let lines = "mcp__github__* deny\nmcp__github__* public/** allow\nmcp__github__* public/x ask";
    let check = |value: &str, expected: RuleAction| {
        let arguments = format!("{{\"repo\":\"{value}\"}}");
        let subject = Subject { arguments: Some(&arguments), ..GITHUB };
        assert_eq!(decide(&rules(lines), &subject).action(), expected, "{value}");
    };
    check("private/a", RuleAction::Deny);
    check("public/a", RuleAction::Allow);
    check("public/x", RuleAction::Ask);
}

#[test]
fn a_deny_hides_only_what_no_call_can_reach() {
    let check = |lines: &str, expected: bool| {
        assert_eq!(hidden(&rules(lines), &GITHUB), expected, "{lines}");
    };
    check("", false);
    check("mcp__github deny", true);
    check("mcp__github__get_issue deny\n* allow", true);
    check("* deny\nmcp__github__* allow", false);
    check("* **/secret deny", false);
    check("* deny\n* **/secret deny", true);
    check("* deny\n* public/** allow", false);
    check("mcp__github__* deny\n* public/** allow", true);
}

#[test]
fn only_an_authorization_makes_a_permit() {
    let authorize = |lines: &str| authorize(&rules(lines), GITHUB);
    let pending = || match authorize("") {
        Authorization::NeedsConsent(pending) => pending,
        other => panic!("{other:?}"),
    };
    let Authorization::Permitted(permit) = authorize("mcp__github allow") else {
        panic!("not allowed")
    };
    assert_eq!((permit.request().tool, permit.rule()), (GITHUB.tool, "mcp__github allow"));
    assert_eq!((permit.audit().decision(), permit.granted_by()), (Decision::Allow, None));
    let permit = pending().granted(GrantedBy::Terminal);
    assert_eq!((permit.audit().decision(), permit.rule()), (Decision::AskGranted, "default"));
    let Authorization::Denied(denied) = authorize("* deny") else { panic!("not denied") };
    assert_eq!((denied.decision(), denied.rule()), (Decision::Deny, "* deny"));
    assert!(authorize("* allow").without_asking().is_ok());
    let denied = authorize("").without_asking().unwrap_err();
    assert_eq!(denied.decision(), Decision::AskRefused);
    assert_eq!(pending().audit().rule(), Some("asked"));
    let refused = pending().refused(RefusedBy::Person).to_string();
    assert!(refused.starts_with("refused by a person (asks"));
    let Authorization::NeedsConsent(pending) = authorize("* ask-owner") else {
        panic!("not asked")
    };
    let refused = pending.refused(RefusedBy::Owner).to_string();
    let why = "(asks the owner by rule `* ask-owner` (config.toml, rule 1))";
    assert_eq!(refused, format!("refused by the owner of this hub {why}"));
}

/// A profile may rename a tool; a rule may know it by either name.
#[test]
fn of_two_names_the_stricter_verdict_counts() {
    let check = |lines: &str, expected: RuleAction, hides: bool| {
        let subject = Subject { tool: "issue", usual: Some("mcp__github__get_issue"), ..GITHUB };
        let verdict = decide(&rules(lines), &subject);
        assert_eq!(verdict.action(), expected, "{lines}");
        assert_eq!(hidden(&rules(lines), &subject), hides, "{lines}");
    };
    // No rule allows its usual name, so a person is asked.
    check("issue allow", RuleAction::Ask, false);
    check("issue allow\nmcp__github__get_issue allow", RuleAction::Allow, false);
    check("issue allow\nmcp__github__get_issue ask", RuleAction::Ask, false);
    check("issue ask\nmcp__github__* ask-owner", RuleAction::AskOwner, false);
    check("issue ask-owner\nmcp__github__* ask", RuleAction::AskOwner, false);
    check("issue deny\nmcp__github__* allow", RuleAction::Deny, true);
    // Of two exact names the longer is more specific, for a call by either name.
    check("issue deny\nmcp__github__get_issue allow", RuleAction::Allow, false);
    check("issue allow\nmcp__github__get_issue deny", RuleAction::Deny, true);
    let own = own("recall", SubjectKind::BuiltIn);
    let renamed = Subject { usual: Some("memory_recall"), ..own };
    assert_eq!(decide(&rules("memory_recall deny"), &renamed).action(), RuleAction::Deny);
    assert_eq!(decide(&rules("memory_recall deny"), &own).action(), RuleAction::Allow);
}

#[test]
fn contents_are_only_ever_denied() {
    let contents = Subject {
        tool: "mcp__github__*",
        original: Some("*"),
        kind: SubjectKind::ServerContents,
        ..GITHUB
    };
    let check = |lines: &str, expected: RuleAction| {
        assert_eq!(decide(&rules(lines), &contents).action(), expected, "{lines}");
    };
    check("", RuleAction::Allow);
    check("* ask", RuleAction::Allow);
    check("mcp__github__get_issue deny", RuleAction::Allow);
    check("mcp__github deny", RuleAction::Deny);
    let permit = authorize(&rules("* allow"), contents).without_asking().unwrap();
    assert_eq!(permit.audit(), AuditDecision::default());
    let ours = own("memory://1", SubjectKind::OwnContents);
    assert_eq!(decide(&rules("* deny"), &ours).action(), RuleAction::Allow);
}

#[test]
fn explanations_name_the_rule_and_its_place() {
    let check = |lines: &str, kind: SubjectKind, expected: &str| {
        let subject = Subject { kind, ..GITHUB };
        assert_eq!(decide(&rules(lines), &subject).explain(), expected);
    };
    let up = SubjectKind::Upstream;
    check(
        "a allow\nb allow\nmcp__github__* deny",
        up,
        "denied by rule `mcp__github__* deny` (config.toml, rule 3)",
    );
    check(
        "",
        up,
        "asks by default: no rule names this tool (mcp__github__get_issue); add one with server = \
         \"github\", tool = \"get_issue\" and action = \"allow\" or \"deny\"",
    );
    check(
        "* ask",
        SubjectKind::Management,
        "allowed: rule `* ask` (config.toml, rule 1) asks, but management tools never ask",
    );
}

#[test]
fn a_bad_rule_is_named() {
    let check = |line: &str, expected: &str| {
        let texts = vec![text("* ask"), RuleSource { origin: "project".into(), ..text(line) }];
        let error = RuleSet::parse(texts).unwrap_err().to_string();
        assert!(error.contains(expected) && error.starts_with("rule 1 of project"), "{error}");
    };
    check("x Deny", "`action` is `Deny`; it must be");
    check("[a deny", "`tool` cannot be read: unclosed character class");
    check("{a deny", "`tool` cannot be read: unclosed alternate");
    check("a} deny", "`tool` cannot be read: unopened alternate");
    check("a\\ deny", "`tool` cannot be read: dangling");
    check("[z-a] deny", "`tool` cannot be read: invalid range");
    check(" deny", "the glob is empty");
    check("/x deny", "`server` cannot be read: the glob is empty");
    check("x/{ deny", "`tool` cannot be read: unclosed alternate");
    check("x [ä] deny", "`pattern` cannot be read: `[…]` takes ASCII");
    check(&format!("{} deny", "a".repeat(513)), "longer than 512");
    check(&format!("{}{} deny", "{".repeat(9), "}".repeat(9)), "nests braces");
    let many = vec![text("* ask"); 4097];
    assert!(RuleSet::parse(many).unwrap_err().to_string().contains("more than 4096"));
}

#[test]
fn globs_match_whole_texts() {
    let name = |glob: &str, text: &str| Glob::for_name(glob).unwrap().matches(text);
    let value = |glob: &str, text: &str| Glob::for_value(glob).unwrap().matches(text);
    assert!(name("a*", "a/b\nc") && name("*", "") && name("a**b", "a/x/b") && name("{,a}b", "b"));
    assert!(!name("a", "ab") && !name("a", "A") && !name("a?", "aé") && !name("*.b", "a.b.c"));
    assert!(value("**", "a/b") && value("a/**", "a/b/c") && value("**/c", "c"));
    assert!(
        !value("a/*", "a/b/c")
            && !value("a/**", "a")
            && value("a**", "a/b")
            && value("a/**b", "a/x/yb")
    );
}
