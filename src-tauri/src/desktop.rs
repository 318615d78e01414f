//! The process from its start to its end.

use crate::arguments::Asked;
use crate::desktop_state::Shared;
use crate::desktop_words::Words;
use crate::lost_pages::LostPages;
use crate::tray::{Choice, Tray};
use crate::windows::{PageData, Windows};
use crate::{
    arguments, awake, commands, display, drops, log_files, menu_bar, notices, process_environment, tray, updates,
    webkit_threads, windows,
};
use arki_domain::{Error, SessionId};
use arki_engine::{Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, Salvaged};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager, RunEvent, Window, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

/// The interval at which a second start checks whether the first one has started.
const STARTING: Duration = Duration::from_millis(20);

/// Runs the app until its window is closed.
pub fn run() -> ExitCode {
    if let Some(code) = arki_engine::launch_if_asked() {
        return code;
    }
    process_environment::tune_webkit();
    let keys = process_environment::take_keys();
    let words: Vec<String> = std::env::args().collect();
    if let Some(answer) = arguments::answer_without_a_window(&words) {
        println_for_people(&answer);
        return ExitCode::SUCCESS;
    }
    arki_engine::raise_open_files();
    arki_engine::choose_temp_folder();
    arki_engine::protect_this_process();
    if let Some(words) = display::missing() {
        complain(&words);
        return ExitCode::FAILURE;
    }
    match start(words, keys) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            report(&fault);
            ExitCode::FAILURE
        }
    }
}

fn start(words: Vec<String>, keys: EnvironmentKeys) -> Result<(), Error> {
    let directories = Directories::from_environment()?;
    let asked = arguments::asked(words, &std::env::current_dir().unwrap_or_default());
    arki_engine::keep_crash_reports(&directories, "arki-desktop");
    let identifier = identifier(&directories);
    let pages = directories.make_pages();
    // While the webview starts, which takes longer.
    let engine = std::thread::spawn(move || open_engine(&directories, keys));
    std::thread::spawn(Engine::look_for_sandboxes);
    let mut context = tauri::generate_context!();
    context.config_mut().identifier = identifier.clone();
    let single = tauri_plugin_single_instance::Builder::new()
        .dbus_id(identifier)
        .callback(|app, words, directory| take_over(app, words, &directory))
        .build();
    let builder = tauri::Builder::default();
    #[cfg(target_os = "macos")]
    let builder =
        builder.on_web_content_process_terminate(|page| lost_pages::bring_back(page.app_handle(), page.label()));
    builder
        .plugin(single)
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(windows::kept())
        .plugin(tauri_plugin_updater::Builder::new().build())
        .manage(updates::Found::default())
        .manage(Windows::default())
        .manage(PageData(pages))
        .manage(LostPages::default())
        .on_window_event(hear)
        .on_menu_event(|app, event| choose(app, event.id().as_ref()))
        .invoke_handler(tauri::generate_handler![commands::call])
        .setup(move |app| {
            let window = windows::open_main(app.handle()).map_err(|error| windows::unavailable(&error));
            let opened = engine.join().unwrap_or_else(|_| Err(Error::internal("the engine could not start")));
            let engine = match window.and(opened) {
                Ok(engine) => engine,
                // Tauri would make a panic of an error that is handed back here.
                Err(fault) => {
                    report(&fault);
                    app.handle().exit(1);
                    return Ok(());
                }
            };
            // No command comes before: this thread takes them up.
            let begins = if let Asked::Folder(_) = asked { asked.clone() } else { Asked::Nothing };
            app.state::<Windows>().add(windows::MAIN, &engine, begins.into());
            let awake = Arc::new(awake::Awake::default());
            let words = Arc::new(Words::default());
            let tray = Arc::new(Tray::new(app.handle(), words.clone()));
            app.manage(Shared { engine: engine.clone(), awake: awake.clone(), tray: tray.clone(), words });
            tauri::async_runtime::spawn(awake.follow_runs(engine.clone()));
            tauri::async_runtime::spawn(tray.follow(engine.clone()));
            tauri::async_runtime::spawn(notices::show_from_now_on(app.handle().clone(), engine.clone()));
            // Windows come and go.
            let keeper = Client::attach(&engine, "window", ClientCapabilities { answers: true, stays: true });
            tauri::async_runtime::spawn(async move {
                keeper.expire_waiting();
                keeper.keep_schedules().await;
            });
            if let Asked::Session(_) = asked {
                let app = app.handle().clone();
                tauri::async_runtime::spawn(async move { serve(&app, asked).await });
            }
            if let Err(fault) = engine.follow_others() {
                tracing::warn!(%fault, "what other processes do is not shown at once");
            }
            let telemetry = engine.telemetry().clone();
            tauri::async_runtime::spawn(async move { telemetry.keep_sending().await });
            let tidying = engine.clone();
            tauri::async_runtime::spawn(async move { tidying.retention().keep_tidy().await });
            if !has_terminal() {
                tauri::async_runtime::spawn(arki_engine::learn_login_path());
            }
            if let Some(salvaged) = engine.salvaged() {
                tell_of_salvage(app.handle(), salvaged);
            }
            Ok(())
        })
        .build(context)
        .map_err(|error| windows::unavailable(&error))?
        .run(|app, event| match event {
            RunEvent::Exit => end(app),
            // No window is left; an end that somebody asks for has a code.
            RunEvent::ExitRequested { code: None, api, .. } => tray::stay(app, &api),
            // By a link or a folder dropped on the icon.
            #[cfg(target_os = "macos")]
            RunEvent::Opened { urls } => urls.iter().for_each(|url| open_url(app, url)),
            // By the Dock, while the tray keeps it without one.
            #[cfg(target_os = "macos")]
            RunEvent::Reopen { has_visible_windows: false, .. } => tray::carry_out(app, Choice::Show),
            _ => {}
        });
    Ok(())
}

