//! Tests of tidy's rules on a few lines: rules about one file, then rules about many.

mod one_file;
mod whole_tree;
