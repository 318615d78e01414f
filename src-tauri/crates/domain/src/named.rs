//! Enums whose values have a name each, written down in one place.

/// The enum, `ALL` of it in this order, and a method that returns the name.
macro_rules! named {
    (
        $(#[$meta:meta])* $enum:ident { $($(#[$of_value:meta])* $value:ident = $name:literal,)* }
        $(#[$of_method:meta])* $method:ident
    ) => {
        $(#[$meta])*
        pub enum $enum { $($(#[$of_value])* $value,)* }

        impl $enum {
            pub const ALL: [Self; [$(Self::$value),*].len()] = [$(Self::$value),*];

            $(#[$of_method])*
            #[must_use]
            pub fn $method(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }
    };
}
