//! `cargo xtask bundle`: installers for the system it runs on, of the programs as they are shipped.
//!
//! They bring `arki` beside the app, with its manual pages and completions. On Linux these are where the system looks for
//! them; on macOS and Windows they are in the app's own folder, and the README says how to bring them on the PATH.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{
    dist,
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

/// Made from what is in the repository.
const LINUX_BUNDLES: &str = "deb,rpm";
/// An AppImage needs tools that Tauri downloads while bundling, so it is made where that is asked for.
const APPIMAGE: &str = "--appimage";

/// The private key of the releases. Where there is one, each package gets a signature beside it, and updates are offered.
const SIGNING_KEY: &str = "TAURI_SIGNING_PRIVATE_KEY";
const SIGNED: &str = r#"{ "bundle": { "createUpdaterArtifacts": true } }"#;

/// The shells for which there are completions, and where packages for Linux put those.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "/usr/share/bash-completion/completions/arki"),
    ("fish", "/usr/share/fish/vendor_completions.d/arki.fish"),
    ("zsh", "/usr/share/zsh/vendor-completions/_arki"),
];
/// PowerShell's, which has no such place.
const POWERSHELL: &str = "powershell";

/// The app's entry in menus, which Tauri fills in: also for folders, so that one can be
/// opened with Arki, and for links to sessions.
const ENTRY: &str = "[Desktop Entry]
Categories={{categories}}
Comment={{comment}}
Exec={{exec}} %u
Icon={{icon}}
MimeType=inode/directory;x-scheme-handler/arki;
Name={{name}}
StartupWMClass={{exec}}
Terminal=false
Type=Application
";

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    let wants_appimage = cfg!(target_os = "linux") && arguments.iter().any(|argument| argument == APPIMAGE);
    if let Some(argument) = arguments.iter().find(|argument| !wants_appimage || *argument != APPIMAGE) {
        return Err(Failure::unexpected("bundle", argument));
    }
    dist::build(repository)?;
    lay_out(repository)?;
    let mut command = process::npm(&repository.root);
    command.args(["run", "tauri", "bundle", "--"]);
    if std::env::var_os(SIGNING_KEY).is_some_and(|key| !key.is_empty()) {
        command.args(["--config", SIGNED]);
    }
    command.arg("--config").arg(beside(repository, &repository.binary(dist::PROFILE, "arki"))?);
    if cfg!(target_os = "linux") {
        let bundles = if wants_appimage { format!("{LINUX_BUNDLES},appimage") } else { LINUX_BUNDLES.to_owned() };
        command.args(["--bundles", &bundles]);
    }
    process::run(&mut command)?;
    println!("\nThe installers are in {}", repository.target.join("release/bundle").display());
    Ok(())
}

/// Puts the app where Tauri looks for what it bundles.
fn lay_out(repository: &Repository) -> Result<(), Failure> {
    let app = repository.binary(dist::PROFILE, "arki-desktop");
    let release = repository.target.join("release");
    files::create_folder(&release)?;
    let place = release.join(app.file_name().unwrap_or_default());
    std::fs::copy(&app, &place).context(|| format!("copy {}", app.display()))?;
    Ok(())
}

