//! The side that asks: carriers over Streamable HTTP and over HTTP+SSE.
