//! Settings: what the user wrote, checked, merged and compared.
