//! Values under names that say secret: `DB_PASSWORD=…`, `"apiKey": "…"`, «the password is …».

mod find;
pub(crate) mod judge;
mod link;
mod look_alike;
mod name;
mod value;

pub(crate) use find::find;
