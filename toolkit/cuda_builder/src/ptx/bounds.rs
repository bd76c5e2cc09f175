//! Launch bounds: the number of threads of a kernel's blocks, and of blocks that should run on a multiprocessor at once.
//!
//! `ptxas` limits a kernel's registers accordingly; CUDA C++ has `__launch_bounds__` for this. Stock rustc has no such
//! attribute, so a kernel crate has a line of assembly that is a comment,
//!
//! ```text
//! // .launch_bounds NAME THREADS BLOCKS
//! ```
//!
//! and the build inserts the directives where PTX expects them, between an entry's parameters and its body. With `BLOCKS` 0
//! the number of blocks is left open. With `75=2,90=4` it depends on the chip: 2 from sm_75 on, and 4 from sm_90 on. Here, too, 0
//! leaves it open. PTX has the number of its target then, and above it a comment with all of them, from which [`for_arch`] takes that
//! of another chip. A fourth word, `phases`, marks kernels in safe code. They count with exactly these threads in one dimension, so
//! the directive is `.reqntid`, with which a driver refuses blocks of another shape. Blocks of a raw kernel may have several dimensions.

use crate::arch::NvvmArch;

const MARK: &str = "// .launch_bounds ";
const BY_CHIP: &str = "// blocks_per_sm by chip: ";
const BLOCKS: &str = ".minnctapersm ";

/// The fourth word of the mark of a kernel with phases, in safe code; a raw kernel has none.
const PHASES: &str = "phases";

/// The kernels whose marks say that they have phases.
///
/// ```
/// use cuda_builder::ptx::bounds::kernels_of_phases;
///
/// let text = "// .launch_bounds safe 256 2 phases\n// .launch_bounds raw 64 0\n";
/// assert_eq!(kernels_of_phases(text), ["safe"]);
/// ```
pub fn kernels_of_phases(text: &str) -> Vec<String> {
    let marks = text.lines().filter_map(|line| line.strip_prefix(MARK));
    let words = marks.map(|mark| mark.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.get(3) == Some(&PHASES)).map(|words| words[0].to_owned()).collect()
}

/// The module, which is for `target`, with directives in place of its marks.
///
/// # Errors
/// A mark that is malformed, or names no entry of the module.
///
/// ```
/// use cuda_builder::{NvvmArch, ptx::bounds::apply};
///
/// let target = NvvmArch::default();
/// let module = apply("// .launch_bounds k 256 2\n.visible .entry k(\n)\n{\n\tret;\n}\n", target).unwrap();
/// assert!(module.contains(".maxntid 256") && module.contains(".minnctapersm 2"));
/// let mark = "// .launch_bounds other 256 2";
/// assert_eq!(apply(mark, target), Err(mark.to_owned()));
/// ```
pub fn apply(text: &str, target: NvvmArch) -> Result<String, String> {
    let (marks, rest): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with(MARK));
    let mut text = rest.concat();
    for mark in marks {
        let refused = || mark.trim().to_owned();
        let mut words = mark[MARK.len()..].split_whitespace();
        let (Some(name), Some(threads), Some(blocks)) = (words.next(), words.next(), words.next()) else {
            return Err(refused());
        };
        let threads: u32 = threads.parse().map_err(|_| refused())?;
        let directive = if words.next() == Some(PHASES) { ".reqntid" } else { ".maxntid" };
        let entry = text.find(&format!(".entry {name}(")).ok_or_else(refused)?;
        let body = entry + text[entry..].find("\n{").ok_or_else(refused)?;
        let mut directives = format!("\n{directive} {threads}, 1, 1");
        if blocks.contains('=') {
            numbers(blocks).ok_or_else(refused)?;
            directives += &format!("\n{BY_CHIP}{blocks}");
        } else if blocks.parse::<u32>().map_err(|_| refused())? > 0 {
            directives += &format!("\n{BLOCKS}{blocks}");
        }
        text.insert_str(body, &directives);
    }
    Ok(for_arch(&text, target))
}

/// The chips of a list, each with its number of blocks.
fn numbers(list: &str) -> Option<Vec<(u32, u32)>> {
    list.split(',')
        .map(|one| one.split_once('=').and_then(|(chip, n)| Some((chip.parse().ok()?, n.parse().ok()?))))
        .collect()
}

