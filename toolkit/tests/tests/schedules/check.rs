//! What holds of a module with delays. Several packages have this file, each for its own kernels.

use cuda_builder::ptx::divergence::divergent;
use cuda_builder::ptx::module::PtxModule;
use cuda_builder::{NvvmArch, Ptxas};
use cuda_ptx::schedule::{Site, with_delays};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Adds delays to a module, and checks that there is one wherever threads communicate, that nothing else has changed, that no
/// collective instruction is in a branch that was not there, and that the assembler takes the text for these chips.
pub fn check(name: &str, text: &str, chips: &[NvvmArch]) -> BTreeMap<Site, usize> {
    let scheduled = with_delays(text).unwrap();
    assert_eq!(without_delays(&scheduled.text), text, "only delays were added");

    let mut sites: BTreeMap<Site, usize> = BTreeMap::new();
    for (site, count) in scheduled.sites.values().flatten() {
        *sites.entry(*site).or_default() += count;
    }
    assert_eq!(sites, expected(text));
    assert_eq!(scheduled.text.matches("nanosleep.u32 %schedule").count(), sites.values().sum::<usize>());

    let phases: Vec<String> = PtxModule::parse(text).entries().into_iter().map(str::to_owned).collect();
    assert_eq!(divergent(&scheduled.text, &phases), divergent(text, &phases));

    if let Some(ptxas) = assembler() {
        let folder = std::env::temp_dir().join(format!("schedules-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("delays.ptx");
        std::fs::write(&file, &scheduled.text).unwrap();
        for chip in chips {
            let found = ptxas.resources(&file, *chip).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let waiting = found.iter().find(|kernel| kernel.serialized);
            assert!(waiting.is_none(), "{chip}: products of warpgroups wait for each other: {waiting:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
    sites
}

/// The text as it was. Each addition ends with its line.
fn without_delays(text: &str) -> String {
    let additions = [
        ("{ .reg .pred %schedule_p; .reg .b32 %schedule_a, %schedule_b; mad.lo", "}\n"),
        ("\n.reg .b32 %schedule_state", "}\n"),
        (".visible .global .align 4 .b8 __cuda_schedule_seed", ";\n"),
    ];
    additions.into_iter().fold(text.to_owned(), |text, (begin, end)| {
        let mut parts = text.split(begin);
        let first = parts.next().expect("there is a part before the first addition").to_owned();
        parts.fold(first, |kept, part| kept + part.split_once(end).expect("an addition ends").1)
    })
}

/// The delays that a text should have, by the words of its code.
fn expected(text: &str) -> BTreeMap<Site, usize> {
    let mut sites = BTreeMap::new();
    let mut add = |site, count| *sites.entry(site).or_insert(0) += count;
    for line in text.lines() {
        let code = line.split("//").next().unwrap();
        for word in code.split(|c: char| c.is_whitespace() || ";{}".contains(c)) {
            let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.starts_with(prefix));
            if begins(&["bar.", "barrier."]) {
                add(Site::Barrier, 2);
            } else if begins(&["atom.", "red."]) {
                add(Site::Atomic, 1);
            } else if begins(&["cp.async"]) {
                add(Site::Copy, 1);
            } else if begins(&["mbarrier."]) {
                add(Site::Arrivals, 1);
            } else if begins(&["wgmma.fence", "wgmma.wait"]) {
                add(Site::Products, 1);
            } else if begins(&["fence.", "membar."]) {
                add(Site::Fence, 1);
            } else if begins(&["ld.volatile", "ld.relaxed", "ld.acquire", "st.volatile", "st.relaxed", "st.release"]) {
                add(Site::Ordered, 1);
            } else if word == ".entry" {
                add(Site::Begin, 1);
            }
        }
    }
    sites
}

/// NVIDIA's assembler. `None` if there is none and none is required.
fn assembler() -> Option<Ptxas> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places: Vec<PathBuf> = here.ancestors().map(|folder| folder.join("target/ptxas")).collect();
    match Ptxas::find(&places) {
        Ok(ptxas) => Some(ptxas),
        Err(error) => {
            let required = std::env::var("CUDA_REQUIRE_ASSEMBLER").as_deref() == Ok("1");
            assert!(!required, "CUDA_REQUIRE_ASSEMBLER=1, but {error}");
            println!("left out: delays are not assembled ({error})");
            None
        }
    }
}
