//! The parts, each as data: what is held back, how work grows, what differs.

mod diffs;
mod work;
