//! The boxed future that the methods of trait objects return.

use std::future::Future;
use std::pin::Pin;

/// A boxed future: services are called through trait objects, which cannot return `impl Future`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
