//! The form, in TypeScript and JSON Schema, of types that are stored as another one: that of the other.

macro_rules! written_as {
    ($type:ty, $written:ty) => {
        impl ts_rs::TS for $type {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(config: &ts_rs::Config) -> String {
                <$written as ts_rs::TS>::name(config)
            }

            fn inline(config: &ts_rs::Config) -> String {
                <$written as ts_rs::TS>::inline(config)
            }

            fn inline_flattened(config: &ts_rs::Config) -> String {
                <$written as ts_rs::TS>::inline_flattened(config)
            }

            fn visit_dependencies(visitor: &mut impl ts_rs::TypeVisitor) {
                <$written as ts_rs::TS>::visit_dependencies(visitor);
            }

            fn decl(config: &ts_rs::Config) -> String {
                <$written as ts_rs::TS>::decl(config)
            }

            fn output_path() -> Option<std::path::PathBuf> {
                <$written as ts_rs::TS>::output_path()
            }
        }

        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                <$written as schemars::JsonSchema>::inline_schema()
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$written as schemars::JsonSchema>::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                <$written as schemars::JsonSchema>::schema_id()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$written as schemars::JsonSchema>::json_schema(generator)
            }
        }
    };
}
