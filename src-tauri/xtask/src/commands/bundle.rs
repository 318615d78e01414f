//! `cargo xtask bundle`: installers for the system it runs on, of the programs as they are shipped.
//!
//! On Linux they bring `arki` beside the app, with its manual pages and completions.

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

/// The shells for which there are completions, and where packages put those.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "usr/share/bash-completion/completions/arki"),
    ("fish", "usr/share/fish/vendor_completions.d/arki.fish"),
    ("zsh", "usr/share/zsh/vendor-completions/_arki"),
];

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
    if cfg!(target_os = "linux") {
        let config = beside(repository, &repository.binary(dist::PROFILE, "arki"))?;
        let bundles = if wants_appimage { format!("{LINUX_BUNDLES},appimage") } else { LINUX_BUNDLES.to_owned() };
        command.args(["--bundles", &bundles, "--config"]).arg(config);
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

/// Writes what a package has beside the app, and returns the configuration that names it.
fn beside(repository: &Repository, arki: &Path) -> Result<PathBuf, Failure> {
    let folder = repository.target.join("bundle");
    files::remove_folder(&folder)?;
    let manual = folder.join("man");
    files::create_folder(&manual)?;
    process::run(Command::new(arki).args(["man", "--out"]).arg(&manual))?;
    let mut packed = vec![("usr/bin/arki".to_owned(), arki.to_owned())];
    for (shell, place) in COMPLETIONS {
        let script = folder.join(shell);
        files::write(&script, process::capture(Command::new(arki).args(["completions", shell]))?)?;
        packed.push(((*place).to_owned(), script));
    }
    for page in files::read_tree(&manual, &[])?.into_keys() {
        process::run(Command::new("gzip").args(["--best", "--no-name"]).arg(manual.join(&page)))?;
        packed.push((format!("usr/share/man/man1/{page}.gz"), manual.join(format!("{page}.gz"))));
    }
    packed.push(("usr/share/doc/arki/copyright".to_owned(), repository.root.join("LICENSE")));
    let config = folder.join("config.json");
    let entry = folder.join("arki.desktop");
    files::write(&entry, ENTRY)?;
    files::write(&config, configuration(&entry, &packed))?;
    Ok(config)
}

/// Both kinds of package recommend the program of the stronger of the two sandboxes.
fn configuration(entry: &Path, packed: &[(String, PathBuf)]) -> String {
    let line =
        |(place, file): &(String, PathBuf)| format!("{:?}: {:?}", format!("/{place}"), file.display().to_string());
    let packed = packed.iter().map(line).collect::<Vec<_>>().join(", ");
    let entry = entry.display().to_string();
    let both = format!(r#""recommends": ["bubblewrap"], "desktopTemplate": {entry:?}, "files": {{ {packed} }}"#);
    format!(
        r#"{{ "bundle": {{ "linux": {{ "deb": {{ "section": "devel", {both} }}, "rpm": {{ {both} }}, "appimage": {{ "files": {{ {packed} }} }} }} }} }}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_each_file_with_its_place() {
        let packed = [("usr/bin/arki".to_owned(), PathBuf::from("/built/arki"))];
        let config = configuration(Path::new("/built/arki.desktop"), &packed);
        assert!(config.contains(r#""/usr/bin/arki": "/built/arki""#), "{config}");
        assert_eq!(config.matches(r#""recommends": ["bubblewrap"]"#).count(), 2);
    }
}
