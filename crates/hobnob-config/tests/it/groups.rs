//! Setting a principal's groups in `config.toml`: the rest of the file keeps its text.

use hobnob_config::{SettingPlan, Settings, groups_of};

use crate::support::Scratch;

#[test]
fn a_principal_is_in_exactly_the_groups_that_are_named() {
    // The file before, the groups of ann, and the file after.
    let cases: &[(&str, &[&str], &str)] = &[
        ("", &[], ""),
        ("", &["ops"], "[groups]\nops = [\"ann\"]\n"),
        (
            "[gateway]\npins = \"off\" # why",
            &["ops", "crew"],
            "[gateway]\npins = \"off\" # why\n\n[groups]\nops = [\"ann\"]\ncrew = [\"ann\"]\n",
        ),
        (
            "[groups] # who is who\nops = [\"bob\"] # night\ncrew = ['ann', \"token:ci\"]\n[audit]\n",
            &["ops"],
            "[groups] # who is who\nops = [\"bob\", \"ann\"] # night\ncrew = [\"token:ci\"]\n[audit]\n",
        ),
        (
            "[groups]\nops = [\"bob\"] # night\n",
            &["crew"],
            "[groups]\nops = [\"bob\"] # night\ncrew = [\"ann\"]\n",
        ),
        ("[groups]\nops = [ 'ann' ]\n", &["ops", "ops"], "[groups]\nops = [ 'ann' ]\n"),
        ("[groups]\nops = ['ann']\n", &[], "[groups]\nops = []\n"),
        ("groups = { ops = ['bob'] }\n", &["ops"], "groups = { ops = [\"bob\", \"ann\"] }\n"),
        ("[groups]\n", &["ops"], "[groups]\nops = [\"ann\"]\n"),
        (
            "groups = { crew = ['bob'] }\n",
            &["ops"],
            "groups = { crew = ['bob'] , ops = [\"ann\"] }\n",
        ),
    ];
    for (before, groups, after) in cases {
        let scratch = Scratch::new();
        let file = scratch.write("config.toml", before);
        let groups: Vec<String> = groups.iter().map(|it| (*it).to_owned()).collect();
        let plan = SettingPlan::groups(&file, "ann", &groups).unwrap();
        assert_eq!(plan.has_changes(), before != after, "{before}");
        plan.write().unwrap();
        drop(plan);
        assert_eq!(scratch.read("config.toml"), *after, "{before}");
        let settings = Settings::load(&file).unwrap();
        let mut wanted: Vec<_> = groups.iter().map(String::as_str).collect();
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(groups_of(&settings, "ann"), wanted, "{before}");
        assert!(!SettingPlan::groups(&file, "ann", &groups).unwrap().has_changes(), "{before}");
    }
}

#[test]
fn what_cannot_be_changed_stays_as_it_is() {
    for (before, group, message) in [
        // The parts of one table are not together.
        ("groups.a = []\ngateway.pins = \"off\"\ngroups.b = []\n", "ops", "by hand"),
        ("[gruops]\n", "ops", "repair it first"),
        ("", "Ops", "not a valid group name"),
        ("", "", "not a valid group name"),
        ("", "a\"b", "not a valid group name"),
    ] {
        let scratch = Scratch::new();
        let file = scratch.write("config.toml", before);
        let error = SettingPlan::groups(&file, "ann", &[group.into()]).unwrap_err();
        assert!(error.to_string().contains(message), "{before}: {error}");
        assert_eq!(scratch.read("config.toml"), before);
    }
}
