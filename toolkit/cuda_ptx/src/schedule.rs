//! Other schedules on a device: delays in PTX before and after the instructions by which threads communicate.
//!
//! A race between threads shows only if they run in an unusual order. [`with_delays`] lets each warp wait, at the beginning of each
//! kernel, around each barrier, and before each atomic operation, asynchronous copy, fence and ordered access ([`Site`]): mostly not
//! at all or for less than a microsecond, rarely for up to half a millisecond. A delay depends on the variable [`SEED`] of the
//! module, the place in the text, the block, the warp, and how many delays the warp has met in that function. So the text does not
//! depend on the seed, and a driver compiles it once. As long as the seed is zero there are no delays.
//!
//! The delays are straight-line code: `nanosleep` under a predicate, so lanes stay together, and no instruction comes into an arm of
//! a branch. They access no memory but the variable. So a program with defined behaviour keeps its results.

mod delay;
mod sites;

pub use sites::Site;

use crate::text::{Body, HeadEnd, Part, balanced, bodies, function_name, has_word, parts, statement_head, words};
use sites::Instruction;
use std::collections::BTreeMap;

/// The variable of a module with delays: a seed of four bytes.
pub const SEED: &str = "__cuda_schedule_seed";
/// The names of registers that are added begin with it.
const REGISTERS: &str = "%schedule_";

/// A module with delays.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Its text.
    pub text: String,
    /// The number of delays of each function, by what they are before or after.
    pub sites: BTreeMap<String, BTreeMap<Site, usize>>,
}

/// Why a text does not get delays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScheduleError {
    /// The line of the text, from 1 on.
    pub line: usize,
    /// The reason, and what to do.
    pub problem: String,
}

/// Adds delays to a module. The text must be PTX that an assembler accepts.
///
/// # Errors
/// If there is anything in the text that this crate does not know, because it might be a place that needs a delay: an instruction, or
/// a part of the module. Also if the module is for chips or versions without `nanosleep`, or has delays.
///
/// ```
/// use cuda_ptx::schedule::{SEED, Site, with_delays};
///
/// let ptx = ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nbar.sync 0;\nret;\n}\n";
/// let scheduled = with_delays(ptx)?;
/// // At the beginning, before the barrier and after it.
/// assert_eq!(scheduled.text.matches("nanosleep").count(), 3);
/// assert_eq!(scheduled.sites["k"][&Site::Barrier], 2);
/// assert!(scheduled.text.contains(SEED));
///
/// let error = with_delays(&ptx.replace("bar.sync", "meet.all")).unwrap_err();
/// assert!(error.to_string().starts_with("line 6: the instruction `meet.all` is not known"));
/// # Ok::<(), cuda_ptx::schedule::ScheduleError>(())
/// ```
pub fn with_delays(text: &str) -> Result<Scheduled, ScheduleError> {
    let declaration = check_module(text)?;
    let mut added = vec![(declaration, delay::declaration())];
    let mut sites = BTreeMap::new();
    for body in bodies(text) {
        let delays = delays(text, &body)?;
        let mut count = BTreeMap::new();
        if let Some((first, _)) = delays.first() {
            let begin = offset(text, body.text);
            debug_assert!(begin <= *first);
            added.push((begin, delay::beginning()));
        }
        for (at, site) in delays {
            *count.entry(site).or_insert(0) += 1;
            added.push((at, delay::delay(added.len())));
        }
        sites.insert(body.name.to_owned(), count);
    }
    let mut longer = String::with_capacity(text.len() + added.iter().map(|(_, more)| more.len()).sum::<usize>());
    let mut from = 0;
    for (at, more) in added {
        longer.push_str(&text[from..at]);
        longer.push_str(&more);
        from = at;
    }
    longer.push_str(&text[from..]);
    Ok(Scheduled { text: longer, sites })
}

/// The last two words.
fn last_two_words(text: &str) -> Option<[&str; 2]> {
    let mut last = words(text).collect::<Vec<_>>();
    let name = last.pop()?;
    Some([last.pop()?, name])
}

