//! The programs and libraries that the machine must have besides Rust and Node.js, and how to get them.
//!
//! A need is probed by what it provides (a program, a library), not by the
//! package's name, so a machine set up by other means is left alone. What is
//! missing is installed with the machine's own package manager.

mod needs;
mod package_manager;

use std::{
    env,
    io::{self, BufRead, IsTerminal, Write},
};

pub(crate) use needs::WINE;
use needs::{NEEDS, Need};
use package_manager::PackageManager;

use crate::{failure::Failure, steps::Outcome};

/// The purpose of the check; later ones contain the earlier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Build,
    /// Building what is shipped.
    Dist,
    Test,
    CheckWindows,
}

impl Purpose {
    fn includes(self, other: Self) -> bool {
        self == other || other == Self::Build
    }
}

pub(crate) fn ensure(purpose: Purpose) -> Result<Outcome, Failure> {
    if !cfg!(target_os = "linux") {
        return elsewhere();
    }
    let missing = missing(purpose);
    if missing.is_empty() {
        return Ok(Outcome::Skipped("everything is installed".into()));
    }
    println!("This machine lacks:");
    for need in &missing {
        println!("  {:<28} {}", need.probe.name(), need.why);
    }
    let Some(manager) = PackageManager::detect() else {
        return Err(Failure::new("no known package manager (apt-get, dnf, pacman, zypper) was found")
            .hint("install what is listed above by hand, then start again"));
    };
    let packages = manager.packages(&missing);
    println!(
        "{} will install: {}\nThis downloads up to 150 MB and takes one to three minutes.",
        manager.name(),
        packages.join(" ")
    );
    agree(manager, &packages)?;
    manager.install(&packages)?;
    still_missing(purpose, manager)
}

/// Installs something optional where it can be had. Returns whether it is there now.
pub(crate) fn wish_for(wish: &'static Need) -> bool {
    if wish.probe.is_met() {
        return true;
    }
    let Some(manager) = PackageManager::detect().filter(|_| cfg!(target_os = "linux")) else { return false };
    let packages = manager.packages(&[wish]);
    println!("This machine lacks {}: {}. Installing {}.", wish.probe.name(), wish.why, packages.join(" "));
    let installed = agree(manager, &packages).and_then(|()| manager.install(&packages));
    if let Err(failure) = installed {
        println!("{failure}");
    }
    wish.probe.is_met()
}

fn missing(purpose: Purpose) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| purpose.includes(need.purpose) && !need.probe.is_met()).collect()
}

fn still_missing(purpose: Purpose, manager: PackageManager) -> Result<Outcome, Failure> {
    let names: Vec<&str> = missing(purpose).iter().map(|need| need.probe.name()).collect();
    if names.is_empty() {
        return Ok(Outcome::Done);
    }
    Err(Failure::new(format!("after the installation these are still missing: {}", names.join(", ")))
        .hint(format!("{} may name their packages differently here: install them by hand", manager.name())))
}

/// Asks where somebody can answer; without a terminal the caller has already
/// decided (a build machine), and `sudo -n` cannot hang on a password.
fn agree(manager: PackageManager, packages: &[&str]) -> Result<(), Failure> {
    if package_manager::is_root() || is_unattended() {
        return Ok(());
    }
    print!("Install them now with sudo? [Y/n] ");
    let mut answer = String::new();
    let read = io::stdout().flush().and_then(|()| io::stdin().lock().read_line(&mut answer));
    let answer = answer.trim().to_ascii_lowercase();
    if read.is_ok_and(|bytes| bytes > 0) && matches!(answer.as_str(), "" | "y" | "yes") {
        return Ok(());
    }
    Err(Failure::new("nothing was installed").hint(manager.command_line(packages)))
}

fn is_unattended() -> bool {
    env::var_os("CI").is_some() || !io::stdin().is_terminal()
}

#[cfg(target_os = "macos")]
fn elsewhere() -> Result<Outcome, Failure> {
    if crate::process::succeeds(std::process::Command::new("xcode-select").arg("-p")) {
        return Ok(Outcome::Skipped("Xcode's command line tools are installed".into()));
    }
    Err(Failure::new("Xcode's command line tools are missing: Rust links with them")
        .hint("run `xcode-select --install` (some minutes); Node.js comes with `brew install node`"))
}

#[cfg(not(target_os = "macos"))]
fn elsewhere() -> Result<Outcome, Failure> {
    // Rust for Windows is no use without a linker, so that one is there. The
    // webview is part of Windows 11 and of an updated Windows 10.
    Ok(Outcome::Skipped(
        "nothing to check here. If the window stays away, install the webview: \
         `winget install Microsoft.EdgeWebView2Runtime`"
            .into(),
    ))
}
