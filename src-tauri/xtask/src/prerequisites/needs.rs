//! The list of needs, each with its reason and its name in each distribution.

use std::path::Path;
use std::process::Command;

use super::Purpose;
use crate::process;

pub(crate) struct Need {
    pub(crate) probe: Probe,
    pub(crate) why: &'static str,
    pub(crate) purpose: Purpose,
    pub(crate) packages: Packages,
}

/// Package names, separated by spaces; a path stands for the package that
/// holds it, where the manager can find that out by itself.
pub(crate) struct Packages {
    pub(crate) apt: &'static str,
    pub(crate) dnf: &'static str,
    pub(crate) pacman: &'static str,
    pub(crate) zypper: &'static str,
}

pub(crate) enum Probe {
    Program(&'static str),
    /// A library by its name in `pkg-config`.
    Library(&'static str),
    File(&'static str),
}

impl Probe {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Program(name) | Self::Library(name) | Self::File(name) => name,
        }
    }

    pub(crate) fn is_met(&self) -> bool {
        match self {
            Self::Program(name) => process::find_program(name).is_some(),
            Self::Library(name) => process::succeeds(Command::new("pkg-config").args(["--exists", name])),
            Self::File(path) => Path::new(path).exists(),
        }
    }
}

pub(crate) const NEEDS: &[Need] = &[
    Need {
        probe: Probe::Program("cc"),
        why: "C compiler: SQLite and the shell parser are C, and Rust links with it",
        purpose: Purpose::Build,
        packages: Packages { apt: "gcc libc6-dev", dnf: "gcc", pacman: "gcc", zypper: "gcc" },
    },
    Need {
        probe: Probe::Program("pkg-config"),
        why: "finds the webview's libraries",
        purpose: Purpose::Build,
        packages: Packages { apt: "pkg-config", dnf: "pkgconf-pkg-config", pacman: "pkgconf", zypper: "pkg-config" },
    },
    Need {
        probe: Probe::Library("webkit2gtk-4.1"),
        why: "the webview that draws the window",
        purpose: Purpose::Build,
        packages: Packages {
            apt: "libwebkit2gtk-4.1-dev",
            dnf: "webkit2gtk4.1-devel",
            pacman: "webkit2gtk-4.1",
            zypper: "webkit2gtk3-devel",
        },
    },
    Need {
        probe: Probe::Program("git"),
        why: "tests work on real repositories",
        purpose: Purpose::Test,
        packages: Packages { apt: "git", dnf: "git-core", pacman: "git", zypper: "git-core" },
    },
    Need {
        probe: Probe::Program("bwrap"),
        why: "the sandbox that commands run in",
        purpose: Purpose::Test,
        packages: Packages { apt: "bubblewrap", dnf: "bubblewrap", pacman: "bubblewrap", zypper: "bubblewrap" },
    },
    Need {
        probe: Probe::Program("Xvfb"),
        why: "a display for the window tests",
        purpose: Purpose::Test,
        packages: Packages {
            apt: "xvfb",
            dnf: "xorg-x11-server-Xvfb",
            pacman: "xorg-server-xvfb",
            zypper: "xorg-x11-server-Xvfb",
        },
    },
    Need {
        probe: Probe::Program("WebKitWebDriver"),
        why: "drives the window in the window tests",
        purpose: Purpose::Test,
        packages: Packages {
            apt: "webkit2gtk-driver",
            dnf: "/usr/bin/WebKitWebDriver",
            pacman: "webkit2gtk-4.1",
            zypper: "/usr/bin/WebKitWebDriver",
        },
    },
    Need {
        probe: Probe::Program("chromium"),
        why: "a browser for the window in a browser",
        purpose: Purpose::Test,
        packages: Packages { apt: "chromium", dnf: "chromium", pacman: "chromium", zypper: "chromium" },
    },
    Need {
        probe: Probe::Program("chromedriver"),
        why: "drives that browser",
        purpose: Purpose::Test,
        packages: Packages { apt: "chromium-driver", dnf: "chromedriver", pacman: "chromium", zypper: "chromedriver" },
    },
    Need {
        probe: Probe::Program("gnome-keyring-daemon"),
        why: "a keychain of the tests' own",
        purpose: Purpose::Test,
        packages: Packages {
            apt: "gnome-keyring",
            dnf: "gnome-keyring",
            pacman: "gnome-keyring",
            zypper: "gnome-keyring",
        },
    },
    Need {
        probe: Probe::File("/usr/share/hunspell/en_US.dic"),
        why: "a dictionary, for the spelling of messages",
        purpose: Purpose::Test,
        packages: Packages {
            apt: "hunspell-en-us",
            dnf: "hunspell-en-US",
            pacman: "hunspell-en_us",
            zypper: "myspell-en_US",
        },
    },
    Need {
        probe: Probe::Program("pip3"),
        why: "installs the model servers that the tests talk to",
        purpose: Purpose::Test,
        packages: Packages { apt: "python3-pip", dnf: "python3-pip", pacman: "python-pip", zypper: "python3-pip" },
    },
    Need {
        probe: Probe::Program("curl"),
        why: "runs the lines of docs/http.md",
        purpose: Purpose::Test,
        packages: Packages { apt: "curl", dnf: "curl", pacman: "curl", zypper: "curl" },
    },
    Need {
        probe: Probe::Program("jq"),
        why: "runs the lines of docs/http.md",
        purpose: Purpose::Test,
        packages: Packages { apt: "jq", dnf: "jq", pacman: "jq", zypper: "jq" },
    },
    Need {
        probe: Probe::Program("dbus-run-session"),
        why: "a session bus of the tests' own",
        purpose: Purpose::Test,
        packages: Packages { apt: "dbus-daemon", dnf: "dbus-daemon", pacman: "dbus", zypper: "dbus-1-daemon" },
    },
    Need {
        probe: Probe::Program("valgrind"),
        why: "records which functions a start of `arki` calls",
        purpose: Purpose::Dist,
        packages: Packages { apt: "valgrind", dnf: "valgrind", pacman: "valgrind", zypper: "valgrind" },
    },
    Need {
        probe: Probe::Program("x86_64-w64-mingw32-gcc"),
        why: "compiles the C parts for Windows",
        purpose: Purpose::CheckWindows,
        packages: Packages {
            apt: "gcc-mingw-w64-x86-64-win32",
            dnf: "mingw64-gcc",
            pacman: "mingw-w64-gcc",
            zypper: "mingw64-cross-gcc",
        },
    },
    Need {
        probe: Probe::Program("x86_64-w64-mingw32-windres"),
        why: "puts the icon into the Windows program",
        purpose: Purpose::CheckWindows,
        packages: Packages {
            apt: "binutils-mingw-w64-x86-64",
            dnf: "mingw64-binutils",
            pacman: "mingw-w64-binutils",
            zypper: "mingw64-cross-binutils",
        },
    },
];

pub(crate) const WINE: Need = Need {
    probe: Probe::Program("wine"),
    why: "runs tests of what is Windows' own",
    purpose: Purpose::CheckWindows,
    packages: Packages { apt: "wine wine64", dnf: "wine-core", pacman: "wine", zypper: "wine" },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_names_a_package_for_every_manager() {
        for need in NEEDS {
            let Packages { apt, dnf, pacman, zypper } = need.packages;
            for packages in [apt, dnf, pacman, zypper] {
                assert!(!packages.trim().is_empty(), "{} lacks a package", need.probe.name());
            }
        }
    }
}
