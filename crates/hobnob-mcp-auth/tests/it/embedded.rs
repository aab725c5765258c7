//! The embedded authorization server: each of its rules, then logins over real sockets.

mod browser;
mod login_server;
mod person;

mod clients;
mod consent;
mod documents;
mod real_login;
mod redirects;
mod roles;
mod rotation;
mod secrets;
mod tokens;
mod users;
