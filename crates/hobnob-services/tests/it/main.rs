//! The services as those see them who call them.
#![cfg(test)]

mod tasks_bench;
mod tasks_tools;
mod tasks_transcripts;
mod tasks_views;
