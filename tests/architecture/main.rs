//! What the source promises to itself.
