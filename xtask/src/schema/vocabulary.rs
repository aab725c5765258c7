//! Reads our types' source for what they know: the wire names of fields and values.
//!
//! It reads only top-level items and aliases of them, the two macros of `choice.rs`, whose input has the
//! syntax of an enum, and macros that add fields to a struct.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Attribute, Expr, Fields, Item, ItemEnum, ItemStruct, ItemType, Lit, LitStr, Type};

/// One of our types in its wire form.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// Its fields on the wire; true if decoding fails without the field.
    pub(super) fields: BTreeMap<String, bool>,
    /// Its allowed strings, or the values of its tag.
    pub(super) values: BTreeSet<String>,
}

/// All types, by `module::Name`.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    types: BTreeMap<String, Known>,
    /// The fields that a macro adds to a struct, by its name. A macro is read before its users.
    added: BTreeMap<String, BTreeMap<String, bool>>,
}

impl Vocabulary {
    /// Adds the types of one file.
    pub(super) fn read(&mut self, module: &str, source: &str) -> anyhow::Result<()> {
        let file = syn::parse_file(source).with_context(|| format!("{module}: not Rust"))?;
        let (aliases, items): (Vec<_>, Vec<_>) =
            file.items.iter().partition(|item| matches!(item, Item::Type(_)));
        for item in items.into_iter().chain(aliases) {
            let (name, known) = match item {
                Item::Struct(item) => (item.ident.to_string(), structure(item)?),
                Item::Enum(item) => (item.ident.to_string(), enumeration(item)?),
                Item::Macro(item) if item.mac.path.is_ident("open_enum") => choice(&item.mac)?,
                Item::Macro(item) if item.mac.path.is_ident("tagged_union") => choice(&item.mac)?,
                Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                    let name = item.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                    if let Some(fields) = template(&item.mac.tokens) {
                        self.added.insert(name, structure(&fields)?.fields);
                    }
                    continue;
                }
                Item::Macro(item) => {
                    match item.mac.path.segments.last().map(|it| it.ident.to_string()) {
                        Some(name) if self.added.contains_key(&name) => {
                            let item = written_struct(&item.mac.tokens).context(name.clone())?;
                            let mut known = structure(&item)?;
                            known.fields.extend(self.added[&name].clone());
                            (item.ident.to_string(), known)
                        }
                        _ => continue,
                    }
                }
                Item::Type(item) => match aliased(item).map(|name| self.find(&name).cloned()) {
                    Some(Ok(known)) => (item.ident.to_string(), known),
                    _ => continue,
                },
                _ => continue,
            };
            self.types.insert(format!("{module}::{name}"), known);
        }
        Ok(())
    }

    /// Finds a type by `Name`, or by `module::Name` if modules share a name.
    pub(super) fn find(&self, name: &str) -> anyhow::Result<&Known> {
        if let Some(known) = self.types.get(name) {
            return Ok(known);
        }
        let suffix = format!("::{name}");
        let found: Vec<_> = self.types.iter().filter(|(path, _)| path.ends_with(&suffix)).collect();
        match found.as_slice() {
            [(_, known)] => Ok(known),
            [] => bail!("there is no type `{name}`"),
            _ => bail!("there are several types `{name}`: write `module::{name}`"),
        }
    }
}

fn structure(item: &ItemStruct) -> anyhow::Result<Known> {
    let outer = SerdeAttributes::of(&item.attrs)?;
    let Fields::Named(fields) = &item.fields else {
        return Ok(Known::default());
    };
    let mut known = Known::default();
    for field in &fields.named {
        let attributes = SerdeAttributes::of(&field.attrs)?;
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let name = match attributes.rename {
            Some(name) => name,
            None => outer.apply(&name)?,
        };
        let optional = attributes.default || is_option(&field.ty);
        known.fields.insert(name, !optional);
    }
    Ok(known)
}

/// What these macros say of every struct.
const CAMEL: &str = "#[serde(rename_all = \"camelCase\")]";

