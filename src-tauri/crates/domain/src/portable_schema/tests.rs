use super::*;
use proptest::prelude::*;

#[test]
fn what_every_vendor_takes_stays_as_it_is() {
    for schema in [
        json!({"type": "object", "properties": {}}),
        json!({"type": "object", "additionalProperties": false, "required": ["a"], "$defs": {"b": {"type": "string"}},
            "properties": {"a": {"type": ["array", "null"], "items": {"$ref": "#/$defs/b"}}, "b": {"anyOf": [{"enum": [1]}, {"const": 2}]}}}),
    ] {
        assert_eq!(portable_schema(&schema), Some(schema));
    }
}

#[test]
fn odd_schemas_become_plain_objects() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    for (odd, plain) in [
        (json!(null), object(json!({}))),
        (json!({}), object(json!({}))),
        (json!({"type": ["object", "null"]}), object(json!({}))),
        (object(json!({"a": {"type": "array"}})), object(json!({"a": {"type": "array", "items": {}}}))),
        (object(json!({"a": {"$ref": "#/$defs/none"}})), object(json!({"a": {}}))),
        (
            object(json!({"a": {"$ref": "https://x.example/s.json", "description": "d"}})),
            object(json!({"a": {"description": "d"}})),
        ),
        (object(json!([{"name": "a", "type": "string"}])), object(json!({"a": {"name": "a", "type": "string"}}))),
        (object(json!(7)), object(json!({}))),
        (object(json!({"a": {"type": "any", "exclusiveMinimum": true, "required": true}})), object(json!({"a": {}}))),
        (
            object(json!({"a": {"type": "array", "items": [{"type": "string"}]}})),
            object(json!({"a": {"type": "array", "items": {"anyOf": [{"type": "string"}]}}})),
        ),
        (
            json!({"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"$ref": "#/$defs/b"}], "$defs": {"b": object(json!({"b": {}}))}}),
            json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"], "$defs": {"b": object(json!({"b": {}}))}}),
        ),
        (
            json!({"type": "object", "required": ["x"]}),
            json!({"type": "object", "required": ["x"], "properties": {"x": {}}}),
        ),
    ] {
        assert_eq!(portable_schema(&odd), Some(plain), "{odd}");
    }
    for no_object in [json!("text"), json!(false), json!([1]), json!({"type": "array"}), json!({"type": "string"})] {
        assert_eq!(portable_schema(&no_object), None, "{no_object}");
    }
}

#[test]
fn a_choice_at_the_top_keeps_all_properties_and_is_told_in_words() {
    let branch = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}, "k": {"const": name}}, "required": [name, "k"]});
    for keyword in ["anyOf", "oneOf"] {
        let plain = portable_schema(&json!({keyword: [branch("a"), branch("b"), {"type": "null"}]})).unwrap();
        assert_eq!(
            plain["properties"],
            json!({"a": {"type": "string"}, "b": {"type": "string"}, "k": {"anyOf": [{"const": "a"}, {"const": "b"}]}})
        );
        assert_eq!((&plain["required"], plain.get(keyword)), (&json!(["k"]), None));
        assert!(plain["description"].as_str().unwrap().contains(&format!("must match {keyword} [")), "{plain}");
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "array"})),
        Just(json!({"$ref": "#/nowhere"})),
        Just(json!({"$ref": "#"})),
        Just(json!(true)),
        Just(json!(7)),
        Just(json!(null)),
        Just(json!({"type": ["array", "null"], "enum": []})),
        Just(json!({"const": 1})),
    ];
    let key = prop::sample::select(vec![
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "type",
        "required",
        "$ref",
        "$defs",
        "enum",
        "if",
        "x",
    ]);
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
        let members = prop::collection::btree_map("[a-c]", inner.clone(), 0..3).prop_map(|map| json!(map));
        prop::collection::btree_map(key.clone(), prop_oneof![inner, list, members], 0..4).prop_map(|map| json!(map))
    })
}

/// What OpenAI, Anthropic and Google each refuse.
fn assert_valid(schema: &Value, root: &Value) {
    let Some(members) = schema.as_object() else { panic!("{schema} in {root}") };
    let is_array = members
        .get("type")
        .is_some_and(|kind| kind == "array" || kind.as_array().is_some_and(|of| of.contains(&json!("array"))));
    assert!(!is_array || members["items"].is_object(), "{root}");
    if let Some(target) = members.get("$ref") {
        assert!(root.pointer(target.as_str().unwrap().strip_prefix('#').unwrap()).is_some(), "{root}");
    }
    for name in members
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|_| members.contains_key("properties"))
    {
        assert!(members["properties"].get(name.as_str().unwrap()).is_some(), "{root}");
    }
    for (key, value) in members {
        match key.as_str() {
            "properties" | "$defs" => value.as_object().unwrap().values().for_each(|schema| assert_valid(schema, root)),
            "anyOf" | "oneOf" | "allOf" => {
                assert!(!value.as_array().unwrap().is_empty());
                value.as_array().unwrap().iter().for_each(|schema| assert_valid(schema, root));
            }
            "items" | "not" | "if" => assert_valid(value, root),
            "enum" => assert!(!value.as_array().unwrap().is_empty()),
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn whatever_a_schema_says_its_form_is_one_that_vendors_take(schema in any_schema()) {
        if let Some(plain) = portable_schema(&schema) {
            assert_eq!(&plain["type"], "object");
            assert!(["anyOf", "oneOf", "allOf", "not", "enum", "$ref"].iter().all(|key| plain.get(key).is_none()), "{plain}");
            assert_valid(&plain, &plain);
            assert_eq!(portable_schema(&plain), Some(plain.clone()), "the form of a form is itself");
        }
    }
}
