//! Spelling is checked where the user writes, with the dictionaries that the system has. WebKitGTK does so only when it is
//! asked; the webviews of the other systems follow the system's settings.

use tauri::WebviewWindow;

/// The dictionaries are read on the thread that draws, so they come after the first content.
#[cfg(target_os = "linux")]
const AFTER: std::time::Duration = std::time::Duration::from_secs(2);

/// Begins soon, in the user's language and in English, in which much of what is said to a model is written.
#[cfg(target_os = "linux")]
pub(crate) fn check_soon(window: &WebviewWindow) {
    use webkit2gtk::{WebContextExt, WebViewExt};
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(AFTER).await;
        let asked = window.with_webview(|webview| {
            // All windows have one context.
            if let Some(context) = webview.inner().context().filter(|context| !context.is_spell_checking_enabled()) {
                let names = gtk::glib::language_names();
                let languages = languages(names.iter().map(|name| name.as_str()));
                context.set_spell_checking_languages(&languages);
                context.set_spell_checking_enabled(true);
            }
        });
        if let Err(error) = asked {
            tracing::debug!(%error, "spelling is not checked");
        }
    });
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn check_soon(_: &WebviewWindow) {}

/// The languages of dictionaries, by the names of a locale (`de_DE.UTF-8`, `de_DE`, `de`, `C`).
#[cfg(target_os = "linux")]
fn languages<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut languages: Vec<&str> = names.filter(|name| !name.contains(['.', '@']) && *name != "C").collect();
    if !languages.contains(&"en") {
        languages.push("en_US");
    }
    languages
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::languages;

    #[test]
    fn english_is_among_the_languages_whatever_the_users_is() {
        let of = |names: &[&'static str]| languages(names.iter().copied());
        assert_eq!(of(&["de_DE.UTF-8", "de_DE", "de", "C"]), ["de_DE", "de", "en_US"]);
        assert_eq!(of(&["en_GB.UTF-8", "en_GB", "en", "C"]), ["en_GB", "en"]);
        assert_eq!(of(&["C"]), ["en_US"]);
    }
}
