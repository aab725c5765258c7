//! A file as one flat sequence of tokens, each with its line.
//!
//! A ban is a short sequence of words. The flat form lets it match inside macros too, where the
//! syntax tree has no expressions.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// One token as written; `::` is one token, and each bracket is a token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// All tokens of a stream in reading order, without comments.
pub(crate) fn flatten(stream: TokenStream) -> Vec<Token> {
    let mut tokens = Vec::new();
    push(stream, &mut tokens);
    tokens
}

fn push(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        let mut add = |text: String, line| tokens.push(Token { text, line });
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                add(open.into(), line);
                push(group.stream(), tokens);
                tokens.push(Token { text: close.into(), line: group.span_close().start().line });
            }
            TokenTree::Punct(punct)
                if punct.as_char() == ':' && punct.spacing() == Spacing::Joint =>
            {
                let joined =
                    trees.next_if(|it| matches!(it, TokenTree::Punct(p) if p.as_char() == ':'));
                add(if joined.is_some() { "::" } else { ":" }.into(), line);
            }
            other => add(other.to_string(), line),
        }
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}
