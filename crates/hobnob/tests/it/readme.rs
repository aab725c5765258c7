//! The README's first minute, typed word for word into a shell on a pseudo-terminal: an empty home,
//! packages that take time to download, and at the end the outputs that the README shows.
//!
//! The commands and outputs are read from `README.md`, so that the two can never differ.

use crate::doc_pages_blocks::{Block, Step, blocks, steps};
use crate::doc_pages_machine::TestMachine;
use crate::peers::Peer;

const README: &str = include_str!("../../../../README.md");

/// What a package runner does here: the first time it takes a while, as a download would.
const RUNNER: &str = r#"#!/bin/sh
[ "$1" = -y ] && shift
name=${1##*/}
shift
if ! [ -e "$HOME/fetched-$name" ]; then
    sleep 3
    : > "$HOME/fetched-$name"
fi
case $name in
"#;

/// The blocks of a section, in their order.
fn section(heading: &str) -> Vec<Block<'static>> {
    let start = README.find(heading).unwrap_or_else(|| panic!("README.md has no `{heading}`"));
    let section = &README[start + heading.len()..];
    blocks(section.find("\n## ").map_or(section, |end| &section[..end]))
}

/// An empty home, a project, and the programs that a person has installed; none, aloud, where the
/// packages are not installed.
pub(crate) fn machine(name: &str) -> Option<TestMachine> {
    let machine = TestMachine::new(name, "shop");
    let mut script = RUNNER.to_owned();
    for key in ["server-filesystem", "server-everything"] {
        let words = Peer::find(key)?.node_words(&format!("mcp-{key}"));
        script.push_str(&format!(
            "{key}) exec {} {} \"$@\";;\n",
            words[0].display(),
            words[1].display()
        ));
    }
    let time = Peer::find("mcp-server-time")?.python_words("mcp-server-time");
    script.push_str(&format!("mcp-server-time) exec {} \"$@\";;\nesac\n", time[0].display()));
    for name in ["npx", "uvx"] {
        machine.install(name, &script);
    }
    Some(machine)
}

#[tokio::test]
async fn the_first_minute_ends_with_the_outputs_it_shows() {
    let Some(machine) = machine("readme") else { return };
    let Some(mut shell) = machine.sit_down(&[]).await else { return };
    let blocks = section("\n## One minute\n");
    let mut compared = 0;
    for step in steps(&blocks) {
        let typed = match step {
            Step::Write { file, text } => {
                std::fs::write(machine.project().join(file), text).unwrap();
                continue;
            }
            Step::Type(typed) if typed.needs.is_some() => continue,
            Step::Type(typed) => typed,
        };
        let (seen, code) = shell.run(&typed.text).await;
        assert_eq!(code, 0, "`{}` printed {seen:#?}", typed.text);
        let Some(output) = typed.output else { continue };
        let seen = machine.comparable(seen.iter().map(String::as_str));
        assert_eq!(seen, machine.comparable(output), "`{}`", typed.text);
        compared += 1;
    }
    assert!(compared >= 7, "only {compared} outputs of the README were compared");
}
