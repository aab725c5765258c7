//! The future that everything behind a trait object gives back.

use std::future::Future;
use std::pin::Pin;

/// A future on the heap, since services are called through a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
