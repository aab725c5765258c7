//! What is shown, without a terminal.

use super::{Block, Cell, Table, one_line, safe};

#[test]
fn strangers_cannot_move_the_cursor() {
    assert_eq!(safe("a\x1b[2Jb\nc"), "a\\u{1b}[2Jb\nc");
    assert_eq!(one_line(" a\n\n b\tc\r\x07"), "a b c \\u{7}");
    let mut block = Block::new();
    block.pair("key\u{202e}", "value\u{200b}");
    assert_eq!(block.to_text(), "key\\u{202e}  value\\u{200b}\n");
}

#[test]
fn a_row_is_one_line_without_a_terminal() {
    let mut table = Table::new(&["NAME", "WHAT"]);
    assert!(table.is_empty());
    table.row([Cell::from("a"), Cell::from("first\nsecond")]);
    table.row([Cell::from("longer"), Cell::from("x".repeat(300))]);
    let text = table.to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "NAME    WHAT");
    assert_eq!(lines[1], "a       first second");
    assert_eq!(lines[2], format!("longer  {}", "x".repeat(300)));
    assert_eq!(lines.len(), 3);
}

#[test]
fn blocks_line_up() {
    let mut block = Block::new();
    block.pair("a", "1\n2").maybe("none", None).maybe("longer", Some("3")).pair("empty", "");
    assert_eq!(block.to_text(), "a       1\n        2\nlonger  3\nempty\n");
}

#[test]
fn one_is_never_a_plural() {
    let cases = [
        (0, "server", "0 servers"),
        (1, "server", "1 server"),
        (2, "memory", "2 memories"),
        (1, "memory", "1 memory"),
        (3, "day", "3 days"),
    ];
    for (count, thing, expected) in cases {
        assert_eq!(super::counted(count, thing), expected);
    }
    assert_eq!(super::counted(2_usize, "tool"), "2 tools");
}

fn servers() -> Table {
    let mut table = Table::new(&["NAME", "STATE", "TARGET", "NOTE"]);
    let name = "a-server-with-a-name-that-is-rather-long-but-still-allowed";
    let target = "npx -y @modelcontextprotocol/server-everything stdio --with several --more words";
    table.row([Cell::from(name), Cell::from("on"), Cell::from(target), Cell::from("-")]);
    table.row([Cell::from("b"), Cell::from("off"), Cell::from("true"), Cell::from("")]);
    table
}

#[test]
fn narrow_terminals_get_cards() {
    let expected = "\
a-server-with-a-name-that-is-rather-long-but-still-allowed
  state   on
  target  npx -y @modelcontextprotocol/server-everything
          stdio --with several --more words

b
  state   off
  target  true
";
    assert_eq!(servers().to_text_of_width(Some(60)), expected);
    for width in [1, 20, 40, 80, 99] {
        let text = servers().to_text_of_width(Some(width));
        assert!(text.starts_with("a-server-with-a-name-that-is-rather-long-but-still-allowed\n"));
        assert!(text.contains("@modelcontextprotocol/server-everything"), "{width}: {text}");
    }
}

fn states() -> Table {
    let columns = ["SERVER", "STATE", "TOOLS", "TRANSPORT", "PROCESS", "WHY"];
    let mut table = Table::new(&columns).optional(&["PROCESS", "TRANSPORT"]);
    for (name, state, why) in [
        ("weather-service-of-the-office", "ready", ""),
        ("notes", "failed", "no greeting within 30 s; its last words were: cannot bind 4815"),
    ] {
        let cells = [name, state, "12", "stdio, sandbox: full", "123456", why];
        table.row(cells.map(Cell::from));
    }
    table
}

#[test]
fn what_matters_least_goes_first_where_there_is_no_room() {
    let head = |width| states().to_text_of_width(Some(width)).lines().next().unwrap().to_owned();
    let heads = [
        (140, "SERVER STATE TOOLS TRANSPORT PROCESS WHY"),
        (110, "SERVER STATE TOOLS TRANSPORT WHY"),
        (80, "SERVER STATE TOOLS WHY"),
    ];
    for (width, wanted) in heads {
        assert_eq!(head(width).split_whitespace().collect::<Vec<_>>().join(" "), wanted, "{width}");
    }
    let text = states().to_text_of_width(Some(80));
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(rows.len(), 3, "a line for each server: {text}");
    assert!(rows[1].starts_with("weather-service-of-the-office  ready"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // In a pipe and on cards, nothing is left out.
    for width in [None, Some(60)] {
        assert!(states().to_text_of_width(width).contains("sandbox: full"));
    }
}

#[test]
fn wide_terminals_get_tables_whose_names_are_whole() {
    for width in [100, 120, 200] {
        let text = servers().to_text_of_width(Some(width));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("NAME "), "{width}: {text}");
        assert!(text.contains("a-server-with-a-name-that-is-rather-long-but-still-allowed  on"));
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= usize::from(width), "{width}: {text}");
    }
    // A terminal of unknown width gets whole lines.
    assert_eq!(servers().to_text_of_width(Some(0)).lines().count(), 3);
    assert_eq!(servers().to_text_of_width(None).lines().count(), 3);
    // Where names leave no room for other columns, rows become cards.
    let mut table = Table::new(&["NAME", "TARGET"]);
    table.row([Cell::from("n".repeat(110)), Cell::from("x ".repeat(50))]);
    assert!(table.to_text_of_width(Some(120)).starts_with(&format!("{}\n", "n".repeat(110))));
}
