//! The menu bar of macOS: Arki's own commands, as the window in front names them, among the items that are the system's
//! own. A command that is chosen goes back to that window by its id.
//!
//! Elsewhere there is no menu bar, and nothing is built; what goes where is data, so that it is tested everywhere.

use arki_api::{BarItem, BarMenu, MenuBar, MenuPlace, SystemWords};
use arki_domain::Error;
use tauri::menu::{
    AboutMetadata, HELP_SUBMENU_ID, IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu, WINDOW_SUBMENU_ID,
};
use tauri::{AppHandle, Wry};

/// The prefix of a command's ID in the ID of its item.
const COMMAND: &str = "command:";

/// An item that the system defines: its name aside, what it does and which keys it has is the system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    About,
    Services,
    Hide,
    HideOthers,
    ShowAll,
    Quit,
    CloseWindow,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    SelectAll,
    FullScreen,
    Minimize,
    Zoom,
    BringAllToFront,
}

#[derive(Debug, Clone, Copy)]
enum Item<'a> {
    System(System),
    Command(&'a BarItem),
}

/// Fills the menu bar. Returns the ids of the commands whose keys it listens to: the page leaves these keys to it.
///
/// # Errors
/// When the system makes no menu of it.
pub(crate) async fn show(app: &AppHandle, bar: MenuBar) -> Result<Vec<String>, Error> {
    if !cfg!(target_os = "macos") {
        return Ok(Vec::new());
    }
    let listens_to = heard(&bar);
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let handle = app.clone();
    // In one go: each item would wait for that thread.
    app.run_on_main_thread(move || {
        let _ = sender.send(menu(&handle, &bar).and_then(|menu| handle.set_menu(menu)));
    })
    .map_err(Error::internal)?;
    receiver.await.map_err(Error::internal)?.map_err(Error::internal)?;
    Ok(listens_to)
}

/// Returns the command that an item stands for; `None` for an item of another menu.
pub(crate) fn command_of(item: &str) -> Option<&str> {
    item.strip_prefix(COMMAND)
}

fn heard(bar: &MenuBar) -> Vec<String> {
    let items = bar.menus.iter().flat_map(|menu| menu.groups.iter().flatten());
    let listens = items.filter(|item| item.is_enabled && item.keys.as_deref().and_then(accelerator).is_some());
    listens.map(|item| item.id.clone()).collect()
}

/// Returns keys as Tauri reads them. `None` for those that the menu can't or must not listen to, which the page hears as
/// before: what types text, and signs that another key types with Shift or on another layout.
fn accelerator(keys: &str) -> Option<String> {
    let (modifiers, key) = keys.rsplit_once('+').map_or((None, keys), |(before, key)| (Some(before), key));
    let mut words = Vec::new();
    for modifier in modifiers.into_iter().flat_map(|modifiers| modifiers.split('+')) {
        words.push(match modifier {
            "Mod" => "CmdOrCtrl",
            "Alt" | "Shift" => modifier,
            _ => return None,
        });
    }
    let number = |text: &str| text.parse::<u8>().ok();
    let is_function = key.strip_prefix('F').and_then(number).is_some_and(|number| (1..=20).contains(&number));
    let is_letter = matches!(key.as_bytes(), [b'A'..=b'Z']) || matches!(key, "Enter" | "Space");
    let is_sign = matches!(key.as_bytes(), [b'0'..=b'9' | b',' | b'.' | b'-']);
    let can_type = !words.contains(&"CmdOrCtrl");
    let fits = is_function || (!can_type && (is_letter || (is_sign && !words.contains(&"Shift"))));
    words.push(key);
    fits.then(|| words.join("+"))
}

fn menu(app: &AppHandle, bar: &MenuBar) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    for one in &bar.menus {
        menu.append(&submenu(app, one, &bar.words)?)?;
    }
    Ok(menu)
}

