//! Instructions of projects and people.

use super::ChatSurroundings;
use std::fs;

#[test]
fn the_files_of_both_folders_are_told_with_their_names() {
    let (project, settings) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(project.path().join("AGENTS.md"), "run the tests").unwrap();
    fs::write(project.path().join("CLAUDE.md"), "not this one").unwrap();
    fs::write(settings.path().join("CLAUDE.md"), "be brief").unwrap();
    let surroundings = ChatSurroundings {
        project: project.path(),
        settings: settings.path(),
        today: "2026-11-17".into(),
        reads_files: true,
        added: Some("and kind"),
    };
    let text = surroundings.system_prompt();
    assert!(text.contains("run the tests") && text.contains("be brief"), "{text}");
    assert!(!text.contains("not this one") && text.ends_with("\n\nand kind"), "{text}");
    let without = ChatSurroundings { reads_files: false, ..surroundings };
    assert!(!without.system_prompt().contains("run the tests"));
    assert!(text.contains("AGENTS.md\">") && text.contains("Today: 2026-11-17"), "{text}");
}
