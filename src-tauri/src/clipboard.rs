//! The picture and the files on the clipboard. WebKitGTK tells the page that something is pasted, but hands it no picture;
//! the webviews of the other systems do. None tells the page where a file lies that it is handed.

use std::path::PathBuf;
use tauri::AppHandle;

/// The paths of the files that were copied in a file manager; none where there are none, or where only the page is told
/// of them.
#[cfg(target_os = "linux")]
pub(crate) async fn files(app: &AppHandle) -> Vec<PathBuf> {
    use gtk::gdk::SELECTION_CLIPBOARD;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let ask = || {
        gtk::Clipboard::get(&SELECTION_CLIPBOARD).request_uris(|_, addresses| {
            let path = |address: &gtk::glib::GString| gtk::glib::filename_from_uri(address).ok();
            let _ = sender.send(addresses.iter().filter_map(path).map(|(path, _)| path).collect());
        });
    };
    if app.run_on_main_thread(ask).is_err() {
        return Vec::new();
    }
    receiver.await.unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
pub(crate) async fn files(_: &AppHandle) -> Vec<PathBuf> {
    Vec::new()
}

/// The picture as it is there, not decoded; `None` where there is none, or where the page has it already.
#[cfg(target_os = "linux")]
pub(crate) async fn picture(app: &AppHandle) -> Option<Vec<u8>> {
    use gtk::gdk::{Atom, SELECTION_CLIPBOARD};
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let ask = || {
        // What programs offer of every picture that they copy.
        gtk::Clipboard::get(&SELECTION_CLIPBOARD).request_contents(&Atom::intern("image/png"), |_, contents| {
            // Minus one where there is none.
            let _ = sender.send((contents.length() > 0).then(|| contents.data()));
        });
    };
    app.run_on_main_thread(ask).ok()?;
    receiver.await.ok().flatten()
}

#[cfg(not(target_os = "linux"))]
pub(crate) async fn picture(_: &AppHandle) -> Option<Vec<u8>> {
    None
}
