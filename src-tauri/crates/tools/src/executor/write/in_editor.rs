//! Changes of files with unsaved text, which the editor writes.

use super::{AcceptedChange, FileWriter, places, written};
use crate::executor::record::Record;
use crate::executor::unsaved::{EditorSave, UnsavedFile};
use arki_domain::{CallOutcome, Error, ToolCall};

impl FileWriter {
    pub(super) async fn write_in_editor(
        &self,
        file: &UnsavedFile,
        call: &ToolCall,
        accepted: &AcceptedChange,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let (applied, save) = match file.write(&accepted.change, &self.settings).await {
            Ok(written) => written,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let checked = match save {
            EditorSave::Saved => self.checking.check_after(&places(&accepted.change), record).await,
            EditorSave::Unsaved => None,
        };
        let told = [save.told().to_owned()].into_iter().chain(checked).collect::<Vec<_>>().join("\n\n");
        let bodies = written(call, accepted, vec![applied], Some(told), record);
        record.settle(bodies).await
    }
}
