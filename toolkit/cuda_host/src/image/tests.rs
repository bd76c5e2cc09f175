use super::digest::code_digest;
use super::*;

/// PTX as `cuda_builder` writes it, around a text.
fn ptx(text: &str) -> String {
    let text = format!("{text}\n");
    format!(
        "// PTX made by cuda_builder, format 1. Do not edit: change the kernels and build again.\n// package: k\n\
         // body: {}\n// kernels: a b\n{text}",
        text_digest(&text)
    )
}

fn digest_in(ptx: &str) -> &str {
    Header::read(ptx).unwrap().digest
}

fn image<'a>(ptx: &'a str, machine_code: &'a [u8]) -> Image<'a> {
    // SAFETY: nothing is loaded.
    unsafe { Image::from_files("k.sm_75.ptx", ptx, machine_code) }
}

/// A file with code of as many bytes, not packed by anything.
fn file(made_from: &str, chips: &[(&str, usize)]) -> Vec<u8> {
    let lines: String = chips
        .iter()
        .map(|(chip, bytes)| format!("chip: {chip} {bytes} 9 sha256:00 {}\n", code_digest(&vec![7; *bytes])))
        .collect();
    let header = format!(
        "machine code made by cuda_builder, format 1\npackage: k\nptx: {made_from}\nassembler: ptxas 1.2.3\n{lines}\n"
    );
    let code = vec![7; chips.iter().map(|(_, bytes)| bytes).sum()];
    [header.into_bytes(), code].concat()
}

fn chosen(chips_of_file: &[(&str, usize)], compute_capability: (u32, u32)) -> Option<String> {
    let ptx = ptx(".version 6.3");
    let file = file(digest_in(&ptx), chips_of_file);
    chip_for(&image(&ptx, &file), compute_capability).unwrap().map(|chip| chip.to_string())
}

#[test]
fn code_with_the_features_of_hopper_is_for_its_chip() {
    let ptx = ptx(".version 6.3");
    let file = file(digest_in(&ptx), &[("sm_90a", 1)]);
    assert_eq!(chips(&image(&ptx, &file)).unwrap(), [Chip { major: 9, minor: 0 }]);
}

#[test]
fn a_device_gets_the_nearest_of_its_own_generation() {
    let chips = [("sm_80", 3), ("sm_86", 2), ("sm_90", 1), ("sm_100", 4), ("sm_120", 1)];
    let cases = [
        ((8, 0), Some("sm_80")),
        ((8, 6), Some("sm_86")),
        ((8, 9), Some("sm_86")),
        ((9, 0), Some("sm_90")),
        ((10, 3), Some("sm_100")),
        ((12, 1), Some("sm_120")),
        // Older than all, and newer.
        ((7, 5), None),
        ((11, 0), None),
        ((13, 0), None),
    ];
    for (compute_capability, expected) in cases {
        assert_eq!(chosen(&chips, compute_capability).as_deref(), expected, "{compute_capability:?}");
    }
    assert_eq!(chosen(&[], (9, 0)), None);
}

#[test]
fn machine_code_of_other_ptx_is_an_error_that_says_what_to_do() {
    let file = file("sha256:bb", &[("sm_90", 1)]);
    let made = ptx(".version 6.3");
    for (ptx, found) in [(made.as_str(), "; the PTX is sha256:"), (".version 6.3\n", "has no digest")] {
        let error = chip_for(&image(ptx, &file), (9, 0)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("made from other PTX (sha256:bb") && text.contains(found), "{text}");
        assert!(text.contains("`k.sm_75.cubins`") && text.contains("build it again"), "{text}");
        assert!(!error.is_unavailable(), "it must not pass for a machine without a GPU");
    }
}

#[test]
fn a_file_that_is_cut_or_too_long_is_refused() {
    let ptx = ptx(".version 6.3");
    let whole = file(digest_in(&ptx), &[("sm_80", 30), ("sm_90", 40)]);
    assert!(chips(&image(&ptx, &whole)).is_ok());
    for end in 1..whole.len() {
        assert!(chips(&image(&ptx, &whole[..end])).is_err(), "{end} of {} bytes", whole.len());
    }
    assert!(chips(&image(&ptx, &[&whole[..], b"x"].concat())).is_err());
    assert!(chips(&image(&ptx, b"\n\n")).is_err());
}

#[test]
fn text_that_was_changed_or_not_made_here_is_named() {
    let made = ptx(".version 6.3");
    check(&image(&made, &[])).unwrap();
    for changed in [made.replace("6.3", "6.4"), made.replace("// kernels", "// kernel"), ".version 6.3\n".to_owned()] {
        let error = check(&image(&changed, &[])).unwrap_err();
        assert!(matches!(&error, CudaError::Damaged { file, .. } if file == "k.sm_75.ptx"), "{error}");
    }
    // SAFETY: nothing is loaded.
    check(&unsafe { Image::from_text("foreign", ".version 6.3\n") }).expect("there is nothing to compare with");
}
