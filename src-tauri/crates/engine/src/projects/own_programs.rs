//! The user's editor and terminal, opened where they look at. A path leads no further than the open folder.

use crate::{Accounts, Projects, Records, list_agents, list_skills};
use arki_domain::{Code, Error};
use arki_files::Project;
use arki_process::{own_program, start_own};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Editors with a window of their own that take a file or folder, the most chosen first.
const EDITORS: &[&str] = &[
    "code",
    "cursor",
    "zed",
    "zeditor",
    "codium",
    "windsurf",
    "subl",
    "idea",
    "rustrover",
    "pycharm",
    "webstorm",
    "gnome-text-editor",
    "kate",
    "gedit",
    "mousepad",
    "xed",
    "pluma",
    "bbedit",
    "mate",
    "notepad++",
    "notepad",
];

/// A terminal, and what it is told of its folder, where it doesn't begin in the folder it is started in.
#[cfg(not(any(windows, target_os = "macos")))]
const TERMINALS: &[(&str, &[&str])] = &[
    ("xdg-terminal-exec", &[]),
    ("x-terminal-emulator", &[]),
    ("ptyxis", &["--new-window", "--working-directory=DIR"]),
    ("kgx", &["--working-directory=DIR"]),
    ("gnome-terminal", &["--working-directory=DIR"]),
    ("konsole", &["--workdir", "DIR"]),
    ("xfce4-terminal", &["--working-directory=DIR"]),
    ("ghostty", &["--working-directory=DIR"]),
    ("kitty", &[]),
    ("alacritty", &[]),
    ("foot", &[]),
    ("wezterm", &["start", "--cwd", "DIR"]),
    ("xterm", &[]),
];
#[cfg(target_os = "macos")]
const TERMINALS: &[(&str, &[&str])] = &[("open", &["-a", "Terminal", "DIR"])];
#[cfg(windows)]
const TERMINALS: &[(&str, &[&str])] = &[("wt", &["-d", "DIR"]), ("powershell", &[]), ("cmd", &[])];

/// Opens the user's own programs.
pub struct OwnPrograms {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
}

impl OwnPrograms {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>, projects: Arc<Projects>) -> Self {
        Self { records, accounts, projects }
    }

    /// Opens the folder, or a file of it, in the editor that is configured (`window.editor`), else in the first that is
    /// found. Blocking.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND`, those of paths that lead out of the folder, and `COMMAND_SPAWN_FAILED` where there is no editor.
    pub fn open_in_editor(&self, folder: &Path, path: Option<&str>) -> Result<(), Error> {
        self.edit(&self.place_in(folder, path)?, folder)
    }

    /// Opens a file that a hook, an agent or a skill comes from: of the folder, or of the user's own. Blocking.
    ///
    /// # Errors
    /// As of [`Self::open_in_editor`]; `FILE_NOT_FOUND` for any other file.
    pub fn open_configured(&self, folder: Option<&Path>, path: &str) -> Result<(), Error> {
        if let Some(folder) = folder.filter(|_| !Path::new(path).is_absolute()) {
            return self.open_in_editor(folder, Some(path));
        }
        let file = self.records.directories().config_file();
        let is_config = Path::new(path) == file;
        let is_skill = || -> Result<bool, Error> {
            Ok(list_skills(&self.projects, folder)?.skills.iter().any(|skill| skill.origin == path))
        };
        let is_agent = || -> Result<bool, Error> {
            let agents = list_agents(&self.projects, folder)?.agents;
            Ok(agents.iter().flat_map(|agent| &agent.origins).any(|at| at == path))
        };
        if !(is_config || is_skill()? || is_agent()?) || !Path::new(path).is_file() {
            let message = format!("{path} no longer exists.");
            return Err(Error::new(Code::FILE_NOT_FOUND, message, "It may have been moved or deleted."));
        }
        let beside = Path::new(path).parent().unwrap_or(Path::new(path));
        self.edit(Path::new(path), folder.unwrap_or(beside))
    }

    /// `folder` is where the editor is started, and no place for a program.
    fn edit(&self, place: &Path, folder: &Path) -> Result<(), Error> {
        let configured = self.accounts.user_config()?.window.editor;
        let editor = match &configured {
            Some(name) => self.program(name, folder),
            None => EDITORS.iter().find_map(|name| self.program(name, folder)),
        };
        let Some(editor) = editor else {
            let message = match configured {
                Some(name) => format!("The editor {name:?} was not found."),
                None => "No editor was found.".to_owned(),
            };
            let hint = "Name one that is on your PATH in Settings (window.editor), such as code or zed.";
            return Err(Error::new(Code::COMMAND_SPAWN_FAILED, message, hint));
        };
        start(&editor, &[place.as_os_str().to_owned()], folder)
    }

    /// Opens a terminal in the folder. Blocking.
    ///
    /// # Errors
    /// When the folder can't be opened, and `COMMAND_SPAWN_FAILED` where there is no terminal.
    pub fn open_terminal(&self, folder: &Path) -> Result<(), Error> {
        let place = self.place_in(folder, None)?;
        let own = std::env::var("TERMINAL").ok().and_then(|name| self.program(&name, folder));
        let own = own.map(|program| (program, Vec::new()));
        let known = || {
            let found = |(name, told): &(&str, &[&str])| {
                let told = told.iter().map(|word| OsString::from(word.replace("DIR", &place.display().to_string())));
                Some((self.program(name, folder)?, told.collect()))
            };
            TERMINALS.iter().find_map(found)
        };
        let Some((terminal, told)) = own.or_else(known) else {
            let hint = "Install a terminal, or name one in the environment variable TERMINAL.";
            return Err(Error::new(Code::COMMAND_SPAWN_FAILED, "No terminal was found.", hint));
        };
        start(&terminal, &told, &place)
    }

    /// Returns a program of the user's; none from this folder or another that was opened, where commands may have written it.
    fn program(&self, name: &str, folder: &Path) -> Option<PathBuf> {
        let opened = self.projects.recent_projects();
        let writable: Vec<&Path> = opened.iter().map(Path::new).chain([folder]).collect();
        own_program(name, &writable)
    }

    /// Returns the full path of something in a folder, or of the folder itself without a path. It exists. Blocking.
    ///
    /// # Errors
    /// `FOLDER_UNAVAILABLE`, `FILE_NOT_FOUND`, and those of paths that lead out of the folder.
    pub fn place_in(&self, folder: &Path, path: Option<&str>) -> Result<PathBuf, Error> {
        let project = Project::open(folder)?;
        let Some(path) = path else { return Ok(project.root().to_owned()) };
        let inside = project.resolve(path)?;
        if project.kind(&inside)?.is_none() {
            let message = format!("{path} no longer exists.");
            return Err(Error::new(Code::FILE_NOT_FOUND, message, "It may have been moved or deleted."));
        }
        Ok(project.root().join(inside.to_string()))
    }
}

fn start(program: &Path, arguments: &[OsString], folder: &Path) -> Result<(), Error> {
    start_own(program, arguments, folder).map_err(|error| {
        let message = format!("{} can't be started: {}.", program.display(), arki_domain::io_words(error.kind()));
        Error::new(Code::COMMAND_SPAWN_FAILED, message, "Choose another program.")
    })
}
