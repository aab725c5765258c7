//! What a person sees: the screen of a terminal emulator after a conversation, at a question, with
//! a diff, in a narrow window and without colours.
//!
//! Times and folders differ from run to run and are left out; everything else is compared exactly.

use serde_json::json;

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, LEAVE, READY, ROWS, chat_home, chat_settings, person_runs, screen,
};
use crate::cli_hostile::{on_terminal, on_terminal_with};
use crate::cone_tools::{says, wants};
use crate::faults_setup::{Setup, table_server};
use crate::model_server::{ModelServer, Step};

const ANSWER: &str = "## What I found\n\nBoth tools *answered*:\n\n- `echo` said it back\n- `fail` did \
    not, as its name promises, and this line is long enough to need a second row\n\n| tool | answer |\n\
    |---|---|\n| echo | hello |\n| fail | no |\n\n```rust\nlet a = 1;\n```\n\nDone.\n";

/// The comparable part of a screen: without times, folders of this run and empty rows at its end.
fn stable(setup: &Setup, shown: &str, columns: u16) -> String {
    let home = setup.home.canonicalize().unwrap();
    let screen = screen(shown, columns).replace(home.to_str().unwrap(), "HOME");
    let mut lines = Vec::new();
    for line in screen.lines() {
        let line = match line.strip_prefix("  └ ") {
            Some(rest) => {
                let is_time = |part: &&str| {
                    part.strip_suffix(" s").is_some_and(|time| time.parse::<f64>().is_ok())
                };
                let parts: Vec<&str> = rest.split(", ").filter(|part| !is_time(part)).collect();
                if parts.is_empty() {
                    continue;
                }
                format!("  └ {}", parts.join(", "))
            }
            None => stable_line(line.trim_end()),
        };
        lines.push(line);
    }
    lines.join("\n").trim_end().to_owned()
}

/// Replaces the number of tools, which other parts of the program decide, with `N`.
fn stable_line(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 0..words.len() {
        if words.get(at + 1) == Some(&"tools") && words[at].parse::<usize>().is_ok() {
            words[at] = "N";
        }
    }
    words.join(" ")
}

fn conversation() -> Vec<Vec<Step>> {
    let long = "a result of many words that does not fit into one row of any usual terminal, \
                however wide it is, because it goes on and on";
    let lines = "hello\nwith\nsix\nlines\nof\ntext\nand one more";
    vec![
        wants(&[("mcp__one__echo", json!({"message": lines}))]),
        wants(&[("mcp__one__fail", json!({}))]),
        wants(&[("mcp__one__echo", json!({"message": long}))]),
        says(ANSWER),
    ]
}

const STEPS: [(&str, &str); 5] = [
    (READY, "what do they say?\r"),
    ("Done.", ""),
    ("tokens", ""),
    (READY, "/mcp\r"),
    ("ready", ""),
];

async fn talk(name: &str, columns: u16) -> Option<String> {
    let provider = ModelServer::start(conversation()).await;
    let setup = chat_home(name, &provider, ALL_ALLOWED).await?;
    let steps = [&STEPS[..], &[LEAVE]].concat();
    let words = ["chat", "-s", "talk"];
    let (code, shown) = on_terminal(&setup, (ROWS, columns), &steps, &words).await;
    assert_eq!(code, 0, "{shown}");
    Some(stable(&setup, &shown, columns))
}

#[tokio::test]
async fn a_conversation_with_tools() {
    let Some(screen) = talk("screen-wide", COLUMNS).await else { return };
    assert_eq!(screen, WIDE, "\n{screen}");
}

#[tokio::test]
async fn a_narrow_window() {
    let Some(screen) = talk("screen-narrow", 60).await else { return };
    assert_eq!(screen, NARROW, "\n{screen}");
}

const WIDE: &str = r#"
hobnob chat · test/m · talk
/help lists the commands, Ctrl-D leaves
> what do they say?
● mcp__one__echo {"message":"hello\nwith\nsix\nlines\nof\ntext\nand one more"}
  │ hello
  │ with
  │ six
  │ lines
  │ of
  └ … 2 more lines
