//! `arki queue`: what waits to be said in a session.

use crate::arguments::one_of;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::Sent;
use arki_domain::projection::QueuedMessage;
use arki_domain::{Error, QueueMode, SessionId};
use arki_engine::{Engine, refuse_last};
use clap::Subcommand;

const MODES: [(&str, QueueMode); 2] = [("steer", QueueMode::Steer), ("follow-up", QueueMode::FollowUp)];

/// List, add, edit, move or remove queued messages
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// List the queued messages in the order they will be sent
    List {
        /// The id of a session or run
        session: String,
    },
    /// Add a message at the end
    Add {
        /// The id of a session or run
        session: String,
        /// The message
        text: String,
        /// Send it as the next prompt after this run (follow-up), or at the run's next turn (steer)
        #[arg(long, default_value = "follow-up", value_parser = one_of(MODES))]
        mode: QueueMode,
    },
    /// Edit a message's text
    Edit {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
        /// The new text
        text: String,
    },
    /// Move a message to a position, counted from 1; a number beyond the end means the end
    Move {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
        /// The position
        #[arg(value_parser = clap::value_parser!(u16).range(1..))]
        to: u16,
    },
    /// Remove a message
    Rm {
        /// The id of a session or run
        session: String,
        /// The message's id
        message: String,
    },
}

pub(crate) async fn run(engine: &Engine, command: QueueCommand, output: &Printer) -> CommandExit {
    match command {
        QueueCommand::List { session } => list(engine, &find(engine, &session)?, output)?,
        QueueCommand::Add { session, text, mode } => {
            let session = find(engine, &session)?;
            let message_id = engine.message_queues().queue_typed(&session, text, mode).await?;
            let (session_id, message_id) = (session.to_string(), message_id.to_string());
            let sent = Sent { session_id, run_id: None, message_id: Some(message_id.clone()) };
            output.tell(&sent, || message_id);
        }
        QueueCommand::Edit { session, message, text } => {
            change(engine, &session, &message, |messages, place| messages[place].text = text).await?;
        }
        QueueCommand::Move { session, message, to } => {
            change(engine, &session, &message, |messages, place| {
                let moved = messages.remove(place);
                messages.insert((usize::from(to) - 1).min(messages.len()), moved);
            })
            .await?;
        }
        QueueCommand::Rm { session, message } => {
            refuse_last(&session)?;
            refuse_last(&message)?;
            change(engine, &session, &message, |messages, place| {
                messages.remove(place);
            })
            .await?;
        }
    }
    Ok(Exit::Done)
}

fn find(engine: &Engine, session: &str) -> Result<SessionId, Error> {
    Ok(engine.session_names().find_session(session)?.session_id)
}

fn list(engine: &Engine, session: &SessionId, output: &Printer) -> Result<(), Error> {
    for (place, message) in engine.message_queues().queue(session)?.messages().iter().enumerate() {
        output.tell(message, || {
            let mode = match message.mode {
                QueueMode::Steer => "steer",
                QueueMode::FollowUp => "follow-up",
            };
            let first_line = message.text.lines().next().unwrap_or_default();
            format!("{:>4}  {}  {mode:<9}  {}", place + 1, message.message_id, visible(first_line))
        });
    }
    Ok(())
}

async fn change(
    engine: &Engine,
    session: &str,
    message: &str,
    edit: impl FnOnce(&mut Vec<QueuedMessage>, usize),
) -> Result<(), Error> {
    let session = find(engine, session)?;
    let mut messages = engine.message_queues().queue(&session)?.messages().to_vec();
    let place = engine.session_names().find_message(&session, &messages, message)?;
    edit(&mut messages, place);
    engine.message_queues().set_queue(&session, &messages).await
}
