//! `cfg(...)` expressions of `[target.'cfg(...)'.dependencies]`, evaluated for the device.

/// The target that kernels are compiled for.
pub const DEVICE_TARGET: &str = "nvptx64-nvidia-cuda";

/// `rustc --print cfg --target nvptx64-nvidia-cuda`, as far as manifests use it.
const KEYS: &[(&str, &str)] = &[
    ("target_abi", ""),
    ("target_arch", "nvptx64"),
    ("target_endian", "little"),
    ("target_env", ""),
    ("target_os", "cuda"),
    ("target_pointer_width", "64"),
    ("target_vendor", "nvidia"),
    ("panic", "abort"),
];

/// Whether a key of a manifest's `[target]` table (a triple or `cfg(...)`) includes the device. An expression that cannot
/// be parsed includes it: an extra dependency in the digest is harmless, a missing one is not.
///
/// ```
/// use cuda_builder::inputs::cfg_expr::{DEVICE_TARGET, applies_to_device};
///
/// assert!(applies_to_device(DEVICE_TARGET) && applies_to_device("cfg(target_arch = \"nvptx64\")"));
/// assert!(!applies_to_device("cfg(any(unix, windows))") && !applies_to_device("x86_64-unknown-linux-gnu"));
/// ```
pub fn applies_to_device(key: &str) -> bool {
    let Some(mut rest) = key.trim().strip_prefix("cfg(") else { return key.trim() == DEVICE_TARGET };
    match evaluate(&mut rest) {
        Some(value) if rest.trim() == ")" => value,
        _ => true,
    }
}

/// Evaluates the predicate at the start of `rest` and moves past it.
fn evaluate(rest: &mut &str) -> Option<bool> {
    let name = word(rest);
    if name.is_empty() {
        return None;
    }
    if take(rest, '(') {
        let mut values = Vec::new();
        while !take(rest, ')') {
            values.push(evaluate(rest)?);
            if !take(rest, ',') && !rest.trim_start().starts_with(')') {
                return None;
            }
        }
        return match (name, values.as_slice()) {
            ("all", all) => Some(all.iter().all(|&value| value)),
            ("any", any) => Some(any.iter().any(|&value| value)),
            ("not", &[value]) => Some(!value),
            _ => None,
        };
    }
    if take(rest, '=') {
        let after = rest.trim_start().strip_prefix('"')?;
        let (value, after) = after.split_once('"')?;
        *rest = after;
        // All atomic widths up to the pointer's exist; features depend on the chip and count as enabled.
        return Some(match name {
            "target_has_atomic" => matches!(value, "8" | "16" | "32" | "64" | "ptr"),
            "target_feature" => true,
            _ => KEYS.contains(&(name, value)),
        });
    }
    Some(name == "true")
}

fn word<'a>(rest: &mut &'a str) -> &'a str {
    let text = rest.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    *rest = &text[end..];
    &text[..end]
}

fn take(rest: &mut &str, expected: char) -> bool {
    match rest.trim_start().strip_prefix(expected) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::applies_to_device;

    #[test]
    fn device_and_host_halves_are_told_apart() {
        for key in [
            "nvptx64-nvidia-cuda",
            r#"cfg(target_arch = "nvptx64")"#,
            r#"cfg(all(target_os="cuda", not(unix)))"#,
            r#"cfg(any(windows, target_arch = "nvptx64",))"#,
            r#"cfg(not(any(unix, windows)))"#,
            "cfg(all())",
        ] {
            assert!(applies_to_device(key), "{key}");
        }
        for key in [
            "x86_64-unknown-linux-gnu",
            r#"cfg(not(target_arch = "nvptx64"))"#,
            "cfg(unix)",
            "cfg(any())",
            r#"cfg(all(target_arch = "nvptx64", unix))"#,
            "cfg(miri)",
        ] {
            assert!(!applies_to_device(key), "{key}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_taken_in() {
        for key in ["cfg(not(unix, windows))", "cfg(unix))(", "cfg(target_os = linux)", "cfg()"] {
            assert!(applies_to_device(key), "{key}");
        }
    }
}
