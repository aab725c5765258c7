//! Which tools the model is offered from small and from large catalogues.

use super::{FIND_TOOL, FoundTools, ToolCatalogue};
use hobnob_llm::{ModelTool, ToolOutcome};
use serde_json::json;

fn definition(name: &str, about: &str, reads_only: bool) -> Box<str> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let annotations = json!({"readOnlyHint": reads_only});
    let it = json!({
        "name": name, "description": about, "inputSchema": schema, "annotations": annotations,
    });
    it.to_string().into()
}

fn names(tools: &[ModelTool]) -> Vec<&str> {
    tools.iter().map(ModelTool::name).collect()
}

fn find(query: &str) -> String {
    json!({"query": query}).to_string()
}

#[test]
fn a_small_catalogue_is_offered_whole_and_a_large_one_is_searched() {
    let catalogue = ToolCatalogue::read(&[
        definition("mcp__fs__read_file", "Read a file from the disk", true),
        definition("mcp__fs__delete.file", "Delete a file", false),
        definition("weather", "Tell the weather of a city", true),
        "{}".into(),
    ]);
    let mut found = FoundTools::default();
    let all = catalogue.offered(10_000, &found, |_| true);
    assert_eq!(names(&all), ["mcp__fs__read_file", "mcp__fs__delete_file", "weather"]);
    assert_eq!(catalogue.get("mcp__fs__delete_file").unwrap().listed_name, "mcp__fs__delete.file");
    let looking = catalogue.offered(10_000, &found, |tool| tool.reads_only);
    assert_eq!(names(&looking), ["mcp__fs__read_file", "weather"]);

    assert_eq!(names(&catalogue.offered(1, &found, |_| true)), [FIND_TOOL]);
    let report = catalogue.find(&find("is it raining in Paris, what is the weather"), &mut found);
    assert_eq!(report.outcome, ToolOutcome::Done);
    assert!(report.text.contains("- weather: Tell the weather"), "{}", report.text);
    let offered = catalogue.offered(1, &found, |_| true);
    assert!(names(&offered).starts_with(&[FIND_TOOL]) && names(&offered).contains(&"weather"));
    let nothing = catalogue.find(&find("zzzz"), &mut FoundTools::default());
    assert_eq!(nothing.outcome, ToolOutcome::Failed);
}

#[test]
fn files_and_shell_are_always_offered_and_trees_only_when_found() {
    let names_of = ["files_read", "shell_run", "arbor_tree_create", "cone_chat", "tasks_list"];
    let definitions = names_of.map(|name| definition(name, &format!("About {name}"), true));
    let catalogue = ToolCatalogue::read(&definitions);
    let mut found = FoundTools::default();
    let offered = |budget, found: &FoundTools| {
        let offered = catalogue.offered(budget, found, |_| true);
        names(&offered).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered(10_000, &found), [FIND_TOOL, "files_read", "shell_run", "tasks_list"]);
    assert_eq!(offered(1, &found), [FIND_TOOL, "files_read", "shell_run"]);
    catalogue.find(&find("arbor_tree_create"), &mut found);
    assert!(offered(10_000, &found).contains(&"arbor_tree_create".to_owned()));
    // If every tool is offered, the search is not.
    let few = ToolCatalogue::read(&definitions[..2]);
    let offered = few.offered(1, &FoundTools::default(), |_| true);
    assert_eq!(names(&offered), ["files_read", "shell_run"]);
}
