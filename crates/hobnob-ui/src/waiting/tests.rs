//! Commands to copy name their server and nothing else.

use super::command;

#[test]
fn a_command_to_copy_runs_nothing_that_a_project_put_into_a_name() {
    for (name, expected) in [
        ("git", "hobnob approve git"),
        ("my.server-2", "hobnob approve my.server-2"),
        ("two words", "hobnob approve 'two words'"),
        ("x;rm -rf ~", "hobnob approve 'x;rm -rf ~'"),
        ("$(id)", "hobnob approve '$(id)'"),
        ("it's", r"hobnob approve 'it'\''s'"),
        ("'$(id)'", r"hobnob approve ''\''$(id)'\'''"),
        ("--all", "hobnob approve -- --all"),
    ] {
        assert_eq!(command("approve", name), expected);
    }
}
