//! The modules of one crate, from its `mod` lines, and name resolution within them.
//!
//! `file_arrows` asks it where a name is declared, so that a re-export neither hides an arrow nor
//! adds one. Tests are not part of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::source::Source;

/// The sources of the repository, by path.
pub(crate) type Sources<'source> = BTreeMap<&'source Path, &'source Source>;

/// All modules of a crate; the first is its root.
pub(crate) struct ModuleTree<'source> {
    pub(crate) modules: Vec<Module<'source>>,
}

/// One module: a file, or an inline module.
pub(crate) struct Module<'source> {
    pub(crate) source: &'source Source,
    /// Its lines. The lines of an inner module belong to both modules.
    pub(crate) lines: RangeInclusive<usize>,
    pub(crate) imports: Vec<Import>,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
}

/// One name that a `use` brings into a module.
pub(crate) struct Import {
    pub(crate) name: ImportName,
    pub(crate) path: Vec<String>,
    pub(crate) lines: RangeInclusive<usize>,
    /// Whether other modules may use the name from here.
    pub(crate) exported: bool,
}

/// What an import binds.
#[derive(PartialEq, Eq)]
pub(crate) enum ImportName {
    Named(String),
    /// All names that the module at the path exports.
    Glob,
}

/// What a path refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Meaning {
    /// A module, by its index.
    Module(usize),
    /// An item that this module declares.
    Item(usize),
}

impl<'source> ModuleTree<'source> {
    /// Reads a crate, starting at its root file.
    pub(crate) fn read(root: &'source Source, sources: &Sources<'source>) -> Self {
        let mut tree = Self { modules: Vec::new() };
        let folder = root.path.parent().unwrap_or(Path::new("")).to_owned();
        let mut reader = Reader { tree: &mut tree, sources, current: 0, folder };
        reader.file(root, None);
        tree
    }

