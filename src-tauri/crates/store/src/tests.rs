//! Tests over several modules; those of one module stand in it.

mod appending;