● mcp__one__fail {}
  │ it failed
● mcp__one__echo {"message":"a result of many words that does not fit into one row of any usual
  terminal, however wide it is, because it goes on and on"}
  │ a result of many words that does not fit into one row of any usual terminal, however wide it
  │ is, because it goes on and on

## What I found

Both tools *answered*:

• `echo` said it back
• `fail` did not, as its name promises, and this line is long enough to need a second row

tool │ answer
─────┼───────
echo │ hello
fail │ no

```rust
let a = 1;
```

Done.
test/m · 3 of 128000 tokens · N tools
> /mcp
SERVER  STATE  TOOLS  WHY
one     ready  23
> /quit"#;
const NARROW: &str = r#"
hobnob chat · test/m · talk
/help lists the commands, Ctrl-D leaves
> what do they say?
● mcp__one__echo {"message":"hello\nwith\nsix\nlines\nof\nt
  ext\nand one more"}
  │ hello
  │ with
  │ six
  │ lines
  │ of
  └ … 2 more lines
● mcp__one__fail {}
  │ it failed
● mcp__one__echo {"message":"a result of many words that
  does not fit into one row of any usual terminal, however
  wide it is, because it goes on and on"}
  │ a result of many words that does not fit into one row
  │ of any usual terminal, however wide it is, because it
  │ goes on and on

## What I found

Both tools *answered*:

• `echo` said it back
• `fail` did not, as its name promises, and this line is
  long enough to need a second row

tool │ answer
─────┼───────
echo │ hello
fail │ no

```rust
let a = 1;
```

Done.
test/m · 3 of 128000 tokens · N tools
> /mcp
one
  state  ready
  tools  23
> /quit"#;

/// A home with a file that may be edited.
async fn edited(name: &str, provider: &ModelServer) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&chat_settings(provider, &[])).upstream("one", &[]).write();
    let project = setup.home.join("project").canonicalize().unwrap();
    std::fs::write(project.join("main.rs"), BEFORE).unwrap();
    person_runs(&setup, &["grant", "files", project.to_str().unwrap(), "--write"]).await;
    person_runs(&setup, &["enable", "files"]).await;
    Some(setup)
}

const BEFORE: &str = "fn main() {\n    let a = 1;\n    let b = 2;\n    println!(\"{a} {b}\");\n}\n";

/// Columns for the whole first line of a question.
const DIFF_COLUMNS: u16 = 180;

#[tokio::test]
async fn a_diff_before_the_question_about_an_edit() {
    let old = "    let a = 1;\n    let b = 2;";
    let new = "    let a = 1;\n    let b = 3;\n    let c = 4;";
    let after = BEFORE.replace(old, new);
    let edits = json!([{"old": old, "new": new}]);
    let asked = json!({"message": "edited", "new_text": new, "old_text": old, "path": "main.rs"});
    // A file in the home of the set-up below: the model has to name it before the home exists.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("stage-screen-diff-{}", std::process::id()))
        .join("project/main.rs");
    let written = after.replace("println", "eprintln");
    let provider = ModelServer::start(vec![
        wants(&[("mcp__one__echo", asked)]),
        wants(&[("files_edit", json!({"path": folder, "edits": edits}))]),
        wants(&[("files_write", json!({"path": folder, "content": written}))]),
        says("Done."),
    ])
    .await;
    let Some(setup) = edited("screen-diff", &provider).await else { return };
    let steps = [
        (READY, "change it\r"),
        ("May it run?", ""),
        ("> No", "y\r"),
        ("Done.", ""),
        ("tokens", ""),
        LEAVE,
    ];
    let words = ["chat", "-s", "talk"];
    let (code, shown) = on_terminal(&setup, (ROWS, DIFF_COLUMNS), &steps, &words).await;
    assert_eq!(code, 0, "{shown}");
    assert_eq!(std::fs::read_to_string(folder).unwrap(), written);
    let asked = shown.find("> No").unwrap() + "> No".len();
    let question = stable(&setup, &shown[..asked], DIFF_COLUMNS);
    assert_eq!(question, format!("{ASKED}{CHOICES}"), "\n{question}");
    let screen = stable(&setup, &shown, DIFF_COLUMNS);
    assert_eq!(screen, format!("{ASKED}{EDITED}"), "\n{screen}");
}

/// The screen up to the choices of the question.
const ASKED: &str = r#"
hobnob chat · test/m · talk
/help lists the commands, Ctrl-D leaves
> change it
● mcp__one__echo {"message":"edited","path":"main.rs"}
  │      let a = 1;
  │ -    let b = 2;
  │ +    let b = 3;
  │ +    let c = 4;
Server `one` would run its tool `echo` (mcp__one__echo) with these arguments:

    {"message":"edited","new_text":"    let a = 1;\n    let b = 3;\n    let c = 4;","old_text":"    let a = 1;\n    let b = 2;","path":"main.rs"}
May it run? (no rule decides about it):"#;
const CHOICES: &str = r#"
  Yes, this once [1]
  Yes, with any arguments, until Hobnob restarts [2]
  Yes, with any arguments, always (writes a rule to HOME/config/config.toml) [3]
> No"#;
const EDITED: &str = r#"
> Yes, this once [1]
  │ edited
● files_edit {"path":"HOME/project/main.rs"}
  │      let a = 1;
  │ -    let b = 2;
  │ +    let b = 3;
  │ +    let c = 4;
  │ changed 1 place
● files_write {"path":"HOME/project/main.rs"}
  │      let b = 3;
  │      let c = 4;
  │ -    println!("{a} {b}");
  │ +    eprintln!("{a} {b}");
  │  }
  │ replaced HOME/project/main.rs, 85 bytes

