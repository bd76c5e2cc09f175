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
//! the number of blocks is left open. A fourth word, `phases`, marks kernels in safe code.

const MARK: &str = "// .launch_bounds ";

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

/// The module with directives in place of its marks.
///
/// # Errors
/// A mark that is malformed, or names no entry of the module.
///
/// ```
/// use cuda_builder::ptx::bounds::apply;
///
/// let module = apply("// .launch_bounds k 256 2\n.visible .entry k(\n)\n{\n\tret;\n}\n").unwrap();
/// assert!(module.contains(".maxntid 256") && module.contains(".minnctapersm 2"));
/// let mark = "// .launch_bounds other 256 2";
/// assert_eq!(apply(mark), Err(mark.to_owned()));
/// ```
pub fn apply(text: &str) -> Result<String, String> {
    let (marks, rest): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with(MARK));
    let mut text = rest.concat();
    for mark in marks {
        let refused = || mark.trim().to_owned();
        let mut words = mark[MARK.len()..].split_whitespace();
        let (Some(name), Some(threads), Some(blocks)) = (words.next(), words.next(), words.next()) else {
            return Err(refused());
        };
        let threads: u32 = threads.parse().map_err(|_| refused())?;
        let blocks: u32 = blocks.parse().map_err(|_| refused())?;
        let entry = text.find(&format!(".entry {name}(")).ok_or_else(refused)?;
        let body = entry + text[entry..].find("\n{").ok_or_else(refused)?;
        let mut directives = format!("\n.maxntid {threads}, 1, 1");
        if blocks > 0 {
            directives += &format!("\n.minnctapersm {blocks}");
        }
        text.insert_str(body, &directives);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn directives_stand_before_the_body_of_their_entry() {
        let text = "// .launch_bounds b 256 3\n.visible .entry a(\n\t.param .u64 a_0\n)\n{\n\tret;\n}\n\
                    .visible .entry b(\n\t.param .u64 b_0\n)\n{\n\tret;\n}\n";
        let bounded = apply(text).unwrap();
        assert!(bounded.contains("b_0\n)\n.maxntid 256, 1, 1\n.minnctapersm 3\n{\n"), "{bounded}");
        assert!(bounded.contains("a_0\n)\n{\n"), "{bounded}");
        assert!(!bounded.contains("launch_bounds"), "{bounded}");
    }

    #[test]
    fn without_a_number_of_blocks_only_the_threads_are_bounded() {
        let bounded = apply("// .launch_bounds a 64 0\n.entry a()\n{\n}\n").unwrap();
        assert_eq!(bounded, ".entry a()\n.maxntid 64, 1, 1\n{\n}\n");
    }

    #[test]
    fn a_mark_without_its_kernel_is_refused() {
        assert_eq!(apply("// .launch_bounds a 64 0\n"), Err("// .launch_bounds a 64 0".to_owned()));
        assert!(apply("// .launch_bounds a many 0\n.entry a()\n{\n}\n").is_err());
    }
}
