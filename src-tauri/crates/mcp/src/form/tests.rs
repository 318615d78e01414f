use super::*;
use serde_json::json;

fn form(schema: &Value) -> Result<Form, String> {
    read(&schema.to_string())
}

/// Reads the form as it comes over the wire: in a `Value` the fields would lose their order.
fn read(schema: &str) -> Result<Form, String> {
    Form::of(&serde_json::from_str(schema).unwrap())
}

fn every_kind() -> Form {
    read(r#"{
        "type": "object",
        "properties": {
            "who": {"type": "string", "title": "Your name", "description": "As it is printed.", "minLength": 2, "maxLength": 5},
            "mail": {"type": "string", "format": "email"},
            "site": {"type": "string", "format": "uri"},
            "day": {"type": "string", "format": "date", "default": "2026-12-24"},
            "when": {"type": "string", "format": "date-time"},
            "count": {"type": "integer", "minimum": 1, "maximum": 3, "default": 2},
            "share": {"type": "number", "minimum": 0.5},
            "agree": {"type": "boolean", "default": true},
            "colour": {"type": "string", "enum": ["red", "green"]},
            "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "minItems": 1, "maxItems": 2},
            "more": {"type": "array", "items": {"anyOf": [{"const": "p", "title": "Pea"}]}}
        },
        "required": ["who", "count"]
    }"#)
    .unwrap()
}

#[test]
fn fields_are_in_the_servers_order_with_their_words_and_kinds() {
    let form = every_kind();
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let expected =
        ["who", "mail", "site", "day", "when", "count", "share", "agree", "colour", "size", "old", "tags", "more"];
    assert_eq!(names, expected);
    let (who, size, old) = (&form.fields[0], &form.fields[9], &form.fields[10]);
    assert_eq!((who.label.as_str(), who.description.as_str(), who.required), ("Your name", "As it is printed.", true));
    let choice = |value: &str, title: &str| Choice { value: value.into(), title: title.into() };
    assert_eq!(size.kind, FieldKind::Choice(vec![choice("s", "Small"), choice("l", "Large")]));
    assert_eq!(old.kind, FieldKind::Choice(vec![choice("a", "First"), choice("b", "Second")]));
    assert_eq!(form.fields[5].kind, FieldKind::Number { is_integer: true, minimum: Some(1.0), maximum: Some(3.0) });
    assert_eq!(Value::Object(form.defaults()), json!({"agree": true, "count": 2, "day": "2026-12-24"}));
}

#[test]
fn each_field_says_what_is_wrong_with_it() {
    let form = every_kind();
    for (field, wrong, words) in [
        ("who", json!("a"), "At least 2 characters."),
        ("who", json!("abcdef"), "At most 5 characters."),
        ("who", json!(null), "Fill this in."),
        ("who", json!(7), "Some text."),
        ("mail", json!("nobody"), "An e-mail address, such as ada@example.org."),
        ("site", json!("example"), "A full address, such as https://example.org/."),
        ("day", json!("2026-02-31"), "A day, such as 2026-12-24."),
        ("when", json!("2026-12-24"), "A time with its time zone, such as 2026-12-24T18:00:00Z."),
        ("count", json!(0), "At least 1."),
        ("count", json!(4), "At most 3."),
        ("count", json!(1.5), "A whole number."),
        ("count", json!("many"), "A whole number."),
        ("share", json!("half"), "A number."),
        ("share", json!(0.25), "At least 0.5."),
        ("agree", json!("yes"), "Yes or no."),
        ("colour", json!("blue"), "Choose one from the list."),
        ("size", json!("m"), "Choose one from the list."),
        ("old", json!("c"), "Choose one from the list."),
        ("tags", json!([]), "Choose at least 1."),
        ("tags", json!(["x", "y", "z"]), "Choose at most 2."),
        ("tags", json!(["w"]), "Choose from the list."),
        ("more", json!(["q"]), "Choose from the list."),
        ("other", json!(1), "There is no such field."),
    ] {
        let mut values = Map::from_iter([("who".to_owned(), json!("Ada")), ("count".to_owned(), json!(1))]);
        values.insert(field.to_owned(), wrong.clone());
        let expected = FieldFault { field: field.to_owned(), message: words.to_owned() };
        assert_eq!(form.check(&values), Err(vec![expected]), "{field} {wrong}");
    }
}

#[test]
fn what_fits_is_taken_and_what_is_missing_is_told() {
    let form = every_kind();
    let whole = json!({"who": "Ada", "mail": "ada@example.org", "site": "https://example.org/", "day": "2026-12-24",
        "when": "2026-12-24T18:00:00Z", "count": 3, "share": 0.5, "agree": false, "colour": "red", "size": "l",
        "old": "b", "tags": ["x", "z"], "more": ["p"]});
    assert_eq!(form.check(whole.as_object().unwrap()), Ok(()));
    let faults = form.check(&Map::new()).unwrap_err();
    let missing: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(missing, ["who", "count"]);
}

#[test]
fn words_of_the_server_are_one_line_and_a_default_that_does_not_fit_is_none() {
    let schema = json!({"type": "object", "properties": {"a\nb": {
        "type": "integer", "title": "x\u{1b}[2J\ny", "description": "d".repeat(1000), "maximum": 5, "default": 9,
    }}});
    let field = form(&schema).unwrap().fields.remove(0);
    assert_eq!((field.name.as_str(), field.label.as_str(), &field.default), ("a\nb", "x [2J y", &None));
    assert!(field.description.len() < 400);
}

#[test]
fn forms_beyond_the_bounds_are_refused() {
    let fields = |number: usize, field: &Value| {
        let fields: Map<String, Value> = (0..number).map(|number| (format!("f{number}"), field.clone())).collect();
        form(&json!({"type": "object", "properties": fields}))
    };
    let (text, many) = (json!({"type": "string"}), json!({"type": "string", "enum": vec!["a"; MAX_OPTIONS + 1]}));
    assert!(fields(MAX_FIELDS, &text).is_ok());
    assert!(fields(MAX_FIELDS + 1, &text).unwrap_err().contains("fields"));
    assert!(fields(1, &many).unwrap_err().contains("choose from"));
    let wordy = json!({"type": "string", "description": "x".repeat(MAX_SCHEMA_BYTES)});
    assert!(fields(1, &wordy).unwrap_err().contains("64 KiB"));
    let long = Map::from_iter([("f0".to_owned(), json!("x".repeat(MAX_VALUES_BYTES)))]);
    assert!(fields(1, &text).unwrap().check(&long).is_err());
}
