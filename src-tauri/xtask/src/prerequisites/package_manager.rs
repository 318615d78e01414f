//! The package managers of Linux distributions, behind one small surface.

use std::process::Command;

use super::needs::Need;
use crate::{failure::Failure, process};

#[derive(Clone, Copy)]
pub(crate) enum PackageManager {
    Apt,
    Dnf,
    Pacman,
    Zypper,
}

impl PackageManager {
    pub(crate) fn detect() -> Option<Self> {
        [Self::Apt, Self::Dnf, Self::Pacman, Self::Zypper]
            .into_iter()
            .find(|manager| process::find_program(manager.name()).is_some())
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Apt => "apt-get",
            Self::Dnf => "dnf",
            Self::Pacman => "pacman",
            Self::Zypper => "zypper",
        }
    }

    pub(crate) fn packages(self, needs: &[&'static Need]) -> Vec<&'static str> {
        let mut packages: Vec<&str> = Vec::new();
        for need in needs {
            let names = match self {
                Self::Apt => need.packages.apt,
                Self::Dnf => need.packages.dnf,
                Self::Pacman => need.packages.pacman,
                Self::Zypper => need.packages.zypper,
            };
            for name in names.split_whitespace() {
                if !packages.contains(&name) {
                    packages.push(name);
                }
            }
        }
        packages
    }

    pub(crate) fn install(self, packages: &[&str]) -> Result<(), Failure> {
        if matches!(self, Self::Apt) {
            // On a fresh machine no list of packages is there yet. A failing
            // third-party source need not matter, so the installation decides.
            if let Err(failure) = process::run(as_root(self.name()).arg("update")) {
                println!("{failure}\n(going on with the package lists that are there)");
            }
        }
        process::run(as_root(self.name()).args(self.install_arguments()).args(packages))
            .map_err(|failure| failure.hint(self.command_line(packages)))
    }

    pub(crate) fn command_line(self, packages: &[&str]) -> String {
        format!(
            "install them by hand: sudo {} {} {}",
            self.name(),
            self.install_arguments().join(" "),
            packages.join(" ")
        )
    }

    fn install_arguments(self) -> &'static [&'static str] {
        match self {
            // Another installation may be under way: wait for its lock.
            Self::Apt => &["-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends"],
            Self::Dnf => &["install", "-y"],
            Self::Pacman => &["-S", "--needed", "--noconfirm"],
            Self::Zypper => &["--non-interactive", "install"],
        }
    }
}

pub(crate) fn is_root() -> bool {
    process::capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn as_root(program: &str) -> Command {
    // `env` carries the variable through sudo, which drops the others.
    let words = ["env", "DEBIAN_FRONTEND=noninteractive", program];
    if is_root() {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        return command;
    }
    let mut command = Command::new("sudo");
    if super::is_unattended() {
        command.arg("-n");
    }
    command.args(words);
    command
}
