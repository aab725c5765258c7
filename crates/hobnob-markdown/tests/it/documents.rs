//! Small documents and their output: one line for each rule.

use hobnob_markdown::{Colour, Style};

use crate::terminal::{shown, text, written};

/// Checks the output with colours; a run with a style is written as `‹codes:…›`.
fn check_looks(document: &str, expected: &str) {
    let style = Style::Terminal { colour: Colour::On, width: 60 };
    let mut seen = String::new();
    let mut open = String::new();
    for (letter, look) in shown(&written(style, [document]).concat()) {
        if look != open {
            seen.push_str(if open.is_empty() { "" } else { "›" });
            if !look.is_empty() {
                seen.push_str(&format!("‹{look}:"));
            }
            open = look;
        }
        seen.push(letter);
    }
    assert_eq!(seen, format!("{expected}\n"), "{document:?}");
}

/// Checks the output without colours.
fn check(document: &str, expected: &str) {
    let style = Style::Terminal { colour: Colour::Off, width: 30 };
    assert_eq!(text(&written(style, [document]).concat()), expected, "{document:?}");
}

#[test]
fn emphasis_is_what_common_mark_says() {
    check_looks("*a* _b_ **c** __d__ ~~e~~", "‹3:a› ‹3:b› ‹1:c› ‹1:d› ‹9:e›");
    check_looks("***a*** **b *c* d**", "‹1;3:a› ‹1:b ›‹1;3:c›‹1: d›");
    check_looks("a*b*c snake_case_name 2 * 3 * 4", "a‹3:b›c snake_case_name 2 * 3 * 4");
    check_looks("*a **b* c", "*a *‹3:b› c");
    check_looks("**a* b", "*‹3:a› b");
    check_looks("*a\n*b*", "*a\n‹3:b›");
    check_looks("\\*a\\* \\a \\\\", "*a* \\a \\");
    check_looks("a\\\nb", "a\nb");
    check_looks("****a**** ~b~ ~~~c", "****a**** ~b~ ~~~c");
}

#[test]
fn code_in_a_sentence_is_taken_as_it_is() {
    check_looks("`a*b*` ``c`d`` `` ` ``", "‹36:a*b*› ‹36:c`d› ‹36:`›");
    check_looks("`a **b", "`a **b");
    check_looks("**a `b** c`", "**a ‹36:b** c›");
}

#[test]
fn a_link_never_hides_its_address() {
    check_looks("[a](b)", "‹4:a› ‹2:(b)›");
    check_looks("[*a*](b_c_d)", "‹3;4:a› ‹2:(b_c_d)›");
    check_looks("[https://a.b](https://a.b).", "‹4:https://a.b›.");
    check_looks("[https://a.b](https://c.d)", "‹4:https://a.b› ‹2:(https://c.d)›");
    check_looks("[a](b \"c (d)\") ![e](f)", "‹4:a› ‹2:(b \"c (d)\")› !‹4:e› ‹2:(f)›");
    check_looks("[a] [b][c] [d](e", "[a] [b][c] [d](e");
    check_looks("*a [b* c](d)*", "‹3:a ›‹3;4:b* c›‹3: ›‹3;2:(d)›");
    check_looks("https://a.b/_c_/*d* **https://e.f**", "https://a.b/_c_/*d* ‹1:https://e.f›");
    check_looks("<https://a.b> <i>c</i>", "<https://a.b> <i>c</i>");
}

#[test]
fn headings_stand_out() {
    check_looks("# a *b*\n## c\n####### d\n#e", "‹1;4:a ›‹1;3;4:b›\n‹1:c›\n####### d\n#e");
    check("# a\n###### b", "# a\n###### b\n");
}

#[test]
fn lists_keep_their_shape() {
    check("- a\n- b\n", "• a\n• b\n");
    check("* a\n\n+ b\n", "• a\n\n• b\n");
    check("1. a\n  - two columns are enough\n2. b", "1. a\n   • two columns are enough\n2. b\n");
    check("- a\ngoes on\n\nends", "• a\n  goes on\n\nends\n");
    check("- a\n\n  b\n\n        code\n", "• a\n\n  b\n\n    code\n");
    check("- - a\n  - b", "• • a\n  • b\n");
    check("text\n2. no list\n1. a list", "text\n2. no list\n1. a list\n");
    check("3. a\n3. b\n7. c", "3. a\n4. b\n7. c\n");
    check("1234567890. a", "1234567890. a\n");
    check("- ```\n  a\n  ```\n- b", "• ```\n  a\n  ```\n• b\n");
    check("-\n  a\n-b", "•\n  a\n  -b\n");
    check("- # a\n- > b\n- ***", "• # a\n• │ b\n• ────────────────────────────\n");
    let deep = "- ".repeat(20) + "a";
    check(&deep, "• • • • • • • - - - - - - - -\n              - - - - - a\n");
}

#[test]
fn quotes_and_rules_are_drawn() {
    check("> a\nb\n\nc", "│ a\n│ b\n\nc\n");
    check(">a\n>> b\n>\n> c", "│ a\n│ │ b\n│\n│ c\n");
    check("> - a\n>   b\n> - c", "│ • a\n│   b\n│ • c\n");
    check("> ```\n> a\nb", "│ ```\n│ a\nb\n");
    let rule = "─".repeat(30);
    check(
        "***\n---\n_ _ _\n* * *\n--\n-- -",
        &format!("{rule}\n{rule}\n{rule}\n{rule}\n--\n{rule}\n"),
    );
}

#[test]
fn code_is_never_changed() {
    check("```\n  a  *b*\n\n\n\tc\n", "```\n  a  *b*\n\n\n    c\n");
    check("````\n```\n````", "````\n```\n````\n");
    check("~~~ a\n```\n~~~\nb", "~~~ a\n```\n~~~\nb\n");
    check("```a`b\nc", "```a`b\nc\n");
    check("    a\n\n      b\nc", "a\n\n  b\nc\n");
    check("text\n    goes on", "text\ngoes on\n");
    let long = "x".repeat(3000);
    check(&format!("```\n{long}\n```"), &format!("```\n{long}\n```\n"));
}

#[test]
fn empty_lines_are_merged() {
    check("\n\na\n\n\n\nb\n\n\n", "a\n\nb\n");
    check("", "");
    check("\n", "");
    check("   ", "");
}

#[test]
fn tables_need_a_line_below_their_header() {
    check("|a|b|\n|-|\n|c|", "|a|b|\n|-|\n|c|\n");
    check("|a|\n|:-:|\n|b|\n|c", "a\n─\nb\nc\n");
    check("|a|b|\n|-|-|\n|c|d|e|\n||", "a │ b\n──┼──\nc │ d\n  │\n");
    check("text\n|a|\n|-|\nb", "text\na\n─\nb\n");
    let wide = format!("|{}|\n|{}|\n", "a|".repeat(65), "-|".repeat(65));
    check(&wide.replace("||", "|"), &text(&wrapped(&wide.replace("||", "|"))));
}

/// The same lines as text, which is how a table with too many columns is shown.
fn wrapped(document: &str) -> String {
    let style = Style::Terminal { colour: Colour::Off, width: 30 };
    written(style, [document.replace('\n', "\n\n").as_str()]).concat().replace("\n\n", "\n")
}