Done.
test/m · 3 of 128000 tokens · N tools
> /quit"#;

#[tokio::test]
async fn colours_only_where_they_are_wanted() {
    let colour = |shown: &str| {
        shown.split("\u{1b}[").skip(1).any(|rest| {
            rest.find(|it: char| it.is_ascii_alphabetic()).is_some_and(|at| &rest[at..=at] == "m")
        })
    };
    // Variables, whether there are colours, and whether there is any escape sequence at all.
    type Case<'a> = (&'a [(&'a str, &'a str)], bool, bool);
    let cases: [Case<'_>; 3] = [
        (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], true, true),
        (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], false, true),
        (&[("TERM", "dumb")], false, false),
    ];
    let mut texts = Vec::new();
    for (variables, coloured, moves) in cases {
        let ask = wants(&[("mcp__one__echo", json!({"message": "hello"}))]);
        let provider = ModelServer::start(vec![ask, says(ANSWER)]).await;
        let Some(setup) = chat_home("screen-colour", &provider, &[]).await else { return };
        let steps = [
            (READY, "go\r"),
            ("May it run?", ""),
            (" No", "y\r"),
            ("Done.", ""),
            ("tokens", ""),
            LEAVE,
        ];
        let words = ["chat", "-s", "talk"];
        let (code, shown) =
            on_terminal_with(&setup, variables, (ROWS, COLUMNS), &steps, &words).await;
        assert_eq!(code, 0, "{variables:?}: {shown}");
        assert_eq!(colour(&shown), coloured, "{variables:?}: {shown:?}");
        assert_eq!(shown.contains('\u{1b}'), moves, "{variables:?}: {shown:?}");
        texts.push(stable(&setup, &shown, COLUMNS));
    }
    // The screen says the same without colours; marks of Markdown stand for them.
    let bare = |text: &str| text.replace(['#', '*', '`'], "").replace("\n ", "\n");
    assert_eq!(bare(&texts[0]), bare(&texts[1]));
    assert!(texts[2].contains("Both tools *answered*"), "{}", texts[2]);
}

