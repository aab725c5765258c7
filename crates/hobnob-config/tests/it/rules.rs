//! Writing one permission rule into `config.toml`: the rest of the file keeps its text.

use hobnob_config::{
    RuleChange, RulePlan, RuleText, SettingEditError, SettingPlan, Settings, rule_lines,
};

use crate::support::Scratch;

fn rule(server: Option<&str>, tool: Option<&str>, action: &str) -> RuleText {
    RuleText {
        principal: None,
        group: None,
        server: server.map(Into::into),
        tool: tool.map(Into::into),
        pattern: None,
        action: action.into(),
    }
}

#[test]
fn a_rule_is_added_or_changed_where_it_stands() {
    let files = || rule(Some("files"), Some("read_*"), "deny");
    let whole = || rule(Some("files"), Some("*"), "allow");
    let quotes = || rule(None, Some("a\"b\\\\c"), "ask");
    let cases: &[(&str, RuleText, RuleChange, &str)] = &[
        (
            "",
            files(),
            RuleChange::Added,
            "[[permissions]]\nserver = \"files\"\ntool = \"read_*\"\naction = \"deny\"\n",
        ),
        (
            "# mine\n[gateway]\npins = \"off\" # why",
            rule(None, Some("memory_*"), "allow"),
            RuleChange::Added,
            "# mine\n[gateway]\npins = \"off\" # why\n\n[[permissions]]\ntool = \"memory_*\"\naction = \"allow\"\n",
        ),
        // The action changes; its comment and the order of the keys stay.
        (
            "[[permissions]]\naction = 'allow' # for now\nserver = \"files\"\ntool = \"read_*\"\n",
            files(),
            RuleChange::Replaced("allow".into()),
            "[[permissions]]\naction = \"deny\" # for now\nserver = \"files\"\ntool = \"read_*\"\n",
        ),
        // No tool means every tool. Equal rules all change: the stricter one would decide.
        (
            "[[permissions]]\nserver = \"files\"\naction = \"deny\"\n[[permissions]]\nserver = \"files\"\ntool = \"*\"\naction = \"ask\"\n",
            whole(),
            RuleChange::Replaced("deny".into()),
            "[[permissions]]\nserver = \"files\"\naction = \"allow\"\n[[permissions]]\nserver = \"files\"\ntool = \"*\"\naction = \"allow\"\n",
        ),
        // A rule with a pattern is about other calls.
        (
            "[[permissions]]\nserver = \"files\"\npattern = \"/tmp/**\"\naction = \"deny\"\n",
            whole(),
            RuleChange::Added,
            "[[permissions]]\nserver = \"files\"\npattern = \"/tmp/**\"\naction = \"deny\"\n\n[[permissions]]\nserver = \"files\"\ntool = \"*\"\naction = \"allow\"\n",
        ),
        // So is a rule that names callers.
        (
            "[[permissions]]\nprincipal = \"ann\"\nserver = \"files\"\naction = \"deny\"\n",
            whole(),
            RuleChange::Added,
            "[[permissions]]\nprincipal = \"ann\"\nserver = \"files\"\naction = \"deny\"\n\n[[permissions]]\nserver = \"files\"\ntool = \"*\"\naction = \"allow\"\n",
        ),
        (
            "permissions = [{ tool = \"x\", action = \"deny\" }]\n",
            rule(None, Some("x"), "allow"),
            RuleChange::Replaced("deny".into()),
            "permissions = [{ tool = \"x\", action = \"allow\" }]\n",
        ),
        (
            "[[permissions]]\nserver = \"files\"\naction = \"allow\"\n",
            whole(),
            RuleChange::Unchanged,
            "[[permissions]]\nserver = \"files\"\naction = \"allow\"\n",
        ),
    ];
    for (before, rule, change, after) in cases {
        let scratch = Scratch::new();
        let file = scratch.write("config.toml", before);
        let done = RulePlan::new(&file, rule).unwrap().write().unwrap();
        assert_eq!((&done, &*scratch.read("config.toml")), (change, *after), "{before}");
        let again = RulePlan::new(&file, rule).unwrap().write().unwrap();
        assert_eq!(again, RuleChange::Unchanged, "{before}");
    }
    // The written text names the tool exactly, with any characters in its name.
    let scratch = Scratch::new();
    let file = scratch.write("config.toml", "");
    RulePlan::new(&file, &quotes()).unwrap().write().unwrap();
    assert_eq!(RulePlan::new(&file, &quotes()).unwrap().write().unwrap(), RuleChange::Unchanged);
}

