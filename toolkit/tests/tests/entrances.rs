//! All public functions of `cuda_host` that bring objects of a device together are tried with objects of two devices.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cuda_host/src");
const TESTS: &str = include_str!("cuda_host_gpu/two_devices.rs");

/// Types whose values belong to a device.
const OF_A_DEVICE: &[&str] = &[
    "Buffer",
    "BufferOffsets",
    "BufferView",
    "BufferViewMut",
    "Context",
    "CudaExecutor",
    "DeviceBlock",
    "DeviceBuffer",
    "DeviceOffsets",
    "DeviceView",
    "DeviceViewMut",
    "Event",
    "Finished",
    "ForeignBuffer",
    "ForeignScope",
    "GpuBufferPool",
    "Graph",
    "LentBuffer",
    "LoadedKernel",
    "Machine",
    "Module",
    "OpenSpan",
    "Parcel",
    "PinnedBuffer",
    "PinnedSlice",
    "RawKernel",
    "Recorder",
    "Span",
    "Split",
    "Staged",
    "Stream",
    "Timeline",
    "VisibleBuffer",
];

/// Functions that name two such types and take one object, or none that has a device yet.
const ONE_OBJECT: &[&str] = &[
    // Types of kernels.
    "Module::raw_style_kernel",
    "CudaExecutor::raw_style_kernel",
    // A context, and a closure that takes the scope.
    "ForeignScope::lent",
    // Page-locked memory, which is every device's.
    "Recorder::own",
    // A context, and a closure that takes the recorder, which is of the executor's device.
    "Graph::record",
];

#[test]
fn all_functions_with_two_objects_of_devices_are_tried() {
    let mut found = BTreeSet::new();
    for path in sources(Path::new(SOURCES)) {
        found.extend(entrances(&fs::read_to_string(path).unwrap()));
    }
    assert!(found.contains("DeviceViewMut::copy_from_device") && found.contains("Event::elapsed_ms"), "{found:?}");
    let exempt: BTreeSet<_> = ONE_OBJECT.iter().map(|name| (*name).to_owned()).collect();
    assert!(exempt.is_subset(&found), "no longer such functions: {:?}", exempt.difference(&found));
    let untried: Vec<_> = found.difference(&exempt).filter(|name| !TESTS.contains(&format!("\"{name}\""))).collect();
    assert!(untried.is_empty(), "tests/cuda_host_gpu/two_devices.rs does not try {untried:?}");
    // Launches are methods of traits.
    for name in ["Executor::launch", "Graph::pinned", "Graph::pinned_mut"] {
        assert!(TESTS.contains(&format!("\"{name}\"")), "{name}");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let deeper = folders.iter().flat_map(|folder| sources(folder));
    files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).chain(deeper).collect()
}

/// The public functions with at least two objects of devices, as `Type::function`.
fn entrances(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut this = "";
    let mut rest = source;
    while let Some(end) = rest.find('\n') {
        let line = &rest[..end];
        if let Some(header) = line.strip_prefix("impl") {
            let header = header.split(" for ").last().unwrap();
            this = words(header).find(|word| OF_A_DEVICE.contains(word)).unwrap_or("");
        }
        let name = line.trim_start().strip_prefix("pub ").map(|rest| rest.trim_start_matches("unsafe "));
        if let Some(name) = name.and_then(|rest| rest.strip_prefix("fn ")).and_then(|rest| words(rest).next()) {
            let signature = &rest[..rest.find('{').unwrap_or(rest.len())];
            let given = signature.split("->").next().unwrap();
            let count = words(given)
                .filter(|word| OF_A_DEVICE.contains(word) || (!this.is_empty() && matches!(*word, "self" | "Self")))
                .count();
            if count >= 2 {
                let prefix = if this.is_empty() { String::new() } else { format!("{this}::") };
                found.insert(prefix + name);
            }
        }
        rest = &rest[end + 1..];
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}
