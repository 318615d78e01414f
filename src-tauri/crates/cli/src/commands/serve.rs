//! `arki serve`: the engine over HTTP, for programs on this computer and, with `--ui`, the window for browsers. `arki
//! acp`: the engine as an editor's agent.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, word_of};
use arki_api::{Pairing, TokenRights};
use arki_domain::Error;
use arki_engine::Engine;
use arki_server::{PublicUrl, ServeOptions, SignInLinks, TlsFiles, serve};
use clap::Args;
use serde::Serialize;
use std::io::{BufRead, IsTerminal};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Serve programs over HTTP until interrupted: runs, approvals, events and every command of the window.
/// Print the address and where the token lies; with `--ui`, also a link that signs a browser in
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The port; default: 4870 or, where that is taken, any
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Serve the window to browsers too. The link that is printed signs one in, once and within five minutes; Enter prints
    /// another
    #[arg(long, conflicts_with_all = ["pair", "tokens", "withdraw"])]
    ui: bool,
    /// Listen at this IP address instead of loopback. If other computers can reach it, `--tls-cert` and `--tls-key` are
    /// needed; keys, trust, configuration, rules, MCP servers and the mode `all` stay out of their reach
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["pair", "tokens", "withdraw"])]
    listen: Option<IpAddr>,
    /// The certificate (PEM), followed by those that it rests on
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with_all = ["pair", "tokens", "withdraw"])]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Also answer under this address, to which a proxy leads: exactly this host, below this path
    #[arg(long, value_name = "URL", value_parser = PublicUrl::parse, conflicts_with_all = ["pair", "tokens", "withdraw"])]
    public_url: Option<PublicUrl>,
    /// Make a further token with fewer rights and print it this once: `read` sees, `decide` also answers, approves what
    /// was shown, steers and stops
    #[arg(long, value_name = "RIGHTS", value_parser = rights, conflicts_with_all = ["port", "tokens", "withdraw"])]
    pair: Option<TokenRights>,
    /// List the further tokens; with `--withdraw`, those that remain
    #[arg(long, conflicts_with = "port")]
    tokens: bool,
    /// Withdraw a further token: it is refused from now on, also by a running server
    #[arg(long, value_name = "ID", conflicts_with = "port")]
    withdraw: Option<String>,
}

fn rights(text: &str) -> Result<TokenRights, String> {
    match text {
        "read" => Ok(TokenRights::Read),
        "decide" => Ok(TokenRights::Decide),
        _ => Err("use `read` or `decide`".to_owned()),
    }
}

/// A token that was just made.
#[derive(Serialize)]
struct MadeToken {
    #[serde(flatten)]
    pairing: Pairing,
    token: String,
}

pub(crate) async fn run(engine: &Arc<Engine>, arguments: &ServeArguments, output: &Printer) -> CommandExit {
    let pairings = engine.pairings();
    if let Some(rights) = arguments.pair {
        let (pairing, token) = pairings.pair(rights)?;
        let id = pairing.id.clone();
        output.tell(&MadeToken { pairing, token: token.clone() }, || token);
        output.aside(format!("This is shown once. `arki serve --withdraw {id}` withdraws it."));
        return Ok(Exit::Done);
    }
    if let Some(id) = &arguments.withdraw {
        pairings.withdraw(id)?;
        output.aside(format!("Withdrawn: {id}"));
    }
    if arguments.tokens {
        let listed = pairings.list()?;
        output.aside_if_empty(&listed, "There are no further tokens.");
        for pairing in listed {
            let whose = if pairing.browser { "  browser" } else { "" };
            output.tell(&pairing, || format!("{}  {}{whose}", pairing.id, word_of(pairing.rights)));
        }
    }
    if arguments.tokens || arguments.withdraw.is_some() {
        return Ok(Exit::Done);
    }
    serving(engine, arguments, output).await
}

async fn serving(engine: &Arc<Engine>, arguments: &ServeArguments, output: &Printer) -> CommandExit {
    let certificate = arguments.tls_cert.clone().zip(arguments.tls_key.clone());
    let options = ServeOptions {
        port: arguments.port,
        listen: arguments.listen,
        tls: certificate.map(|(certificate, key)| TlsFiles { certificate, key }),
        public_url: arguments.public_url.clone(),
        window: if arguments.ui { Some(window_folder()?) } else { None },
    };
    let served = serve(engine, &options).await?;
    // Heard from now on: whoever reads the address may end the server at once.
    let ended = asked_to_end()?;
    let at = served.at();
    output.tell(at, || at.url.clone());
    output.aside(format!("The token is in {}. Ctrl+C ends the server.", at.token_file));
    if let Some(link) = &at.sign_in {
        output.aside(link_words(link));
        tell_links_at_enter(served.sign_ins());
    }
    served.run(ended).await;
    Ok(Exit::Done)
}

fn link_words(link: &str) -> String {
    format!("Open this in a browser, once and within five minutes:\n{link}")
}

/// On a terminal alone: what is piped in isn't meant for it.
fn tell_links_at_enter(links: SignInLinks) {
    if !std::io::stdin().is_terminal() {
        return;
    }
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(Some(link)) = links.link() else { return };
            anstream::eprintln!("{}", link_words(&link));
        }
    });
}

/// Works for an editor, until either ends.
pub(crate) async fn acp(engine: &Arc<Engine>) -> CommandExit {
    let end = asked_to_end()?;
    arki_acp::serve(engine, tokio::io::stdin(), tokio::io::stdout(), end).await?;
    Ok(Exit::Done)
}

/// The places of the window's files, from the folder of `arki` itself: beside it (Windows), in Linux' packages, in the
/// app's bundle (macOS), and in the repository that it was built in.
const PLACES: [&str; 4] = ["ui", "../share/arki/ui", "../Resources/ui", "../../ui/dist"];

/// The folder of the window's files: where the installers put it, or where it was built.
///
/// # Errors
/// `USAGE` where it was installed without the window.
fn window_folder() -> Result<PathBuf, Error> {
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).map_err(Error::internal)?;
    let folder = program.parent().unwrap_or(&program);
    let places = PLACES.iter().map(|place| folder.join(place));
    places.into_iter().find(|place| place.join("index.html").is_file()).ok_or_else(|| {
        let message = "The window's files aren't where `arki` is installed.";
        wrong_use(message, "Install Arki with its installer, or build them: `npm run build -w ui`.")
    })
}

/// Ends when the user or the system asks for it, from when this returns.
#[cfg(unix)]
fn asked_to_end() -> Result<impl Future<Output = ()> + Send, Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt()).map_err(Error::internal)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(Error::internal)?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_end() -> Result<impl Future<Output = ()> + Send, Error> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
