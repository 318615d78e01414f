//! The words that Arki shows outside of the page, in the window's language: those of the tray, of notifications and of the
//! system's dialogs.

use arki_api::{DesktopWords, DialogWords, NoticeWords, TrayWords};
use arki_engine::RunNews;
use std::sync::{Arc, PoisonError, RwLock};

/// The words of the page that named them last; there is one language for all windows.
pub(crate) struct Words(RwLock<Arc<DesktopWords>>);

impl Default for Words {
    fn default() -> Self {
        Self(RwLock::new(Arc::new(english())))
    }
}

impl Words {
    pub(crate) fn now(&self) -> Arc<DesktopWords> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, words: DesktopWords) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(words);
    }
}

/// Returns how a run stopped, as a sentence.
pub(crate) fn told(news: &RunNews, words: &NoticeWords) -> String {
    match news {
        RunNews::Done => words.done.clone(),
        RunNews::BudgetExhausted => words.budget_exhausted.clone(),
        RunNews::Failed(error) => words.failed.replace("{error}", error),
        RunNews::Permission(tool) => words.permission.replace("{tool}", tool),
        RunNews::Decision => words.decision.clone(),
        RunNews::Asked(question) => question.clone(),
        RunNews::Question => words.question.clone(),
    }
}

/// Until a page names them in its language.
pub(crate) fn english() -> DesktopWords {
    let words = str::to_owned;
    DesktopWords {
        tray: TrayWords {
            show: words("Show Arki"),
            new_session: words("New session"),
            inbox: words("Inbox"),
            quit: words("Quit"),
            pending: words("Pending decisions"),
            running: words("Active runs"),
        },
        notices: NoticeWords {
            done: RunNews::Done.to_string(),
            budget_exhausted: RunNews::BudgetExhausted.to_string(),
            failed: RunNews::Failed(words("{error}")).to_string(),
            permission: RunNews::Permission(words("{tool}")).to_string(),
            decision: RunNews::Decision.to_string(),
            question: RunNews::Question.to_string(),
            open: words("Open"),
        },
        dialogs: DialogWords {
            open_folder: words("Open folder"),
            attach_files: words("Attach files"),
            import_sessions: words("Import sessions"),
            exported_sessions: words("Exported sessions"),
            export_session: words("Export session"),
            save_output: words("Save output"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_english_news_are_told_as_hooks_hear_them() {
        let all = [
            RunNews::Done,
            RunNews::BudgetExhausted,
            RunNews::Failed("It did not answer {tool}.".to_owned()),
            RunNews::Permission("run_command".to_owned()),
            RunNews::Decision,
            RunNews::Asked("Tabs or spaces?".to_owned()),
            RunNews::Question,
        ];
        for news in all {
            assert_eq!(told(&news, &english().notices), news.to_string());
        }
    }
}
