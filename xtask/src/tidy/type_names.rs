//! A public type name exists once in the workspace, so that a word has one meaning.
//!
//! `command` passes in all sources at once. A type counts if code outside its own folder can see
//! it: `pub`, `pub(crate)`, or `pub(super)` below the root.

use std::collections::BTreeMap;
use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::finding::Finding;
use super::source::{Place, Source};

/// Names that every crate may reuse, because all of Rust reads them the same way.
const CONVENTIONAL: [&str; 3] = [
    "Args",   // what a command takes, always named with its module: `add::Args`
    "Error",  // `crate::Error`, as in `std::io::Error`
    "Result", // the alias beside it
];

/// One declaration of a type.
struct Declared<'source> {
    path: &'source Path,
    line: usize,
    /// Whether it is under a `cfg`.
    conditional: bool,
}

/// Every name that is declared in several places, with one finding for each place.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut names: BTreeMap<String, Vec<Declared<'_>>> = BTreeMap::new();
    for source in sources.iter().filter(|source| is_product(source)) {
        let mut types = Types { source, depth: depth(&source.path), conditional: 0, found: vec![] };
        types.visit_file(&source.syntax);
        for (name, declared) in types.found {
            names.entry(name).or_default().push(declared);
        }
    }
    names.retain(|name, places| {
        1 < places.len() && !CONVENTIONAL.contains(&name.as_str()) && !are_alternatives(places)
    });
    names.iter().flat_map(|(name, places)| report(name, places)).collect()
}

fn report(name: &str, places: &[Declared<'_>]) -> Vec<Finding> {
    let at = |index: usize| {
        let place = &places[index];
        let others = places.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Vec<_> =
            others.map(|(_, it)| format!("{}:{}", it.path.display(), it.line)).collect();
        let message = format!(
            "`{name}` is also the name of a type at {}: qualify one of them, or make it private",
            others.join(", ")
        );
        Finding::new(place.path, place.line, message)
    };
    (0..places.len()).map(at).collect()
}

/// Whether these are alternative forms of one type, all conditional and in the same crate.
fn are_alternatives(places: &[Declared<'_>]) -> bool {
    let home = |path: &Path| path.iter().take(2).map(ToOwned::to_owned).collect::<Vec<_>>();
    let first = places.first().map(|it| home(it.path));
    places.iter().all(|it| it.conditional && Some(home(it.path)) == first)
}

fn is_product(source: &Source) -> bool {
    let mut parts = source.path.iter();
    let crates = parts.next().is_some_and(|it| it == "crates");
    crates && parts.nth(1).is_some_and(|it| it == "src") && source.place != Place::Test
}

/// The number of modules between the root of the crate and this file, including the file.
fn depth(path: &Path) -> usize {
    let folders = path.iter().skip_while(|part| *part != "src").count().saturating_sub(2);
    let index = ["lib.rs", "main.rs"].iter().any(|it| path.ends_with(it));
    folders + usize::from(!index)
}

/// Collects the visible types of one file.
struct Types<'source> {
    source: &'source Source,
    depth: usize,
    /// How many of the enclosing modules are conditional.
    conditional: usize,
    found: Vec<(String, Declared<'source>)>,
}

impl Types<'_> {
    fn note(
        &mut self,
        visibility: &syn::Visibility,
        name: &syn::Ident,
        attributes: &[syn::Attribute],
    ) {
        let line = name.span().start().line;
        let seen = match visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Restricted(to) if to.path.is_ident("crate") => true,
            syn::Visibility::Restricted(to) if to.path.is_ident("super") => self.depth <= 1,
            syn::Visibility::Restricted(_) | syn::Visibility::Inherited => false,
        };
        if !seen || self.source.is_test(line) {
            return;
        }
        let conditional = 0 < self.conditional || has_cfg(attributes);
        let declared = Declared { path: &self.source.path, line, conditional };
        self.found.push((name.to_string(), declared));
    }
}

fn has_cfg(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

impl<'ast> Visit<'ast> for Types<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.source.is_test(item.span().start().line) {
            return;
        }
        let conditional = usize::from(has_cfg(&item.attrs));
        self.conditional += conditional;
        self.depth += 1;
        visit::visit_item_mod(self, item);
        self.depth -= 1;
        self.conditional -= conditional;
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.note(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.note(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note(&item.vis, &item.ident, &item.attrs);
    }
}
