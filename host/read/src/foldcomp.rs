//! FoldComp: a chain stored as torsions and angles of a few bits each, from which its atoms are computed.
//!
//! Numbers are little-endian. n residues, k anchors, t side-chain torsions.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `FCMP` |
//! | 2, 2, 2, 2 | n, number of atoms, number of the first residue, number of the first atom |
//! | 1, 1, 2 | k, chain id, unused |
//! | 4 | t |
//! | 1, 1, 2 | first and last residue as one-letter codes, unused |
//! | 4 | length of the title |
//! | 24, 24 | minima and steps of phi, psi, omega, and of the angles at CA, C and N, in degrees |
//! | 4 k | residue indices of the anchors, from 0 |
//! | ... | title |
//! | 36 k | N, CA and C of each anchor, in Å |
//! | 1, 12 | whether the last residue has OXT, and its position |
//! | 8 n | for each residue, its type and the step to the next residue ([`Step`]) |
//! | t | side-chain torsions, in 255 steps around the circle |
//! | 4, 4, n | minimum and step of the B column, and a byte per residue |
//!
//! Coordinates are computed in `f32` in the order of operations of the format's own program. They agree with its PDB files
//! to the last digit, except where a value lies on a rounding boundary.

mod backbone;
mod geometry;
mod residues;

use super::arrays::SYNTAX;
use super::atoms::element;
use super::confidence::BY_TITLE;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::options::{Models, ReadOptions};
use super::pdb::{Found, says_predicted};
use super::select::{Record, ResidueId, Selection};
use super::word::pack;
use crate::plural::counted;
use backbone::{Chain, Step};
use geometry::Point;
use residues::Residue;

/// The first bytes of an entry.
pub(super) const MAGIC: &[u8] = b"FCMP";
/// Bytes of the magic and the header.
const HEADER: u64 = 4 + 72;
/// Largest coordinate in Å; no molecule is this far from its origin.
const FARTHEST: f32 = 1e6;