/// Checks what is outside of functions, and finds the place for the variable.
fn check_module(text: &str) -> Result<usize, ScheduleError> {
    let refuse = |at: usize, problem: String| Err(refused(text, at, problem));
    if let Some(at) = text.find(SEED).or_else(|| text.find(REGISTERS)) {
        return refuse(at, format!("the name `{SEED}` or `{REGISTERS}` is taken: the module has delays already"));
    }
    let mut from = 0;
    while let Some((head, end)) = statement_head(&text[from..]) {
        let is_function = has_word(&head.text, ".entry") || has_word(&head.text, ".func");
        let at = from;
        from += head.raw_len;
        if end == HeadEnd::Brace {
            let is_data = head.text.contains('=');
            // With line information: its strings.
            let is_lines = last_two_words(&head.text)
                .is_some_and(|[section, name]| section == ".section" && name.starts_with(".debug_"));
            if !is_data && !is_lines && !(is_function && function_name(&head.text).is_some()) {
                let first = words(&head.text).last().unwrap_or_default();
                return refuse(at + head.raw_len - 1, format!("`{first} {{` begins neither a function nor data"));
            }
            let (inside, _) = balanced(&text[from..]);
            if inside.len() == text.len() - from {
                return refuse(from, "a brace is not closed".to_owned());
            }
            from += inside.len() + 1;
        }
    }
    let line = |name: &str| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            at += line.len();
            let value = line.strip_prefix(name)?.split("//").next()?.trim();
            Some((at, value))
        })
    };
    let Some((at, version)) = line(".version ") else { return refuse(0, "it has no `.version`".to_owned()) };
    let number = |text: &str| text.parse::<u32>().ok();
    let is_recent = version.split_once('.').is_some_and(|(major, minor)| {
        number(major).zip(number(minor)).is_some_and(|(major, minor)| (major, minor) >= (6, 3))
    });
    if !is_recent {
        return refuse(at - 1, format!("version {version} has no `nanosleep`: it takes 6.3"));
    }
    let Some((at, target)) = line(".target ") else { return refuse(0, "it has no `.target`".to_owned()) };
    let chip = target.split(',').next().and_then(|chip| chip.trim().strip_prefix("sm_"));
    let digits = chip.map(|chip| chip.trim_end_matches(|c: char| c.is_ascii_lowercase()));
    if digits.and_then(number).is_none_or(|chip| chip < 70) {
        return refuse(at - 1, format!("the target {target} has no `nanosleep`: it takes sm_70"));
    }
    match line(".address_size ") {
        Some((at, "64")) => Ok(at),
        _ => refuse(0, "it has no `.address_size 64`".to_owned()),
    }
}

/// The places of delays in a function, in order, as bytes of the module's text.
fn delays(text: &str, body: &Body<'_>) -> Result<Vec<(usize, Site)>, ScheduleError> {
    let begin = offset(text, body.text);
    let mut found = Vec::new();
    if body.entry {
        found.push((begin, Site::Begin));
    }
    for placed in parts(body.text) {
        let statement = match placed.part {
            Part::Open | Part::Close | Part::Label(_) | Part::Location(_) => continue,
            Part::Statement(text) if text.is_empty() || text.starts_with('.') => continue,
            Part::Statement(text) => text,
            Part::Unfinished(rest) => {
                let problem = format!("`{}` has no end", rest.lines().next().unwrap_or_default());
                return Err(refused(text, begin + placed.begin, problem));
            }
        };
        let instruction = Instruction::read(statement)
            .map_err(|problem| refused(text, begin + placed.begin, format!("{problem}, in `{}`", body.name)))?;
        if let Some(site) = instruction.site {
            found.push((begin + placed.begin, site));
            if site.is_left_late() {
                found.push((begin + placed.end, site));
            }
        }
    }
    Ok(found)
}

/// The byte of `text` at which its part begins.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn refused(text: &str, at: usize, problem: String) -> ScheduleError {
    ScheduleError { line: 1 + text[..at].matches('\n').count(), problem }
}
