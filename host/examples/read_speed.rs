//! How fast one core reads structure files: `read_speed FILE...`.
//!
//! Each file is loaded (and decompressed) first, then read from memory for about half a second. Prints the median and
//! the best rate in MB of text a second.

use flate2::read::MultiGzDecoder;
use prism_host::read::{ReadOptions, read_bytes};
use std::io::Read;
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    println!("{:<28} {:>9} {:>8} {:>12} {:>10} {:>10}", "file", "kB", "atoms", "ns an atom", "median", "best");
    for path in std::env::args().skip(1) {
        let mut text = std::fs::read(&path)?;
        if text.starts_with(&[0x1f, 0x8b]) {
            let mut plain = Vec::new();
            MultiGzDecoder::new(&text[..]).read_to_end(&mut plain)?;
            text = plain;
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        let options = ReadOptions::default();
        let (mut times, mut atoms, begin) = (Vec::new(), 0, Instant::now());
        while begin.elapsed() < Duration::from_millis(500) {
            let start = Instant::now();
            match read_bytes(&text, name, &options) {
                Ok(read) => atoms = std::hint::black_box(read).structure.n_atoms(),
                Err(error) => {
                    eprintln!("{error}");
                    break;
                }
            }
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let (Some(&best), Some(&median)) = (times.first(), times.get(times.len() / 2)) else { continue };
        let rate = |seconds: f64| text.len() as f64 / seconds / 1e6;
        let per_atom = median * 1e9 / atoms.max(1) as f64;
        println!(
            "{name:<28} {:>9} {atoms:>8} {per_atom:>12.1} {:>10.0} {:>10.0}",
            text.len() / 1000,
            rate(median),
            rate(best)
        );
    }
    Ok(())
}
