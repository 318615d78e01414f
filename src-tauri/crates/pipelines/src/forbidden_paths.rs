//! Finding forbidden paths. A path is judged by its text and by where it lies ([`StepHost::places`]), so that neither a
//! way around nor a link leads past a pattern.

use crate::denylist::Denylist;
use crate::step_host::StepHost;

/// A line of an input that is longer is no path.
const MAX_PATH_BYTES: usize = 4096;

/// Returns the first of the paths that is forbidden, with the pattern: by its text, by where it lies, or as another name
/// of a file that is.
pub(crate) fn forbidden<'a, 'd>(
    denylist: &'d Denylist,
    paths: impl Iterator<Item = &'a str>,
    world: &dyn StepHost,
) -> Option<(&'a str, &'d str)> {
    let paths: Vec<&str> = paths.collect();
    let by_place = |path: &str| world.places(path).iter().find_map(|place| denylist.forbids(place));
    let found = paths.iter().find_map(|path| Some((*path, denylist.forbids(path).or_else(|| by_place(path))?)));
    let by_name =
        || world.other_names(&paths).into_iter().find_map(|(at, name)| Some((paths[at], denylist.forbids(&name)?)));
    found.or_else(by_name)
}

/// Returns the first line of these texts that is a forbidden path, with the pattern. A line with a blank is one only where
/// there is such a file: anything else is prose.
pub(crate) fn forbidden_line<'a, 'd>(
    denylist: &'d Denylist,
    texts: impl Iterator<Item = &'a str>,
    world: &dyn StepHost,
) -> Option<(&'a str, &'d str)> {
    let lines = texts.flat_map(str::lines).map(|line| line.trim().trim_matches('"'));
    let short = lines.filter(|line| !line.is_empty() && line.len() <= MAX_PATH_BYTES);
    forbidden(denylist, short.filter(|line| !line.contains(char::is_whitespace) || world.is_there(line)), world)
}
