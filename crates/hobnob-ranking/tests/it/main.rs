//! The ranking through its public functions, on small catalogues and on the recorded one.
#![cfg(test)]

mod catalogue;
mod recorded;
mod requests;
mod small_catalogues;
