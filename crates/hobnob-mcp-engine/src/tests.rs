//! Rules, as data: states, eras, seals, folds.
