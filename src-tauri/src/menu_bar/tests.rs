use super::*;
use muda::accelerator::Accelerator;

/// The default keys of the window, as they stand in `ui/src/components/command_keys.ts`.
const USUAL: &str = include_str!("../../../ui/src/components/command_keys.ts");

fn item(id: &str, keys: Option<&str>, is_enabled: bool) -> BarItem {
    BarItem { id: id.to_owned(), title: id.to_owned(), keys: keys.map(str::to_owned), is_enabled }
}

fn menu_of(place: MenuPlace, groups: Vec<Vec<BarItem>>) -> BarMenu {
    BarMenu { place, title: "Menu".to_owned(), groups }
}

fn shown(menu: &BarMenu) -> Vec<Vec<String>> {
    let word = |item: &Item<'_>| match item {
        Item::System(item) => format!("{item:?}"),
        Item::Command(item) => item.id.clone(),
    };
    groups(menu).iter().map(|group| group.iter().map(word).collect()).collect()
}

#[test]
fn keys_become_what_the_system_reads() {
    for (keys, read) in [
        ("Mod+N", "CmdOrCtrl+N"),
        ("Mod+Alt+N", "CmdOrCtrl+Alt+N"),
        ("Mod+Shift+Enter", "CmdOrCtrl+Shift+Enter"),
        ("Mod+,", "CmdOrCtrl+,"),
        ("Mod+.", "CmdOrCtrl+."),
        ("Mod+-", "CmdOrCtrl+-"),
        ("Mod+0", "CmdOrCtrl+0"),
        ("Mod+Space", "CmdOrCtrl+Space"),
        ("F2", "F2"),
        ("Shift+F12", "Shift+F12"),
    ] {
        assert_eq!(accelerator(keys).as_deref(), Some(read), "{keys}");
    }
}

#[test]
fn what_types_or_is_no_key_stays_with_the_page() {
    let refused = ["", "?", "N", "Alt+N", "Shift+N", "Mod+Plus", "Mod+Shift+1", "Mod+é", "Ctrl+N", "Mod+", "F0", "F21"];
    for keys in refused.into_iter().chain(["Hyper+N", "Mod+Mod++", "+", "Fx", "Mod+ArrowUp", "Mod+F1x"]) {
        assert_eq!(accelerator(keys), None, "{keys}");
    }
}

/// One that Tauri doesn't read would be dropped without a word, while the page left its keys to the menu.
#[test]
fn every_usual_key_that_the_menu_listens_to_is_read() {
    let quoted =
        USUAL.lines().filter_map(|line| line.trim().strip_suffix("\",")?.rsplit_once('"').map(|(_, keys)| keys));
    let usual: Vec<&str> = quoted.collect();
    assert!(usual.contains(&"Mod+N") && usual.len() > 25, "{usual:?}");
    let read: Vec<String> = usual.iter().filter_map(|keys| accelerator(keys)).collect();
    assert!(read.len() + 2 >= usual.len(), "only {read:?} of {usual:?}");
    let named = (b'A'..=b'Z').map(|letter| format!("CmdOrCtrl+Alt+Shift+{}", char::from(letter)));
    let functions = (1..=20).map(|number| format!("F{number}"));
    for keys in read.into_iter().chain(named).chain(functions) {
        assert!(keys.parse::<Accelerator>().is_ok(), "{keys}");
    }
}

#[test]
fn commands_stand_among_the_systems_own_items() {
    let own = || vec![vec![item("one", None, true)], vec![], vec![item("two", None, true)]];
    let shown_in = |place| shown(&menu_of(place, own()));
    assert_eq!(
        shown_in(MenuPlace::App),
        [
            vec!["About"],
            vec!["one"],
            vec!["two"],
            vec!["Services"],
            vec!["Hide", "HideOthers", "ShowAll"],
            vec!["Quit"]
        ]
    );
    assert_eq!(
        shown_in(MenuPlace::Edit),
        [vec!["Undo", "Redo"], vec!["Cut", "Copy", "Paste", "SelectAll"], vec!["one"], vec!["two"]]
    );
    assert_eq!(shown_in(MenuPlace::File).last().unwrap(), &["CloseWindow"]);
    assert_eq!(shown_in(MenuPlace::Session), [["one"], ["two"]]);
    assert!(shown(&menu_of(MenuPlace::Help, vec![vec![]])).is_empty());
}

#[test]
fn the_page_leaves_those_keys_to_the_menu_that_it_listens_to() {
    let items = vec![
        item("new", Some("Mod+N"), true),
        item("keys", Some("?"), true),
        item("stop", Some("Mod+."), false),
        item("replay", None, true),
    ];
    let words = serde_json::from_value(
        ["about", "services", "hide", "hideOthers", "showAll", "quit", "closeWindow", "undo", "redo", "cut", "copy"]
            .into_iter()
            .chain(["paste", "selectAll", "fullScreen", "minimize", "zoom", "bringAllToFront"])
            .map(|name| (name.to_owned(), name.into()))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    )
    .unwrap();
    let bar = MenuBar { menus: vec![menu_of(MenuPlace::File, vec![items])], words };
    assert_eq!(heard(&bar), ["new"]);
}

#[test]
fn an_item_leads_back_to_its_command() {
    assert_eq!(command_of("command:zoom-in"), Some("zoom-in"));
    assert_eq!(command_of("tray:show"), None);
}
