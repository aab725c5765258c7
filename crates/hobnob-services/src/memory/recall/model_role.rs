//! The roles of embedding models in a recall. `models` gives them out; `find` and `meaning` follow
//! them.

/// What a model is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelRole {
    Main,
    Multilingual,
    /// Only for memories without a vector of the main model.
    Former,
}