fn submenu(app: &AppHandle, menu: &BarMenu, words: &SystemWords) -> tauri::Result<Submenu<Wry>> {
    // By these the system knows the two that it adds to.
    let submenu = match menu.place {
        MenuPlace::Window => Submenu::with_id(app, WINDOW_SUBMENU_ID, &menu.title, true)?,
        MenuPlace::Help => Submenu::with_id(app, HELP_SUBMENU_ID, &menu.title, true)?,
        _ => Submenu::new(app, &menu.title, true)?,
    };
    for (number, group) in groups(menu).iter().enumerate() {
        if number > 0 {
            submenu.append(&PredefinedMenuItem::separator(app)?)?;
        }
        for item in group {
            submenu.append(made(app, *item, words)?.as_ref())?;
        }
    }
    Ok(submenu)
}

/// Returns the items of a menu, with what is the system's in the places where people look for it.
fn groups(menu: &BarMenu) -> Vec<Vec<Item<'_>>> {
    use System::*;
    let (before, after): (&[&[System]], &[&[System]]) = match menu.place {
        MenuPlace::App => (&[&[About]], &[&[Services], &[Hide, HideOthers, ShowAll], &[Quit]]),
        MenuPlace::File => (&[], &[&[CloseWindow]]),
        MenuPlace::Edit => (&[&[Undo, Redo], &[Cut, Copy, Paste, SelectAll]], &[]),
        MenuPlace::View => (&[], &[&[FullScreen]]),
        MenuPlace::Window => (&[&[Minimize, Zoom]], &[&[BringAllToFront]]),
        MenuPlace::Session | MenuPlace::Help => (&[], &[]),
    };
    let of_system = |groups: &[&[System]]| -> Vec<Vec<Item<'_>>> {
        groups.iter().map(|group| group.iter().map(|item| Item::System(*item)).collect()).collect()
    };
    let own = menu.groups.iter().map(|group| group.iter().map(Item::Command).collect());
    let all = of_system(before).into_iter().chain(own).chain(of_system(after));
    all.filter(|group: &Vec<Item<'_>>| !group.is_empty()).collect()
}

fn made(app: &AppHandle, item: Item<'_>, words: &SystemWords) -> tauri::Result<Box<dyn IsMenuItem<Wry>>> {
    match item {
        Item::System(item) => Ok(Box::new(predefined(app, item, words)?)),
        Item::Command(item) => {
            let id = format!("{COMMAND}{}", item.id);
            let keys = item.keys.as_deref().and_then(accelerator);
            Ok(Box::new(MenuItem::with_id(app, id, &item.title, item.is_enabled, keys)?))
        }
    }
}

fn predefined(app: &AppHandle, item: System, words: &SystemWords) -> tauri::Result<PredefinedMenuItem<Wry>> {
    match item {
        System::About => {
            let package = app.package_info();
            let about = AboutMetadata {
                name: Some(package.name.clone()),
                version: Some(package.version.to_string()),
                ..AboutMetadata::default()
            };
            PredefinedMenuItem::about(app, Some(&words.about), Some(about))
        }
        System::Services => PredefinedMenuItem::services(app, Some(&words.services)),
        System::Hide => PredefinedMenuItem::hide(app, Some(&words.hide)),
        System::HideOthers => PredefinedMenuItem::hide_others(app, Some(&words.hide_others)),
        System::ShowAll => PredefinedMenuItem::show_all(app, Some(&words.show_all)),
        System::Quit => PredefinedMenuItem::quit(app, Some(&words.quit)),
        System::CloseWindow => PredefinedMenuItem::close_window(app, Some(&words.close_window)),
        System::Undo => PredefinedMenuItem::undo(app, Some(&words.undo)),
        System::Redo => PredefinedMenuItem::redo(app, Some(&words.redo)),
        System::Cut => PredefinedMenuItem::cut(app, Some(&words.cut)),
        System::Copy => PredefinedMenuItem::copy(app, Some(&words.copy)),
        System::Paste => PredefinedMenuItem::paste(app, Some(&words.paste)),
        System::SelectAll => PredefinedMenuItem::select_all(app, Some(&words.select_all)),
        System::FullScreen => PredefinedMenuItem::fullscreen(app, Some(&words.full_screen)),
        System::Minimize => PredefinedMenuItem::minimize(app, Some(&words.minimize)),
        System::Zoom => PredefinedMenuItem::maximize(app, Some(&words.zoom)),
        System::BringAllToFront => PredefinedMenuItem::bring_all_to_front(app, Some(&words.bring_all_to_front)),
    }
}

#[cfg(test)]
mod tests;
