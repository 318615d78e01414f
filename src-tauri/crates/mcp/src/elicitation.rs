//! The questions of a server in the middle of a call: read, bounded, put to the user, and noted with the call.
//!
//! It is asked only while a call is at work, for the user has to see what for; and it is taken back when the call ends,
//! by the server itself, or when the connection closes.

use crate::calls_at_work::{CallAtWork, all_ended};
use crate::form::Form;
use crate::handler::Handler;
use crate::ports::{Reply, ServerQuestion, WantedAnswer, WebAddress};
use arki_domain::{Elicitation, ElicitationAnswer, is_hidden};
use arki_tools::OpenElicitation;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

const MAX_MESSAGE_CHARS: usize = 4_000;
const MAX_URL_CHARS: usize = 2_000;

impl Handler {
    /// Puts it to the user; `cancel` is the server's own. Where that can't be done the answer is no, and the server's
    /// log says why.
    pub(crate) async fn elicit(&self, request: ElicitRequestParams, cancel: CancellationToken) -> ElicitResult {
        let calls = self.heard.calls.asking();
        let (Some(elicitor), Ok((message, wanted))) = (&self.elicitor, read(request).inspect_err(|why| self.say(why)))
        else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        if calls.is_empty() {
            self.say("it was asked outside a call");
            return ElicitResult::new(ElicitationAction::Decline);
        }
        let noted = as_noted(&self.server, &message, &wanted);
        let open: Vec<OpenElicitation> = calls.iter().filter_map(|call| call.caller.ask(noted.clone())).collect();
        if open.is_empty() {
            self.say("the call has asked too often");
            return ElicitResult::new(ElicitationAction::Decline);
        }
        let places = calls.iter().map(|call| call.caller.place().clone()).collect();
        let question = ServerQuestion { server: self.server.clone(), calls: places, message, wanted };
        let reply = tokio::select! {
            reply = elicitor.ask(question) => reply,
            () = ended(&calls, &cancel) => Reply::Cancel,
        };
        let (answer, action, values) = match reply {
            Reply::Accept(values) => (ElicitationAnswer::Accepted, ElicitationAction::Accept, values),
            Reply::Decline => (ElicitationAnswer::Declined, ElicitationAction::Decline, Map::new()),
            Reply::Cancel => (ElicitationAnswer::Cancelled, ElicitationAction::Cancel, Map::new()),
            Reply::TimedOut => (ElicitationAnswer::TimedOut, ElicitationAction::Cancel, Map::new()),
        };
        open.into_iter().for_each(|open| open.answered(answer, values.clone()));
        let has_content = action == ElicitationAction::Accept && noted.url.is_none();
        let result = ElicitResult::new(action);
        if has_content { result.with_content(Value::Object(values)) } else { result }
    }
}

async fn ended(calls: &[CallAtWork], cancel: &CancellationToken) {
    tokio::select! {
        () = all_ended(calls) => {}
        () = cancel.cancelled() => {}
    }
}

/// Returns the question as it is noted if it is never answered.
fn as_noted(server: &str, message: &str, wanted: &WantedAnswer) -> Elicitation {
    let (url, fields) = match wanted {
        WantedAnswer::Form(form) => (None, form.fields.iter().map(|field| field.name.clone()).collect()),
        WantedAnswer::Page(page) => (Some(page.url.clone()), Vec::new()),
    };
    Elicitation {
        server: server.to_owned(),
        message: message.to_owned(),
        url,
        fields,
        answer: ElicitationAnswer::Cancelled,
        values: Map::new(),
        waited_ms: 0,
    }
}

/// Returns what is asked and what for; or why it can't be, as half a sentence.
fn read(request: ElicitRequestParams) -> Result<(String, WantedAnswer), String> {
    let (message, wanted) = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            (message, WantedAnswer::Form(Form::of(&requested_schema)?))
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => (message, WantedAnswer::Page(page(&url)?)),
        _ => return Err("it is of an unknown kind".to_owned()),
    };
    if message.chars().count() > MAX_MESSAGE_CHARS {
        return Err(format!("its message is longer than {MAX_MESSAGE_CHARS} characters"));
    }
    Ok((plain_lines(&message), wanted))
}

/// An address that may be shown to be opened, as a browser reads it.
fn page(url: &str) -> Result<WebAddress, String> {
    if url.chars().count() > MAX_URL_CHARS {
        return Err(format!("its address is longer than {MAX_URL_CHARS} characters"));
    }
    let parsed = reqwest::Url::parse(url).map_err(|_| "its address is not a URL".to_owned())?;
    let is_here = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if !(parsed.scheme() == "https" || parsed.scheme() == "http" && is_here) {
        return Err("its address is neither https nor on this computer".to_owned());
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("its address has a user name before the host, which can look like another host".to_owned());
    }
    let host = parsed.host_str().unwrap_or_default().to_owned();
    Ok(WebAddress { url: parsed.into(), host })
}

/// Returns the text without what can't be seen or turns the reading direction.
fn plain_lines(text: &str) -> String {
    let is_harmless = |c: &char| *c == '\n' || !is_hidden(*c);
    text.replace("\r\n", "\n").replace('\t', " ").chars().filter(is_harmless).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_are_what_they_seem_are_shown() {
        for (url, shown) in [
            ("https://example.org/a?b=c", Some("https://example.org/a?b=c")),
            ("HTTPS://EXAMPLE.org", Some("https://example.org/")),
            ("https://ex\u{430}mple.org/", Some("https://xn--exmple-4nf.org/")),
            ("http://127.0.0.1:8080/x", Some("http://127.0.0.1:8080/x")),
            ("http://localhost/", Some("http://localhost/")),
            ("http://example.org/", None),
            ("http://127.0.0.1.example.org/", None),
            ("https://bank.example@evil.example/", None),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("no address", None),
        ] {
            assert_eq!(page(url).ok().map(|page| page.url).as_deref(), shown, "{url}");
        }
        assert!(page(&format!("https://example.org/{}", "x".repeat(MAX_URL_CHARS))).is_err());
    }

    #[test]
    fn a_message_is_plain_lines() {
        assert_eq!(plain_lines(" a\tb\r\nc\u{1b}[2J\u{202e}d\u{200b}\n"), "a b\nc[2Jd");
    }
}
