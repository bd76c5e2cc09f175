//! Scoring speed of one core: `cargo bench -p prism-complexes --bench confidence`.
//!
//! Writes a made prediction of two chains in AlphaFold 3's layout to a temporary folder, and measures bytes of JSON and of the
//! model per second: files that are only read, the prediction that is read, its scores, and both.

#[path = "../../benches/rate/mod.rs"]
mod rate;

use prism_complexes::confidence::{Cutoffs, Predictions};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};

/// Numbers that look random, and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

const HEADER: &str = "data_made\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n\
    _atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_entity_id\n\
    _atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n\
    _atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n_atom_site.auth_asym_id\n_atom_site.pdbx_PDB_model_num\n";

/// Two chains of a helix each: the model, and the confidences.
fn made(tokens: usize) -> [String; 2] {
    let mut numbers = Numbers(tokens as u64);
    let (mut model, mut atoms) = (HEADER.to_owned(), 0);
    let half = tokens / 2;
    let chain = |token: usize| if token < half { "A" } else { "B" };
    let number = |token: usize| if token < half { token + 1 } else { token - half + 1 };
    for token in 0..tokens {
        let (id, number) = (chain(token), number(token));
        for (atom_index, atom) in ["N", "CA", "C", "O", "CB", "CG", "CD1", "CD2"].into_iter().enumerate() {
            atoms += 1;
            // C is bonded to N of the next residue.
            let (at, atom_index, below) = if atom == "C" { (number + 1, 0, 1.3) } else { (number, atom_index, 0.0) };
            let turn = (at as f64 * 100.0 + atom_index as f64 * 28.0).to_radians();
            let aside = if id == "A" { 0.0 } else { 9.0 };
            let (x, y, z) = (aside + 2.3 * turn.cos(), 2.3 * turn.sin(), 1.5 * at as f64 - below);
            let _ = writeln!(
                model,
                "ATOM {atoms} {} {atom} . LEU {id} 1 {number} ? {x:.3} {y:.3} {z:.3} 1.00 {}.{:02} {number} {id} 1",
                &atom[..1],
                50 + numbers.below(50),
                numbers.below(100)
            );
        }
    }
    let list = |of: &dyn Fn(usize) -> String| (0..tokens).map(of).collect::<Vec<_>>().join(",");
    let mut matrix = |text: &mut dyn FnMut(&mut Numbers) -> String| {
        let mut row = || format!("[{}]", (0..tokens).map(|_| text(&mut numbers)).collect::<Vec<_>>().join(","));
        (0..tokens).map(|_| row()).collect::<Vec<_>>().join(",")
    };
    let pae = matrix(&mut |numbers| format!("{}.{}", numbers.below(31), numbers.below(10)));
    let contacts = matrix(&mut |numbers| format!("0.{:02}", numbers.below(100)));
    let plddts = (0..atoms).map(|atom| format!("{}.{:02}", 50 + atom % 50, atom % 100)).collect::<Vec<_>>().join(",");
    let confidences = format!(
        "{{\"atom_plddts\": [{plddts}],\n\"contact_probs\": [{contacts}],\n\"pae\": [{pae}],\n\"token_chain_ids\": [{}],\n\
         \"token_res_ids\": [{}]}}",
        list(&|token| format!("\"{}\"", chain(token))),
        list(&|token| number(token).to_string()),
    );
    [model, confidences]
}

fn write(folder: &Path, tokens: usize) -> [PathBuf; 2] {
    let paths = ["made_model.cif", "made_confidences.json"].map(|name| folder.join(name));
    for (path, text) in paths.iter().zip(made(tokens)) {
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    paths
}

fn main() {
    for tokens in [300, 1000] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let paths = write(folder.path(), tokens);
        let size: u64 = paths.iter().map(|path| path.metadata().expect("it was written").len()).sum();
        let found = Predictions::find(&paths);
        let [files] = &found.files[..] else { panic!("{:?}", found.failures) };
        let amount = size as f64;
        println!("{tokens} tokens, {:.2} MB", amount / 1e6);
        rate::print("files alone", amount, "B", || paths.each_ref().map(std::fs::read));
        rate::print("read", amount, "B", || files.read().expect("a prediction"));
        let prediction = files.read().expect("a prediction");
        rate::print("scores", amount, "B", || prediction.scores(Cutoffs::default()));
        rate::print("read and scores", amount, "B", || {
            black_box(files.read().expect("a prediction").scores(Cutoffs::default()))
        });
    }
}