/// The smallest picture: a PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A server whose tool returns a picture, and data that only claims to be one.
fn painter() -> String {
    let image = |data: &str| json!({"type": "image", "mimeType": "image/png", "data": data});
    let tool =
        json!({"name": "paint", "description": "a picture", "inputSchema": {"type": "object"}});
    let painted = json!({"type": "text", "text": "painted"});
    let content = json!([painted, image(PIXEL), image("AAAA")]);
    table_server(&json!({"tools/list": {"tools": [tool]}, "tools/call": {"content": content}}), "")
}

#[tokio::test]
async fn pictures_are_named_to_the_person_and_given_to_models_that_take_them() {
    for (capabilities, expected) in
        [(r#"["tools"]"#, json!(null)), (r#"["tools", "images"]"#, json!([PIXEL]))]
    {
        let provider =
            ModelServer::start(vec![wants(&[("mcp__one__paint", json!({}))]), says("Done.")]).await;
        let Some(mut setup) = Setup::new("screen-picture").await else { return };
        let model = format!("\n[providers.test.models.m]\ncapabilities = {capabilities}\n");
        let settings = chat_settings(&provider, ALL_ALLOWED) + &model;
        setup.settings(&settings).script("one", &painter()).write();
        let steps = [(READY, "go\r"), ("Done.", ""), LEAVE];
        let (code, shown) = on_terminal(&setup, (ROWS, COLUMNS), &steps, &["chat"]).await;
        assert_eq!(code, 0, "{shown}");
        let shown = screen(&shown, COLUMNS);
        assert!(shown.contains("  │ painted\n  │ [image image/png, 70 bytes]\n"), "{shown}");
        let seen = provider.seen();
        let messages = seen[1].body["messages"].as_array().unwrap();
        let result = messages.iter().find(|message| message["role"] == "tool").unwrap();
        assert_eq!(result["images"], expected, "{capabilities}: {result}");
    }
}

/// A server that waits for three calls and answers the last one first.
const AT_ONCE: &str = r#"
import json, sys
def answer(ident, result):
    print(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}), flush=True)
held = []
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        answer(message["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                               "serverInfo": {"name": "one", "version": "1"}})
    elif message["method"] == "tools/list":
        schema = {"type": "object", "properties": {"message": {"type": "string"}}}
        answer(message["id"], {"tools": [{"name": "echo", "inputSchema": schema}]})
    elif message["method"] == "tools/call":
        held.append(message)
        for call in reversed(held if len(held) == 3 else []):
            said = call["params"]["arguments"]["message"]
            answer(call["id"], {"content": [{"type": "text", "text": said}]})
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no"}}), flush=True)
"#;

#[tokio::test]
async fn results_of_calls_at_once_say_which_call_they_belong_to() {
    let echo = |words: &str| ("mcp__one__echo", json!({ "message": words }));
    let calls = wants(&[echo("first"), echo("second"), echo("third")]);
    let provider = ModelServer::start(vec![calls, says("Done.")]).await;
    let Some(mut setup) = Setup::new("screen-parallel").await else { return };
    setup.settings(&chat_settings(&provider, ALL_ALLOWED)).script("one", AT_ONCE).write();
    let steps = [(READY, "go\r"), ("Done.", ""), LEAVE];
    let (code, shown) = on_terminal(&setup, (ROWS, COLUMNS), &steps, &["chat"]).await;
    assert_eq!(code, 0, "{shown}");
    let screen = stable(&setup, &shown, COLUMNS);
    let lines: Vec<&str> = screen.lines().collect();
    for word in ["first", "second", "third"] {
        let result = format!("  │ {word}");
        let at = lines.iter().position(|line| *line == result);
        let at = at.unwrap_or_else(|| panic!("{word}: {screen}"));
        assert!(lines[at - 1].contains(&format!("\"{word}\"")), "{word}: {screen}");
    }
}
