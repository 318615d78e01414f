//! The picture on the clipboard. WebKitGTK tells the page that something is pasted, but hands it no picture; the webviews
//! of the other systems do.

use tauri::AppHandle;

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
