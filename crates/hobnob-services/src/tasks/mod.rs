//! Work that agents share.