    /// Resolves a path in a module. A path into another crate has no meaning here.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> BTreeSet<Meaning> {
        self.walk(module, path, &mut BTreeSet::new())
    }

    fn walk(
        &self,
        module: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Meaning> {
        let mut at = match path.first().map(String::as_str) {
            Some("crate") => BTreeSet::from([Meaning::Module(0)]),
            Some("self") => BTreeSet::from([Meaning::Module(module)]),
            Some("super") => {
                let parent = self.modules[module].parent;
                parent.map(Meaning::Module).into_iter().collect()
            }
            Some(name) => self.lookup(module, name, seen),
            None => BTreeSet::new(),
        };
        for name in path.iter().skip(1) {
            let inner: Vec<_> = at.iter().filter_map(|it| as_module(*it)).collect();
            if inner.is_empty() {
                // The rest is inside a type: a variant or an associated function.
                break;
            }
            at = BTreeSet::new();
            for module in inner {
                let parent = self.modules[module].parent;
                match (name.as_str(), parent) {
                    ("super", Some(parent)) => drop(at.insert(Meaning::Module(parent))),
                    _ => at.extend(self.member(module, name, seen)),
                }
            }
        }
        at
    }

    /// Resolves a name in one of our modules. A name that cannot be found (a macro may have made
    /// it) counts as declared there.
    fn member(
        &self,
        module: usize,
        name: &str,
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Meaning> {
        let imports = &self.modules[module].imports;
        let imported =
            imports.iter().any(|it| matches!(&it.name, ImportName::Named(named) if named == name));
        let mut found = self.lookup(module, name, seen);
        if found.is_empty() && !imported {
            found.insert(Meaning::Item(module));
        }
        found
    }

    /// All meanings of a name in a module: a module and a function may share one.
    fn lookup(
        &self,
        module: usize,
        name: &str,
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Meaning> {
        let here = &self.modules[module];
        let mut found = BTreeSet::new();
        found.extend(here.children.get(name).copied().map(Meaning::Module));
        found.extend(here.items.contains(name).then_some(Meaning::Item(module)));
        // Without this check, a cycle of imports would recurse for ever.
        if !seen.insert((module, name.to_owned())) {
            return found;
        }
        for import in &here.imports {
            match &import.name {
                ImportName::Named(named) if named == name => {
                    found.extend(self.walk(module, &import.path, seen));
                }
                ImportName::Glob => {
                    let targets = self.walk(module, &import.path, seen);
                    for target in targets.into_iter().filter_map(as_module) {
                        found.extend(self.lookup(target, name, seen));
                    }
                }
                ImportName::Named(_) => {}
            }
        }
        seen.remove(&(module, name.to_owned()));
        found
    }

    /// The modules of a file: the file itself, then its inline modules.
    pub(crate) fn modules_of(&self, path: &Path) -> Vec<usize> {
        let of_file = |index: &usize| self.modules[*index].source.path == path;
        (0..self.modules.len()).filter(of_file).collect()
    }

    /// The innermost of a file's modules that contains a line.
    pub(crate) fn module_at(&self, modules: &[usize], line: usize) -> Option<usize> {
        // Inline modules come after the file that contains them.
        modules.iter().rev().copied().find(|it| self.modules[*it].lines.contains(&line))
    }
}

fn as_module(meaning: Meaning) -> Option<usize> {
    match meaning {
        Meaning::Module(module) => Some(module),
        Meaning::Item(_) => None,
    }
}

/// Reads a file and all modules below it.
struct Reader<'tree, 'source> {
    tree: &'tree mut ModuleTree<'source>,
    sources: &'tree Sources<'source>,
    current: usize,
    /// The folder with the files of the current module's children.
    folder: PathBuf,
}

impl<'source> Reader<'_, 'source> {
    fn file(&mut self, source: &'source Source, parent: Option<(usize, String)>) {
        let lines = 1..=source.text.lines().count().max(1);
        let current = self.add(source, lines, parent);
        let outer = std::mem::replace(&mut self.current, current);
        let syntax = &source.syntax;
        self.visit_file(syntax);
        self.current = outer;
    }

    fn add(
        &mut self,
        source: &'source Source,
        lines: RangeInclusive<usize>,
        parent: Option<(usize, String)>,
    ) -> usize {
        let index = self.tree.modules.len();
        let (parent, name) = parent.unzip();
        self.tree.modules.push(Module {
            source,
            lines,
            imports: Vec::new(),
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
        });
        if let (Some(parent), Some(name)) = (parent, name) {
            self.tree.modules[parent].children.insert(name, index);
        }
        index
    }

    fn here(&mut self) -> &mut Module<'source> {
        &mut self.tree.modules[self.current]
    }

    fn declare(&mut self, name: &syn::Ident) {
        if !self.here().source.is_test(name.span().start().line) {
            self.here().items.insert(name.to_string());
        }
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], item: &syn::ItemUse) {
        let below = |name: &syn::Ident| {
            let plain = (name != "self").then(|| name.to_string());
            prefix.iter().cloned().chain(plain).collect::<Vec<_>>()
        };
        let (name, path) = match tree {
            syn::UseTree::Path(it) if prefix.is_empty() && it.ident == "self" => {
                return self.import(&it.tree, &["self".to_owned()], item);
            }
            syn::UseTree::Path(it) => return self.import(&it.tree, &below(&it.ident), item),
            syn::UseTree::Group(it) => {
                return it.items.iter().for_each(|tree| self.import(tree, prefix, item));
            }
            syn::UseTree::Glob(_) => (ImportName::Glob, prefix.to_vec()),
            syn::UseTree::Rename(it) => {
                (ImportName::Named(it.rename.to_string()), below(&it.ident))
            }
            syn::UseTree::Name(it) => {
                let path = below(&it.ident);
                (ImportName::Named(path.last().cloned().unwrap_or_default()), path)
            }
        };
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        let lines = item.span().start().line..=item.span().end().line;
        self.here().imports.push(Import { name, path, lines, exported });
    }
}

impl<'ast> Visit<'ast> for Reader<'_, '_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let lines = item.span().start().line..=item.span().end().line;
        let source = self.here().source;
        if source.is_test(*lines.start()) {
            return;
        }
        let name = item.ident.to_string();
        let below = self.folder.join(&name);
        let parent = Some((self.current, name));
        let folder = std::mem::replace(&mut self.folder, below.clone());
        if item.content.is_some() {
            let index = self.add(source, lines, parent);
            let outer = std::mem::replace(&mut self.current, index);
            visit::visit_item_mod(self, item);
            self.current = outer;
        } else {
            let file = below.with_extension("rs");
            if let Some(file) = self.sources.get(file.as_path()).copied() {
                self.file(file, parent);
            }
        }
        self.folder = folder;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !self.here().source.is_test(item.span().start().line) {
            self.import(&item.tree, &[], item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.declare(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.declare(&item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.declare(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.declare(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.declare(&item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.declare(&item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.declare(&item.ident);
        visit::visit_item_static(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.declare(&item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.declare(name);
        }
    }
}
