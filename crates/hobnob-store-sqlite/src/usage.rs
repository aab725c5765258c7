//! Usage in the table `usage`, behind the port of `hobnob-store`: rows and sums, and what becomes of
//! old minutes.

mod port;
mod retention;
mod rows;
