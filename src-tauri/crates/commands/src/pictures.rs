//! The commands about pictures and files that the user attaches. The paths come from the system alone: from its
//! dialog, from what was dropped, or from the clipboard. The page can't name one.

use crate::surroundings::Pasted;
use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{AttachedFile, PictureCommands, PictureFacts};
use arki_domain::SessionId;
use arki_engine::{attached_files, attached_picture, look_at_picture};
use std::path::PathBuf;

impl<S: Surroundings> PictureCommands for Asker<S> {
    async fn look_at_picture(self, data: String) -> CommandAnswer<PictureFacts> {
        self.reading(move |_| look_at_picture(&data)).await
    }

    async fn choose_files(self) -> CommandAnswer<Vec<AttachedFile>> {
        let chosen = self.surroundings.choose_files().await?;
        attached(&self, chosen).await
    }

    async fn take_dropped(self) -> CommandAnswer<Vec<AttachedFile>> {
        attached(&self, self.surroundings.take_dropped()).await
    }

    async fn take_pasted(self) -> CommandAnswer<Vec<AttachedFile>> {
        match self.surroundings.pasted().await {
            Pasted::Nothing => Ok(Vec::new()),
            Pasted::Files(files) => attached(&self, files).await,
            Pasted::Picture(bytes) => self.reading(move |_| Ok(vec![attached_picture("Pasted picture", &bytes)])).await,
        }
    }

    async fn sent_picture(self, session_id: String, content_hash: String) -> CommandAnswer<Option<String>> {
        self.reading(move |engine| engine.sent_requests().picture(&SessionId::from(session_id), &content_hash)).await
    }
}

async fn attached<S: Surroundings>(asking: &Asker<S>, paths: Vec<PathBuf>) -> CommandAnswer<Vec<AttachedFile>> {
    let folder = asking.client.folder();
    asking.reading(move |_| Ok(attached_files(folder.as_deref(), &paths))).await
}
