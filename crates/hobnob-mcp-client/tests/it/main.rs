//! The client as programs use it: against scripted servers, and against our own over every wire.

mod asking;
mod carrying;
mod ending;
mod eras;
mod http;
mod leaving;
mod lists;
mod matching;
mod ours;
mod ours_asking;
mod script;
mod support;
mod timing;
mod watching;
mod whose;
