//! Adds a member to the workspace's manifest.

use anyhow::{Context as _, Result, ensure};
use toml_edit::{DocumentMut, Item, Table, Value};

/// The workspace's manifest with one more member, which is compiled like its other kernels.
pub fn with_member(manifest: &str, member: &str, package: &str) -> Result<String> {
    let mut document: DocumentMut = manifest.parse().context("it is not valid TOML")?;
    let members = document.get_mut("workspace").and_then(|workspace| workspace.get_mut("members"));
    let members = members.and_then(Item::as_array_mut).context("it has no list `members` under [workspace]")?;
    ensure!(
        members.iter().all(|old| old.as_str() != Some(member)),
        "it is a member already, but its folder does not exist; delete that line first"
    );
    let mut value = Value::from(member);
    // On its own line if the others are, below a comment beside the last one.
    let before = members.iter().last().and_then(|last| last.decor().prefix()?.as_str()).unwrap_or(" ").to_owned();
    let after = members.trailing().as_str().unwrap_or_default().to_owned();
    let (note, after) = after.split_at(after.find('\n').unwrap_or(0));
    value.decor_mut().set_prefix(format!("{note}{before}"));
    members.set_trailing(after);
    members.push_formatted(value);

    // Kernels on CPU cores are optimised in every build, and checked for overflow like those on the device.
    for profile in ["dev", "release"] {
        let mut settings = Table::new();
        settings.insert("opt-level", toml_edit::value(3));
        settings.insert("overflow-checks", toml_edit::value(true));
        let mut at = document.as_table_mut();
        for key in ["profile", profile, "package"] {
            let entry = at.entry(key).or_insert_with(|| {
                let mut table = Table::new();
                // Without a header of its own.
                table.set_implicit(true);
                Item::Table(table)
            });
            at = entry.as_table_mut().with_context(|| format!("`{key}` in its profiles is not a table"))?;
        }
        at.insert(package, Item::Table(settings));
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "# Ours.\n[workspace]\nmembers = [\n    \"host\",\n    \"xtask\", # commands\n]\n\n\
        [profile.dev]\npanic = \"unwind\"\n\n[profile.dev.package.host]\nopt-level = 3\n";

    #[test]
    fn a_member_gets_a_line_of_its_own_and_its_profiles() {
        let text = with_member(MANIFEST, "kernels/waves", "waves").unwrap();
        assert!(
            text.starts_with("# Ours.\n[workspace]\nmembers = [\n    \"host\",\n    \"xtask\", # commands\n"),
            "{text}"
        );
        assert!(text.contains("    \"kernels/waves\",\n]\n"), "{text}");
        let settings = "opt-level = 3\noverflow-checks = true\n";
        for profile in ["dev", "release"] {
            assert!(text.contains(&format!("\n[profile.{profile}.package.waves]\n{settings}")), "{text}");
        }
        assert!(text.contains("[profile.dev]\npanic = \"unwind\"\n\n[profile.dev.package.host]\nopt-level = 3\n"));
        assert!(!text.contains("[profile]") && !text.contains("[profile.release]\n"), "{text}");
        assert!(with_member(&text, "kernels/waves", "waves").is_err(), "twice");
        assert!(with_member("[package]\nname = \"a\"\n", "kernels/waves", "waves").is_err());
    }
}
