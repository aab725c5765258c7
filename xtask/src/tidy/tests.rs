//! Each rule of tidy on a few lines: those about one file, then those about many.

mod one_file;
mod whole_tree;
