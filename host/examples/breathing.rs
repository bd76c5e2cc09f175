//! Writes how much each residue's accessible surface varies when a structure fluctuates, as CSV: `breathing FILE [FRAMES]`.
//!
//! Atoms are moved at random according to their residue's B factor (standard deviation in Å per axis: the root of B / (8
//! pi^2)). All frames have one shape, so the GPU gets each with one launch of a CUDA graph.

use anyhow::{Context as _, Result};
use cuda_host::CudaExecutor;
use prism_host::PackedBatch;
use prism_host::engine::{DeviceBatch, kernel_image};
use prism_host::read::{ReadOptions, read_path};
use shared_types::{MegaFusedConfig, RESIDUES};
use std::f64::consts::{PI, TAU};
use std::io::{BufWriter, Write as _};
use std::time::Instant;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("usage: breathing FILE [FRAMES]")?;
    let frames: u32 = arguments.next().map_or(Ok(1000), |frames| frames.parse()).context("FRAMES is a number")?;
    let structure = read_path(&path, &path, &ReadOptions::default())?.structure;
    let batch = PackedBatch::from_inputs([&structure])?;

    let executor = CudaExecutor::open(0, "kernels", kernel_image())?;
    let mut recorded = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?.record(&executor, batch)?;
    let mut normal = normal_numbers();
    let mut atoms = structure.atoms.clone();
    // Per residue, the sum of its areas and of their squares.
    let mut sums = vec![[0.0f64; 2]; structure.n_residues()];
    let begin = Instant::now();
    for _ in 0..frames {
        for (row, range) in structure.residue_atoms.windows(2).enumerate() {
            let range = range[0] as usize..range[1] as usize;
            let b = f64::from(structure.bfactor[row]);
            let deviation = if b > 0.0 { (b / (8.0 * PI * PI)).sqrt() } else { 0.0 };
            for (atom, at_rest) in atoms[range.clone()].iter_mut().zip(&structure.atoms[range]) {
                let [x, y, z] =
                    [at_rest.x, at_rest.y, at_rest.z].map(|coordinate| coordinate + (deviation * normal()) as f32);
                (atom.x, atom.y, atom.z) = (x, y, z);
            }
        }
        let found = recorded.run_atoms(&atoms)?.structure(0);
        for (sums, area) in sums.iter_mut().zip(found.named("sasa").unwrap_or_default()) {
            let area = f64::from(*area);
            *sums = [sums[0] + area, sums[1] + area * area];
        }
    }
    eprintln!("{frames} frames of {} atoms in {:.2?}", atoms.len(), begin.elapsed());

    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, "chain,resnum,icode,resname,sasa_mean,sasa_deviation")?;
    for (row, [sum, squares]) in sums.into_iter().enumerate() {
        let mean = sum / f64::from(frames);
        let deviation = (squares / f64::from(frames) - mean * mean).max(0.0).sqrt();
        let chain = &structure.chains[structure.chain_ids[row] as usize];
        let (number, icode) = (structure.residue_numbers[row], &structure.insertion_codes[row]);
        let residue = RESIDUES[usize::from(structure.residue_types[row])].name;
        writeln!(out, "{chain},{number},{icode},{residue},{mean:.2},{deviation:.2}")?;
    }
    Ok(out.flush()?)
}

/// Standard normal numbers, the same in every run, by Box and Muller's method on splitmix64.
fn normal_numbers() -> impl FnMut() -> f64 {
    let mut state = 0u64;
    let mut unit = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    move || (-2.0 * (1.0 - unit()).ln()).sqrt() * (TAU * unit()).cos()
}