#[test]
fn a_file_that_cannot_be_changed_stays_as_it_is() {
    let rule = rule(None, Some("y"), "allow");
    for broken in ["[[permissions]\n", "[[permissions]]\naction = \"perhaps\"\ntool = \"x\"\n"] {
        let scratch = Scratch::new();
        let file = scratch.write("config.toml", broken);
        let refused = RulePlan::new(&file, &rule).unwrap_err();
        assert!(matches!(refused, SettingEditError::Broken(_)), "{broken}: {refused}");
        assert_eq!(scratch.read("config.toml"), broken);
    }
    // A table cannot be appended after a list on one line.
    let scratch = Scratch::new();
    let before = "permissions = [{ tool = \"x\", action = \"deny\" }]\n";
    let file = scratch.write("config.toml", before);
    let refused = RulePlan::new(&file, &rule).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("by hand") && text.contains("tool = \"y\""), "{text}");
    assert_eq!(scratch.read("config.toml"), before);
}

#[test]
fn a_rule_is_removed_with_its_own_comment_and_nothing_else() {
    let one = "[[permissions]]\ntool = \"x\"\naction = \"allow\"\n";
    let two = "[[permissions]]\ntool = \"y\"\naction = \"deny\" # so it is\n";
    let cases = [
        (format!("{one}{two}"), 0, two.to_owned()),
        (format!("{one}\n{two}"), 1, one.to_owned()),
        (one.to_owned(), 0, String::new()),
        (format!("# all of it\n\n# about x\n{one}{two}"), 0, format!("# all of it\n{two}")),
        (format!("# all of it\n\n{one}"), 0, "# all of it\n".to_owned()),
        (
            "permissions = [{ tool = \"x\", action = \"deny\" }]\n".to_owned(),
            0,
            "permissions = []\n".to_owned(),
        ),
        (
            format!("[gateway]\npins = \"off\"\n\n{one}\n[audit]\nenabled = true\n"),
            0,
            "[gateway]\npins = \"off\"\n\n[audit]\nenabled = true\n".to_owned(),
        ),
    ];
    for (before, index, after) in cases {
        let scratch = Scratch::new();
        let file = scratch.write("config.toml", &before);
        let seen = Settings::load(&file).unwrap().permissions;
        let plan = SettingPlan::without_rule(&file, index, &seen).unwrap();
        plan.write().unwrap();
        drop(plan);
        assert_eq!(scratch.read("config.toml"), after, "{before}");
        // The same click again, or another person's change, is not the rule that was seen.
        let again = SettingPlan::without_rule(&file, index, &seen).unwrap_err();
        assert!(matches!(again, SettingEditError::OtherRules), "{before}: {again}");
        let new = rule(None, Some("z"), "ask");
        let late = RulePlan::over(&file, &new, &seen).unwrap_err();
        assert!(matches!(late, SettingEditError::OtherRules), "{before}: {late}");
        assert_eq!(scratch.read("config.toml"), after, "{before}");
    }
}

#[test]
fn rules_are_found_by_their_lines() {
    let text = "# top\n[gateway]\npins = \"off\"\n\n# x\n[[permissions]]\ntool = \"x\"\naction = \
                \"allow\"\n\n[[permissions]]\ntool = \"y\"\naction = \"deny\"\n";
    assert_eq!(rule_lines(text), [Some(6), Some(10)]);
    let list = "permissions = [\n  { tool = \"x\", action = \"deny\" },\n]\n";
    assert_eq!(rule_lines(list), [Some(2)]);
    for none in ["", "[gateway]\n", "[[permissions]\n", "permissions = 1\n"] {
        assert_eq!(rule_lines(none), [], "{none}");
    }
}
