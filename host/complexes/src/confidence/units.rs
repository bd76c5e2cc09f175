//! What scores are computed of: one unit for each residue of a chain, and one for each heavy atom of a ligand.

use super::model::{Kind, Model, Token};
use super::plddt::Plddt;
use std::ops::Range;

/// What scores are computed of: a residue, or a heavy atom of a ligand.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) residue: u32,
    pub(super) kind: Kind,
    /// The position in Å of CA or C1'; of the atom itself in ligands.
    pub(super) anchor: [f64; 3],
    /// The position in Å of CB (CA of glycine) or C3'; of the atom itself in ligands.
    pub(super) contact: [f64; 3],
    /// The mean confidence of its atoms, from 0 to 100; NaN if there is none.
    pub(super) plddt: f32,
    /// The confidence at the second of these positions, by which pDockQ was fitted.
    pub(super) plddt_at_contact: f32,
}

/// The units of a model, those of a chain side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub(super) all: Vec<Unit>,
    /// The row of the matrix of each unit.
    pub(super) rows: Vec<u32>,
    /// The units of each chain.
    pub(super) ranges: Vec<Range<usize>>,
}

impl Units {
    pub(super) fn new(model: &Model, tokens: &[Token], plddt: &Plddt) -> Self {
        let (mut units, mut chain_of) = (Vec::new(), Vec::new());
        let mut rows: Vec<u32> = Vec::new();
        let of_residues = plddt.of_residues(model, tokens);
        let mut has_polymer = vec![false; model.chains.len()];
        for residue in model.residues.iter().filter(|residue| residue.kind != Kind::Ligand) {
            has_polymer[residue.chain as usize] = true;
        }
        for (row, token) in tokens.iter().enumerate() {
            let residue = &model.residues[token.residue as usize];
            let centres = residue.centres(&model.atoms);
            let is_ligand = residue.kind == Kind::Ligand;
            // Ligands that have the id of a polymer are not a part of that chain.
            if is_ligand && has_polymer[residue.chain as usize] {
                continue;
            }
            let [anchor, contact] = match token.atom {
                Some(atom) if is_ligand => [atom; 2],
                // Of a modified residue that has a token for each atom, that of its CA or C1' stands for it.
                Some(atom) if atom != centres[0] => continue,
                _ => centres,
            };
            let at_contact = plddt.at(model, (row, token), contact);
            units.push(Unit {
                residue: token.residue,
                kind: residue.kind,
                anchor: model.atoms[anchor as usize].position,
                contact: model.atoms[contact as usize].position,
                plddt: if is_ligand { at_contact } else { of_residues[token.residue as usize] },
                plddt_at_contact: at_contact,
            });
            chain_of.push(residue.chain);
            rows.push(row as u32);
        }
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_key(|&at| chain_of[at]);
        let ranges = (0..model.chains.len() as u32).map(|chain| {
            let begin = chain_of.iter().filter(|of| **of < chain).count();
            begin..begin + chain_of.iter().filter(|of| **of == chain).count()
        });
        let ranges: Vec<Range<usize>> = ranges.collect();
        let all: Vec<Unit> = order.iter().map(|&at| units[at].clone()).collect();
        let rows = order.iter().map(|&at| rows[at]).collect();
        Self { all, rows, ranges }
    }
}