/// The module with the numbers of blocks that a chip should have. Those that do not depend on the chip stay as they are.
///
/// ```
/// use cuda_builder::NvvmArch;
/// use cuda_builder::ptx::bounds::{apply, for_arch};
///
/// let mark = "// .launch_bounds k 256 75=2,90=4\n.visible .entry k(\n)\n{\n\tret;\n}\n";
/// let ptx = apply(mark, NvvmArch::Compute75).unwrap();
/// assert!(ptx.contains("\n.minnctapersm 2\n"));
/// assert!(for_arch(&ptx, NvvmArch::Compute90a).contains("\n.minnctapersm 4\n"));
/// ```
pub fn for_arch(text: &str, arch: NvvmArch) -> String {
    let (mut result, mut replaced) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        if !(replaced && line.starts_with(BLOCKS)) {
            result.push_str(line);
        }
        replaced = false;
        if let Some(numbers) = line.strip_prefix(BY_CHIP).and_then(|list| numbers(list.trim())) {
            if let Some((_, blocks @ 1..)) = numbers.iter().rfind(|(from, _)| *from <= arch.number()) {
                result += &format!("{BLOCKS}{blocks}\n");
            }
            replaced = true;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{apply, for_arch};
    use crate::arch::NvvmArch;

    #[test]
    fn directives_stand_before_the_body_of_their_entry() {
        let text = "// .launch_bounds b 256 3 phases\n.visible .entry a(\n\t.param .u64 a_0\n)\n{\n\tret;\n}\n\
                    .visible .entry b(\n\t.param .u64 b_0\n)\n{\n\tret;\n}\n";
        let bounded = apply(text, NvvmArch::default()).unwrap();
        assert!(bounded.contains("b_0\n)\n.reqntid 256, 1, 1\n.minnctapersm 3\n{\n"), "{bounded}");
        assert!(bounded.contains("a_0\n)\n{\n"), "{bounded}");
        assert!(!bounded.contains("launch_bounds"), "{bounded}");
    }

    #[test]
    fn without_a_number_of_blocks_only_the_threads_are_bounded() {
        let bounded = apply("// .launch_bounds a 64 0\n.entry a()\n{\n}\n", NvvmArch::default()).unwrap();
        assert_eq!(bounded, ".entry a()\n.maxntid 64, 1, 1\n{\n}\n");
    }

    #[test]
    fn each_chip_has_its_number_of_blocks() {
        let of = |target| apply("// .launch_bounds a 64 80=3,90=4\n.entry a(\n)\n{\n}\n", target).unwrap();
        let list = ")\n.maxntid 64, 1, 1\n// blocks_per_sm by chip: 80=3,90=4\n";
        let of_75 = of(NvvmArch::Compute75);
        assert!(of_75.ends_with(&format!("{list}{{\n}}\n")), "no number for this chip: {of_75}");
        assert!(of(NvvmArch::Compute89).ends_with(&format!("{list}.minnctapersm 3\n{{\n}}\n")));
        for (arch, blocks) in [(NvvmArch::Compute80, 3), (NvvmArch::Compute90a, 4), (NvvmArch::Compute120, 4)] {
            for from in [NvvmArch::Compute75, NvvmArch::Compute90a] {
                let ptx = for_arch(&of(from), arch);
                assert!(ptx.ends_with(&format!("{list}.minnctapersm {blocks}\n{{\n}}\n")), "{ptx}");
            }
        }
        let open = apply("// .launch_bounds a 64 80=3,86=0\n.entry a(\n)\n{\n}\n", NvvmArch::Compute80).unwrap();
        assert!(open.contains(".minnctapersm 3"));
        assert!(!for_arch(&open, NvvmArch::Compute90).contains(".minnctapersm"), "left open again");
        let plain = ".entry a()\n.minnctapersm 2\n{\n}\n";
        assert_eq!(for_arch(plain, NvvmArch::Compute90), plain);
    }

    #[test]
    fn a_mark_without_its_kernel_is_refused() {
        let apply = |text: &str| apply(text, NvvmArch::default());
        assert_eq!(apply("// .launch_bounds a 64 0\n"), Err("// .launch_bounds a 64 0".to_owned()));
        for bounds in ["many 0", "64 many", "64 75=2,90", "64 =2"] {
            assert!(apply(&format!("// .launch_bounds a {bounds}\n.entry a()\n{{\n}}\n")).is_err(), "{bounds}");
        }
    }
}
