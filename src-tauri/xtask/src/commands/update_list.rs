//! `cargo xtask update-list FOLDER ADDRESS`: writes the list of releases that Arki's updater asks for, `latest.json`, from
//! the signed packages in a folder. ADDRESS is where they will be found.

use std::path::{Path, PathBuf};

use crate::{
    failure::{Context, Failure},
    files,
    repository::Repository,
};

const SIGNATURE: &str = ".sig";
/// By the end of a package's name: the system, the processor's name where the package doesn't say it, and the kind, as the
/// updater calls them.
const KINDS: &[(&str, &str, &str)] = &[
    (".deb", "linux", "deb"),
    (".rpm", "linux", "rpm"),
    (".AppImage", "linux", "appimage"),
    (".app.tar.gz", "darwin", "app"),
    ("-setup.exe", "windows", "nsis"),
];

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    let [folder, address] = arguments else {
        return Err(Failure::new("a folder and an address are needed").hint("`cargo xtask update-list FOLDER ADDRESS`"));
    };
    let folder = PathBuf::from(folder);
    let mut packages = Vec::new();
    for entry in std::fs::read_dir(&folder).context(|| format!("read {}", folder.display()))? {
        let name = entry.context(|| format!("read {}", folder.display()))?.file_name().to_string_lossy().into_owned();
        if let Some(package) = name.strip_suffix(SIGNATURE) {
            packages.push((package.to_owned(), read(&folder.join(&name))?));
        }
    }
    packages.sort();
    let list = list(&version(repository)?, address.trim_end_matches('/'), &packages)?;
    files::write(&folder.join("latest.json"), list)
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).context(|| format!("read {}", file.display()))
}

fn version(repository: &Repository) -> Result<String, Failure> {
    let manifest = read(&repository.root.join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \""));
    line.and_then(|rest| rest.split('"').next())
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("Cargo.toml has no version"))
}

fn list(version: &str, address: &str, packages: &[(String, String)]) -> Result<String, Failure> {
    let mut platforms = Vec::new();
    for (package, signature) in packages {
        let kind = KINDS.iter().find(|(end, ..)| package.ends_with(end));
        let (_, system, kind) = kind.ok_or_else(|| Failure::new(format!("{package} is no kind of package")))?;
        let is_arm = ["aarch64", "arm64"].iter().any(|name| package.contains(name));
        // A build for macOS is one for Apple's processors, and its archive doesn't say so.
        let processor = if is_arm || *system == "darwin" { "aarch64" } else { "x86_64" };
        let signature = signature.trim();
        platforms.push(format!(
            r#"    "{system}-{processor}-{kind}": {{ "url": "{address}/{package}", "signature": "{signature}" }}"#
        ));
    }
    Ok(format!("{{\n  \"version\": \"{version}\",\n  \"platforms\": {{\n{}\n  }}\n}}\n", platforms.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signed_package_is_found_by_its_system_processor_and_kind() {
        let named =
            |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "c2ln\n".to_owned())).collect::<Vec<_>>();
        let packages =
            named(&["Arki_1.2.3_amd64.deb", "Arki-1.2.3-1.aarch64.rpm", "Arki.app.tar.gz", "Arki_x64-setup.exe"]);
        let list = list("1.2.3", "https://example.org/v1", &packages).unwrap_or_default();
        for part in [
            r#""version": "1.2.3""#,
            r#""linux-x86_64-deb": { "url": "https://example.org/v1/Arki_1.2.3_amd64.deb", "signature": "c2ln" }"#,
            r#""linux-aarch64-rpm""#,
            r#""darwin-aarch64-app""#,
            r#""windows-x86_64-nsis""#,
        ] {
            assert!(list.contains(part), "{part} in {list}");
        }
        assert!(super::list("1", "x", &named(&["notes.txt"])).is_err());
    }
}
