//! The ranking, through its public functions: small catalogues, and the recorded one.
#![cfg(test)]

mod catalogue;
mod recorded;
mod requests;
mod small_catalogues;
