//! Which file of a crate uses which: one arrow per pair, with the line of the first use.
//!
//! `file_circles` searches them for cycles. A `mod` line or a re-export is not an arrow; a name
//! that came through a re-export points to the file that declares it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::module_tree::{Import, ImportName, Meaning, ModuleTree};
use super::source::Source;
use super::tokens::Token;

/// One file uses something that another file declares.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrow<'source> {
    pub(crate) from: &'source Path,
    pub(crate) to: &'source Path,
    /// The line of the first use.
    pub(crate) line: usize,
    /// The used items, as far as the paths name them.
    pub(crate) names: BTreeSet<String>,
}

/// Attributes whose string is a path to a function or a module.
const PATHS_IN_STRINGS: [&str; 5] =
    ["with", "default", "serialize_with", "deserialize_with", "skip_serializing_if"];

/// All arrows of a crate.
pub(crate) fn arrows<'source>(tree: &ModuleTree<'source>) -> Vec<Arrow<'source>> {
    let mut drawn = Drawn { tree, arrows: BTreeMap::new() };
    let mut files = BTreeMap::new();
    for (index, module) in tree.modules.iter().enumerate() {
        files.entry(module.source.path.as_path()).or_insert(module.source);
        for import in &module.imports {
            if !is_only_passed_on(module.source, import) {
                drawn.draw(index, *import.lines.start(), &import.path);
            }
        }
    }
    for source in files.values() {
        drawn.paths(source);
    }
    drawn.arrows.into_values().collect()
}

/// Whether a `use` may only pass a name on: it is public, or in an index file. It is an arrow only
/// if the file also mentions the name; [`Drawn::mention`] finds that.
fn is_only_passed_on(source: &Source, import: &Import) -> bool {
    import.exported || import.name == ImportName::Glob || is_index(source)
}

fn is_index(source: &Source) -> bool {
    source.path.ends_with("lib.rs")
}

/// The arrows found so far, by pair of files.
struct Drawn<'tree, 'source> {
    tree: &'tree ModuleTree<'source>,
    arrows: BTreeMap<(&'source Path, &'source Path), Arrow<'source>>,
}

impl<'source> Drawn<'_, 'source> {
    fn draw(&mut self, module: usize, line: usize, path: &[String]) {
        let from = self.tree.modules[module].source.path.as_path();
        for meaning in self.tree.resolve(module, path) {
            // A module is only a step on the way to a name; the continued path counts.
            let Meaning::Item(owner) = meaning else { continue };
            let to = self.tree.modules[owner].source.path.as_path();
            if from != to {
                let fresh = || Arrow { from, to, line, names: BTreeSet::new() };
                let arrow = self.arrows.entry((from, to)).or_insert_with(fresh);
                arrow.line = arrow.line.min(line);
                arrow.names.extend(item(path).cloned());
            }
        }
    }

    /// Adds every path in the code of a file, including those in macros.
    fn paths(&mut self, source: &'source Source) {
        let tokens = &source.tokens;
        // Computed once per file: there are thousands of tokens.
        let modules = self.tree.modules_of(&source.path);
        let imports = modules.iter().flat_map(|it| &self.tree.modules[*it].imports);
        let imported: BTreeSet<usize> = imports.flat_map(|import| import.lines.clone()).collect();
        let mut at = 0;
        while at < tokens.len() {
            let (path, length) = path_at(tokens, at);
            let line = tokens[at].line;
            // Skip the rest of the path: its segments are not names by themselves.
            at += length;
            if path.is_empty() || imported.contains(&line) || source.is_test(line) {
                continue;
            }
            let Some(module) = self.tree.module_at(&modules, line) else { continue };
            match path.as_slice() {
                [name] => self.mention(module, line, name),
                path => self.draw(module, line, path),
            }
        }
    }

    /// Handles a single name. A plain `use` of it is an arrow already; a name that was re-exported
    /// or came through a glob is resolved here.
    fn mention(&mut self, module: usize, line: usize, name: &str) {
        let here = &self.tree.modules[module];
        let passed_on = here.imports.iter().any(|import| {
            let named = matches!(&import.name, ImportName::Named(named) if named == name);
            (named || import.name == ImportName::Glob) && is_only_passed_on(here.source, import)
        });
        if passed_on {
            self.draw(module, line, &[name.to_owned()]);
        }
    }
}

/// The segment that names the declared item: the type, or else the last segment.
fn item(path: &[String]) -> Option<&String> {
    let is_type = |name: &&String| name.starts_with(char::is_uppercase);
    path.iter().find(is_type).or_else(|| path.last())
}

/// The path that starts at this token (empty if none does), and how many tokens to skip.
fn path_at(tokens: &[Token], at: usize) -> (Vec<String>, usize) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = |back: usize| at.checked_sub(back).map_or("", text);
    if text(at).starts_with('"') {
        let is_path = before(1) == "=" && PATHS_IN_STRINGS.contains(&before(2));
        let inside = text(at).trim_matches('"').split("::").map(str::to_owned);
        return (if is_path { inside.collect() } else { Vec::new() }, 1);
    }
    // A field or method, the rest of an external path, a lifetime, or a restricted visibility.
    if [".", "::", "'", "in"].contains(&before(1)) && !(before(1) == "in" && before(2) != "(") {
        return (Vec::new(), 1);
    }
    let mut path = Vec::new();
    let mut next = at;
    while is_name(text(next)) {
        path.push(text(next).to_owned());
        if text(next + 1) != "::" {
            break;
        }
        next += 2;
    }
    (path, (next - at).max(1))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}