fn open_engine(directories: &Directories, environment_keys: EnvironmentKeys) -> Result<Arc<Engine>, Error> {
    let options = EngineOptions { directories: directories.clone(), ephemeral: false, environment_keys };
    let engine = Engine::open(options)?;
    log_files::start(directories);
    Ok(engine)
}

/// Runs are stopped as if by the user, so that what has arrived is kept and no command outlives the window.
fn end(app: &AppHandle) {
    let Some(desktop) = app.try_state::<Shared>() else { return };
    let engine = desktop.engine.clone();
    tauri::async_runtime::block_on(engine.runs().stop_all());
    tauri::async_runtime::block_on(engine.log_anchors().finish_anchoring());
    if let Err(fault) = engine.close() {
        tracing::warn!(%fault, "the database was not closed cleanly");
    }
}

/// Said once, in a dialog: it must not be overlooked.
fn tell_of_salvage(app: &AppHandle, salvaged: &Salvaged) {
    let words = salvaged.words();
    tracing::warn!(words, "the database was damaged");
    app.dialog().message(words).title("Arki").kind(MessageDialogKind::Warning).show(|_| {});
}

/// Returns whether the app was started from a command line. Its PATH is the user's then.
fn has_terminal() -> bool {
    std::io::stdin().is_terminal() || std::io::stdout().is_terminal() || std::io::stderr().is_terminal()
}

/// A second start hands its folder to this one.
fn take_over(app: &AppHandle, words: Vec<String>, directory: &str) {
    let asked = arguments::asked(words, Path::new(directory));
    let app = app.clone();
    tauri::async_runtime::spawn(async move { serve(&app, asked).await });
}

/// Shows what is asked for from outside.
async fn serve(app: &AppHandle, asked: Asked) {
    // This process may be starting itself.
    while app.try_state::<Shared>().is_none() {
        tokio::time::sleep(STARTING).await;
    }
    let engine = app.state::<Shared>().engine.clone();
    match asked {
        Asked::Folder(folder) => windows::show_folder(app, &engine, &folder).await,
        Asked::Session(session) => match known(&engine, session.clone()).await {
            Ok(()) => windows::show_session(app, &engine, &session),
            Err(fault) => {
                windows::focus(app);
                app.dialog().message(format!("{} {}", fault.message, fault.hint)).title("Arki").show(|_| {});
            }
        },
        Asked::Nothing => windows::show(app, &engine),
    }
}

#[cfg(target_os = "macos")]
fn open_url(app: &AppHandle, url: &tauri::Url) {
    let (app, asked) = (app.clone(), arguments::asked_by_url(url.as_str()));
    tauri::async_runtime::spawn(async move { serve(&app, asked).await });
}

/// A link may lead to a session of another computer, or to one that was removed.
async fn known(engine: &Arc<Engine>, session: SessionId) -> Result<(), Error> {
    let engine = engine.clone();
    let looked =
        tauri::async_runtime::spawn_blocking(move || engine.session_names().find_session(session.as_str()).map(|_| ()));
    looked.await.map_err(Error::internal)?
}

/// Passes on an event of a window.
fn hear(window: &Window, event: &WindowEvent) {
    let windows = window.state::<Windows>();
    match event {
        WindowEvent::DragDrop(event) => drops::hear(window, event),
        WindowEvent::Focused(true) => {
            windows.comes_to_front(window.label());
            webkit_threads::calm_soon();
        }
        WindowEvent::Destroyed => windows.remove(window.label()),
        _ => {}
    }
}

/// Passes on what was chosen in a menu of the system.
fn choose(app: &AppHandle, id: &str) {
    let Some(shared) = app.try_state::<Shared>() else { return };
    match (menu_bar::command_of(id), Choice::of(id)) {
        (Some(command), _) => windows::run_command(app, &shared.engine, command),
        (_, Some(choice)) => tray::carry_out(app, choice),
        // An item that is the system's own.
        _ => {}
    }
}

/// One instance a data directory: the default one has the app's own name, another one has a name of its own.
fn identifier(directories: &Directories) -> String {
    const BASE: &str = "org.arki.desktop";
    if std::env::var_os("ARKI_DATA_DIR").is_none() {
        return BASE.to_owned();
    }
    let hash = arki_domain::sha256_hex(directories.data.to_string_lossy().as_bytes());
    format!("{BASE}.d{}", &hash[..12])
}

fn report(fault: &Error) {
    complain(&format!("error[{}]: {}\nhint: {}", fault.code, fault.message, fault.hint));
}

/// Prints an error. Without a window this is all that people see.
fn complain(words: &str) {
    #[allow(clippy::print_stderr)]
    {
        eprintln!("{words}");
    }
}

fn println_for_people(answer: &str) {
    #[allow(clippy::print_stdout)]
    {
        println!("{answer}");
    }
}
