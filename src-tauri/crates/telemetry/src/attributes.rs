//! Attributes: what is said of a span, a point or a record, each key once.

use crate::messages::{AnyValue, ArrayValue, KeyValue, Value};

impl From<Value> for AnyValue {
    fn from(value: Value) -> Self {
        Self { value: Some(value) }
    }
}

macro_rules! any_value {
    ($($type:ty => |$given:ident| $value:expr;)*) => {$(
        impl From<$type> for AnyValue {
            fn from($given: $type) -> Self {
                Self::from($value)
            }
        }
    )*};
}

any_value! {
    &str => |text| Value::StringValue(text.to_owned());
    String => |text| Value::StringValue(text);
    &String => |text| Value::StringValue(text.clone());
    bool => |flag| Value::BoolValue(flag);
    f64 => |number| Value::DoubleValue(number);
    u64 => |count| Value::IntValue(i64::try_from(count).unwrap_or(i64::MAX));
    u32 => |count| Value::IntValue(count.into());
    i32 => |code| Value::IntValue(code.into());
    usize => |count| Value::IntValue(i64::try_from(count).unwrap_or(i64::MAX));
    Vec<AnyValue> => |values| Value::ArrayValue(ArrayValue { values });
}

pub(crate) trait AttributeList {
    /// Says it, in place of what was said under that key.
    fn set(&mut self, key: &str, value: impl Into<AnyValue>);

    /// Says it where there is something to say.
    fn set_some(&mut self, key: &str, value: Option<impl Into<AnyValue>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }
}

impl AttributeList for Vec<KeyValue> {
    fn set(&mut self, key: &str, value: impl Into<AnyValue>) {
        let value = Some(value.into());
        match self.iter_mut().find(|said| said.key == key) {
            Some(said) => said.value = value,
            None => self.push(KeyValue { key: key.to_owned(), value }),
        }
    }
}

/// The word by which the log has a value of an enumeration.
pub(crate) fn word(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}
