//! Two clones of a bare repository.
