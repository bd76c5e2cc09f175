//! Readers with a faster path for what is usual, against their plain path.

use crate::reading::options;
use prism_host::ReadOptions;
use prism_host::read::read_structures;

/// An mmCIF file: usual lines as a whole, against every row word by word.
pub fn mmcif_paths(data: &[u8]) {
    let options = options(data);
    // Lines near the end of a text are unusual.
    let text = [data, b"\n#\n", &[b' '; 300]].concat();
    let [lines, words] = [false, true].map(|by_words| {
        let read = read_structures(&text, "x", &ReadOptions { by_words, ..options.clone() });
        read.iter()
            .map(|read| read.as_ref().map_or_else(ToString::to_string, |read| format!("{read:?}")))
            .collect::<Vec<_>>()
    });
    assert_eq!(lines, words);
}
