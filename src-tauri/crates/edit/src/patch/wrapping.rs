//! Removes what models put around a patch: Markdown fences, a shell's here-document, carriage returns. Pure.

/// The fence and the here-document within it, at most.
const LAYERS: usize = 3;

/// A line of the patch and its number, counted from 1 in what the model sent.
pub(super) type PatchLine<'a> = (usize, &'a str);

/// The lines of the patch itself, without their `\n`.
pub(super) fn unwrapped(patch: &str) -> Vec<PatchLine<'_>> {
    let mut lines: Vec<PatchLine<'_>> = (1..).zip(patch.split('\n')).collect();
    if lines.last().is_some_and(|(_, line)| line.is_empty()) {
        lines.pop();
    }
    let came_with_returns = lines.iter().all(|(_, line)| line.is_empty() || line.ends_with('\r'));
    if came_with_returns {
        for (_, line) in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    for _ in 0..LAYERS {
        let Some(closing) = opened(&mut lines) else { break };
        close(&mut lines, &closing);
    }
    lines
}

/// Drops what comes before the patch as far as it is a wrapping; what would close it.
fn opened(lines: &mut Vec<PatchLine<'_>>) -> Option<String> {
    for (index, (_, line)) in lines.iter().enumerate() {
        if is_header(line) {
            return None;
        }
        let closing = if line.starts_with("```") { Some("```".to_owned()) } else { heredoc_end(line) };
        if closing.is_some() {
            lines.drain(..=index);
            return closing;
        }
    }
    None
}

fn close(lines: &mut Vec<PatchLine<'_>>, closing: &str) {
    let last = lines.iter().rposition(|(_, line)| !line.trim().is_empty());
    if let Some(last) = last.filter(|last| lines[*last].1.trim_end() == closing) {
        lines.truncate(last);
    }
}

pub(super) fn is_header(line: &str) -> bool {
    ["*** ", "--- ", "+++ ", "diff --git ", "@@", "Index: "].iter().any(|start| line.starts_with(start))
}

/// `apply_patch <<'EOF'` ends at `EOF`.
fn heredoc_end(line: &str) -> Option<String> {
    let (_, word) = line.split_once("<<")?;
    let word = word.trim_start_matches('-').split_whitespace().next()?.trim_matches(['\'', '"']);
    let is_word = !word.is_empty() && word.chars().all(|character| character.is_alphanumeric() || character == '_');
    is_word.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(patch: &str) -> String {
        unwrapped(patch).iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    #[test]
    fn what_is_around_a_patch_is_taken_off() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
        assert_eq!(inner(patch), patch);
        assert_eq!(inner(&format!("Here it is:\n```diff\n{patch}```\n\n")), patch);
        assert_eq!(inner(&format!("```bash\napply_patch <<'EOF'\n{patch}EOF\n```")), patch);
        assert_eq!(inner(&patch.replace('\n', "\r\n")), patch);
        assert_eq!(unwrapped(&format!("```\n{patch}```"))[0].0, 2);
    }

    #[test]
    fn fences_in_the_patch_are_content() {
        let patch = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+```\n";
        assert_eq!(inner(patch), patch);
    }
}