/// The parts of an entry.
struct Entry<'a> {
    title: &'a [u8],
    chain: &'a [u8],
    first_number: i32,
    anchors: Vec<(usize, [Point; 3])>,
    oxt: Option<Point>,
    residues: Vec<(&'static Residue, Step)>,
    torsions: &'a [u8],
    /// Minimum and step of the B column, and the byte of each residue.
    b: (f32, f32, &'a [u8]),
}

pub(super) fn damaged(what: &str) -> Problem {
    Problem::Syntax(format!("damaged FoldComp entry: {what}; fetch it again, or compress its structure again"))
}

/// The bytes not read yet.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The caller has compared the size with the header, so there is always enough.
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], Problem> {
        let (head, rest) = self.0.split_at_checked(bytes).ok_or_else(|| damaged("it is cut"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        self.take(N)?.try_into().map_err(|_| damaged("it is cut"))
    }

    fn u16(&mut self) -> Result<u16, Problem> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Problem> {
        self.array().map(u32::from_le_bytes)
    }

    fn f32(&mut self) -> Result<f32, Problem> {
        let value = self.array().map(f32::from_le_bytes)?;
        if value.is_finite() { Ok(value) } else { Err(damaged("a number is not finite")) }
    }

    fn six(&mut self) -> Result<[f32; 6], Problem> {
        let mut values = [0.0; 6];
        for value in &mut values {
            *value = self.f32()?;
        }
        Ok(values)
    }

    fn point(&mut self) -> Result<Point, Problem> {
        Ok([self.f32()?, self.f32()?, self.f32()?])
    }
}

impl<'a> Entry<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, Problem> {
        let mut fields = Fields(bytes);
        fields.take(MAGIC.len())?;
        let n = usize::from(fields.u16()?);
        let _atoms = fields.u16()?;
        // The program writes a negative number modulo 2^16.
        let first_number = i32::from(fields.u16()?.cast_signed());
        let _first_atom = fields.u16()?;
        let k = usize::from(fields.array::<1>()?[0]);
        let chain = fields.take(1)?;
        fields.take(2)?;
        let t = fields.u32()?;
        let _ends = fields.u32()?;
        let title_length = fields.u32()?;
        // Check that the header fits the size before allocating by it.
        let size = HEADER + 40 * k as u64 + u64::from(title_length) + 13 + 8 * n as u64 + u64::from(t) + 8 + n as u64;
        // Databases append a zero to an entry.
        if bytes.len() as u64 != size && (bytes.len() as u64 != size + 1 || bytes.last() != Some(&0)) {
            let (found, residues) = (bytes.len(), counted(n, "residue", "residues"));
            return Err(damaged(&format!("it has {found} bytes, but its header says {residues} in {size} bytes")));
        }
        if n == 0 {
            return Err(Problem::NoAtoms("the FoldComp entry has no residues"));
        }
        let (least, steps) = (fields.six()?, fields.six()?);
        let mut at = Vec::with_capacity(k);
        for _ in 0..k {
            at.push(fields.u32()? as usize);
        }
        let inner = at.get(1..at.len().saturating_sub(1)).unwrap_or_default();
        let in_place =
            k >= 2 && at[0] == 0 && at[k - 1] == n - 1 && at.is_sorted() && inner.iter().all(|&at| at + 1 < n);
        if !in_place {
            return Err(damaged("its anchors do not lead from the first residue to the last"));
        }
        let title = fields.take(title_length as usize)?;
        let mut anchors = Vec::with_capacity(k);
        for at in at {
            anchors.push((at, [fields.point()?, fields.point()?, fields.point()?]));
        }
        let has_oxt = fields.take(1)?[0] != 0;
        let oxt = [fields.take(4)?, fields.take(4)?, fields.take(4)?];
        let oxt = if has_oxt {
            let oxt = oxt.concat();
            Some(Fields(&oxt).point()?)
        } else {
            None
        };
        let mut residues = Vec::with_capacity(n);
        let mut torsions = 0;
        for word in fields.take(8 * n)?.as_chunks::<8>().0 {
            let (code, step) = Step::of(*word, &least, &steps);
            let residue = Residue::of(code).ok_or_else(|| damaged("it has a residue of an undefined type"))?;
            torsions += residue.side.len();
            residues.push((residue, step));
        }
        if torsions as u64 != u64::from(t) {
            let needed = counted(torsions, "side-chain torsion", "side-chain torsions");
            return Err(damaged(&format!("its residues need {needed}, but it has {t}")));
        }
        let torsions = fields.take(torsions)?;
        let b = (fields.f32()?, fields.f32()?, fields.take(n)?);
        Ok(Self { title, chain, first_number, anchors, oxt, residues, torsions, b })
    }

    /// Passes each residue's atoms to a selection, backbone first.
    fn select<'s>(&'s self, numbers: &'s [[u8; 4]], selection: &mut Selection<'s>) -> Result<(), Problem> {
        let chain = Chain { anchors: &self.anchors, steps: &self.residues };
        let mut torsions = self.torsions;
        let mut atoms = Vec::new();
        let last = self.residues.len() - 1;
        for (row, backbone) in chain.backbone().into_iter().enumerate() {
            let residue = self.residues[row].0;
            let (own, rest) = torsions.split_at(residue.side.len());
            torsions = rest;
            residue.atoms(backbone, own, &mut atoms);
            atoms.extend(self.oxt.filter(|_| row == last).map(|oxt| ("OXT", oxt)));
            let id = ResidueId {
                chain: if self.chain == b"\0" { b" " } else { self.chain },
                number: &numbers[row],
                icode: b"",
            };
            if !selection.enter(id)? {
                continue;
            }
            let (least, step, all) = self.b;
            let b_factor = f64::from(f32::from(all[row]) * step + least).to_ne_bytes();
            for (name, point) in &atoms {
                if !point.iter().all(|value| value.abs() <= FARTHEST) {
                    let number = self.first_number + row as i32;
                    return Err(damaged(&format!("atom {name} of residue {number} has no finite position")));
                }
                let name = name.as_bytes();
                selection.atom(&Record {
                    residue: pack(residue.name.as_bytes()),
                    name: pack(name),
                    alternate: 0,
                    element: element(&name[..1]),
                    position: point.map(f64::from),
                    occupancy: b"",
                    b_factor: &b_factor,
                    hetatm: false,
                    in_chain: None,
                })?;
            }
        }
        Ok(())
    }
}

/// Reads an entry, which is one chain in one model.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Found, Fault> {
    if let Some(id) = &options.assembly {
        return Err(Fault::whole(Problem::NoAssembly(format!("no assembly {id}; FoldComp entries describe none"))));
    }
    let entry = Entry::of(bytes).map_err(Fault::whole)?;
    let predicted = says_predicted(entry.title) || entry.title.starts_with(b"AF-");
    let facts = Facts { predicted: predicted.then_some(BY_TITLE), ..Facts::default() };
    if matches!(options.models, Models::Number(number) if number != 1) {
        return Ok(Found { models: Vec::new(), facts, met: 1 });
    }
    let numbers = (0..entry.residues.len() as i32).map(|row| (entry.first_number + row).to_ne_bytes());
    let numbers: Vec<[u8; 4]> = numbers.collect();
    let mut selection = Selection::new(options, SYNTAX, 8 * numbers.len());
    entry.select(&numbers, &mut selection).map_err(Fault::whole)?;
    let draft = selection.into_draft().map_err(Fault::whole)?;
    Ok(Found { models: vec![(1, draft)], facts, met: 1 })
}