/// The struct in the definition of a macro, without the place of the fields that its user writes.
fn template(definition: &TokenStream) -> Option<ItemStruct> {
    let mut rule = definition.clone().into_iter().filter_map(braces);
    let written: Vec<TokenTree> = rule.next()?.into_iter().collect();
    let at = written.iter().position(|it| matches!(it, TokenTree::Ident(it) if it == "struct"))?;
    let fields = written[at..].iter().cloned().find_map(braces)?;
    let mut plain = TokenStream::new();
    let mut tokens = fields.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(mark) if mark.as_char() == '$' => {
                if tokens.next_if(|it| matches!(it, TokenTree::Group(_))).is_some() {
                    tokens.next();
                }
            }
            _ => plain.extend([token]),
        }
    }
    syn::parse_str(&format!("{CAMEL} struct Template {{ {plain} }}")).ok()
}

/// The struct that the user of such a macro writes; after its name may come the type of a field.
fn written_struct(input: &TokenStream) -> anyhow::Result<ItemStruct> {
    let mut tokens = input.clone().into_iter().collect::<Vec<_>>();
    let is_struct = |it: &TokenTree| matches!(it, TokenTree::Ident(it) if it == "struct");
    let name = tokens.iter().position(is_struct).context("no struct in it")? + 1;
    let fields = tokens.pop();
    tokens.truncate(name + 1);
    tokens.extend(fields);
    let written: TokenStream = tokens.into_iter().collect();
    Ok(syn::parse_str(&format!("{CAMEL} {written}"))?)
}

fn braces(token: TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}

/// The name of the type that an alias stands for, without arguments.
fn aliased(item: &ItemType) -> Option<String> {
    let Type::Path(path) = &*item.ty else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// serde reads an absent `Option` as `None`, unless a custom function decodes it.
fn is_option(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Option")
}

fn enumeration(item: &ItemEnum) -> anyhow::Result<Known> {
    let outer = SerdeAttributes::of(&item.attrs)?;
    let mut known = Known::default();
    for variant in &item.variants {
        let attributes = SerdeAttributes::of(&variant.attrs)?;
        let name = match attributes.rename {
            Some(name) => name,
            None => outer.apply(&variant.ident.to_string())?,
        };
        known.values.insert(name);
    }
    Ok(known)
}

/// Reads `open_enum!` and `tagged_union!`: the wire value of a variant is in the place of its
/// discriminant, and the key of the tag is in `#[tag("…")]`.
fn choice(invocation: &syn::Macro) -> anyhow::Result<(String, Known)> {
    let item: ItemEnum = invocation.parse_body().context("a choice that is no enum")?;
    let mut known = Known::default();
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("tag")) {
        let tag = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let tag: LitStr = input.parse()?;
            // A default may follow; it does not matter here.
            let _rest: TokenStream = input.parse()?;
            Ok(tag)
        })?;
        known.fields.insert(tag.value(), false);
    }
    for variant in &item.variants {
        let Some((_, Expr::Lit(literal))) = &variant.discriminant else {
            bail!("`{}::{}` has no text on the wire", item.ident, variant.ident);
        };
        let Lit::Str(text) = &literal.lit else {
            bail!("`{}::{}` is no text on the wire", item.ident, variant.ident);
        };
        known.values.insert(text.value());
    }
    Ok((item.ident.to_string(), known))
}

/// The `#[serde(…)]` attributes that change names or presence.
#[derive(Default)]
struct SerdeAttributes {
    rename: Option<String>,
    rename_all: Option<String>,
    default: bool,
}

impl SerdeAttributes {
    fn of(attributes: &[Attribute]) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let text = match meta.value() {
                    Ok(value) => Some(value.parse::<LitStr>()?.value()),
                    Err(_) => None,
                };
                if meta.path.is_ident("rename") {
                    found.rename = text;
                } else if meta.path.is_ident("rename_all") {
                    found.rename_all = text;
                } else if meta.path.is_ident("default") {
                    found.default = true;
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn apply(&self, name: &str) -> anyhow::Result<String> {
        match self.rename_all.as_deref() {
            None => Ok(name.to_owned()),
            Some("lowercase") => Ok(name.to_lowercase()),
            Some("camelCase") => Ok(camel(name)),
            Some(other) => bail!("this check does not know rename_all = \"{other}\""),
        }
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        all + letters.as_str()
    })
}