/// Writes what an installer has beside the app, and returns the configuration that names it.
fn beside(repository: &Repository, arki: &Path) -> Result<PathBuf, Failure> {
    let folder = repository.target.join("bundle");
    files::remove_folder(&folder)?;
    let manual = folder.join("man");
    files::create_folder(&manual)?;
    process::run(Command::new(arki).args(["man", "--out"]).arg(&manual))?;
    let pages: Vec<PathBuf> = files::read_tree(&manual, &[])?.into_keys().map(|page| manual.join(page)).collect();
    let completions = |shell: &str| -> Result<PathBuf, Failure> {
        let script = folder.join(shell);
        files::write(&script, process::capture(Command::new(arki).args(["completions", shell]))?)?;
        Ok(script)
    };
    let license = repository.root.join("LICENSE");
    // For browsers (`arki serve --ui`); the app has it within itself.
    let window = repository.root.join("ui/dist");
    let config = folder.join("config.json");
    let text = if cfg!(target_os = "linux") {
        let mut packed = vec![("/usr/bin/arki".to_owned(), arki.to_owned())];
        for (shell, place) in COMPLETIONS {
            packed.push(((*place).to_owned(), completions(shell)?));
        }
        for page in pages {
            process::run(Command::new("gzip").args(["--best", "--no-name"]).arg(&page))?;
            let packed_page = format!("{}.gz", page.display());
            let name = packed_page.rsplit('/').next().unwrap_or_default();
            packed.push((format!("/usr/share/man/man1/{name}"), PathBuf::from(&packed_page)));
        }
        packed.push(("/usr/share/doc/arki/copyright".to_owned(), license));
        packed.push(("/usr/share/arki/ui".to_owned(), window));
        let entry = folder.join("arki.desktop");
        files::write(&entry, ENTRY)?;
        for_linux(&entry, &packed)
    } else if cfg!(target_os = "macos") {
        let mut packed = vec![("MacOS/arki".to_owned(), arki.to_owned()), ("Resources/ui".to_owned(), window)];
        for (shell, _) in COMPLETIONS {
            packed.push((format!("Resources/completions/{shell}"), completions(shell)?));
        }
        packed.extend(pages.into_iter().map(|page| (format!("Resources/man/man1/{}", name_of(&page)), page)));
        for_macos(&packed)
    } else {
        let script = completions(POWERSHELL)?;
        let packed = [("arki.exe", arki.to_owned()), ("completions/arki.ps1", script), ("ui/", window.join(""))];
        for_windows(&packed.map(|(place, file)| (place.to_owned(), file)))
    };
    files::write(&config, text)?;
    Ok(config)
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Both kinds of package recommend the program of the stronger of the two sandboxes.
fn for_linux(entry: &Path, packed: &[(String, PathBuf)]) -> String {
    let packed = places_and_files(packed);
    let entry = entry.display().to_string();
    let both = format!(r#""recommends": ["bubblewrap"], "desktopTemplate": {entry:?}, "files": {packed}"#);
    format!(
        r#"{{ "bundle": {{ "linux": {{ "deb": {{ "section": "devel", {both} }}, "rpm": {{ {both} }}, "appimage": {{ "files": {packed} }} }} }} }}"#
    )
}

/// Places are below the app's `Contents`.
fn for_macos(packed: &[(String, PathBuf)]) -> String {
    format!(r#"{{ "bundle": {{ "macOS": {{ "files": {} }} }} }}"#, places_and_files(packed))
}

/// Places are below the folder that the app is installed in.
fn for_windows(packed: &[(String, PathBuf)]) -> String {
    let line = |(place, file): &(String, PathBuf)| format!("{:?}: {place:?}", file.display().to_string());
    let packed = packed.iter().map(line).collect::<Vec<_>>().join(", ");
    format!(r#"{{ "bundle": {{ "resources": {{ {packed} }} }} }}"#)
}

fn places_and_files(packed: &[(String, PathBuf)]) -> String {
    let line = |(place, file): &(String, PathBuf)| format!("{place:?}: {:?}", file.display().to_string());
    format!("{{ {} }}", packed.iter().map(line).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installer_names_each_file_with_its_place() {
        let packed = |place: &str| [(place.to_owned(), PathBuf::from("/built/arki"))];
        let linux = for_linux(Path::new("/built/arki.desktop"), &packed("/usr/bin/arki"));
        assert!(linux.contains(r#""/usr/bin/arki": "/built/arki""#), "{linux}");
        assert_eq!(linux.matches(r#""recommends": ["bubblewrap"]"#).count(), 2);
        let macos = for_macos(&packed("MacOS/arki"));
        assert_eq!(macos, r#"{ "bundle": { "macOS": { "files": { "MacOS/arki": "/built/arki" } } } }"#);
        let windows = for_windows(&packed("arki.exe"));
        assert_eq!(windows, r#"{ "bundle": { "resources": { "/built/arki": "arki.exe" } } }"#);
    }
}
