//! The page of metrics, read as Prometheus reads it, and traces as a receiver gets them.
#![cfg(test)]

mod page;
mod receiver;
mod traces;
