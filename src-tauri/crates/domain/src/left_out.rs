//! Fields that are left out of what is written where they say nothing.

/// Returns whether a field says nothing.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
