//! Tests of what authors do: the guide's servers as programs, and a server over HTTP.

mod examples;
mod http;
mod programs;
mod side_by_side;
