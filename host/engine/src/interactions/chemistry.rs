//! What an atom can do, by its bonds: donate and accept hydrogen bonds, carry a charge, be hydrophobic.
//!
//! Protonation is that of water at pH 7: carboxylates, phosphates and sulfates lack their protons; aliphatic amines, guanidines and
//! amidines have one more. Histidine's ring and imidazoles like it may have either form: both nitrogens donate and accept, and count
//! as charged. Names of protonation states (ASH, GLH, LYN, HID, HIE) decide where they are given.

use super::elements::{C, Element, N, O, P, S, SE};
use super::model::{Class, Entity, Order, System};
use super::rings::Ring;
use super::termini::amino_end;

/// What hydrogens an atom has, and where they may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hydrogens {
    pub(super) count: u8,
    /// Whether they lie in the plane of the atom and its neighbours.
    pub(super) is_planar: bool,
}

/// What an atom can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chemistry {
    pub(super) hydrogens: Hydrogens,
    pub(super) donates: bool,
    pub(super) accepts: bool,
    /// Carbon, sulfur or halogen without polar neighbours.
    pub(super) is_hydrophobic: bool,
}

/// Atoms that share a charge.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Charge {
    pub(super) is_positive: bool,
    /// The atoms that carry it.
    pub(super) atoms: Vec<u32>,
}

/// The chemistry of each atom, and the charges.
pub(super) struct Perceived {
    pub(super) atoms: Vec<Chemistry>,
    pub(super) charges: Vec<Charge>,
}

/// What follows from an atom's bonds alone.
struct Bonded<'s> {
    system: &'s System,
    is_aromatic: Vec<bool>,
}

impl Bonded<'_> {
    fn ends(&self, atom: u32) -> impl Iterator<Item = (u32, Order)> {
        self.system.bonds.of(atom).iter().copied().filter(|&(end, _)| !self.system.element(end).is_metal())
    }

    fn degree(&self, atom: u32) -> usize {
        self.ends(atom).count()
    }

    fn element(&self, atom: u32) -> Element {
        self.system.element(atom)
    }

    /// The sum of bond orders, in halves.
    fn halves(&self, atom: u32) -> u32 {
        let half = |order| match order {
            Order::Single => 2,
            Order::Double => 4,
            Order::Triple => 6,
            Order::Aromatic => 3,
        };
        self.ends(atom).map(|(_, order)| half(order)).sum()
    }

    fn is_unsaturated(&self, atom: u32) -> bool {
        self.ends(atom).any(|(_, order)| order != Order::Single)
    }

    /// Whether it is a terminal oxygen or sulfur.
    fn is_terminal(&self, atom: u32, element: Element) -> bool {
        self.element(atom) == element && self.degree(atom) == 1
    }

    fn terminal_oxygens(&self, atom: u32) -> impl Iterator<Item = u32> {
        self.ends(atom).map(|(end, _)| end).filter(|&end| self.is_terminal(end, O))
    }

    /// Whether a lone pair is shared with a neighbour: amides, anilines, guanidines, esters.
    fn is_conjugated(&self, atom: u32) -> bool {
        self.is_aromatic[atom as usize]
            || self.ends(atom).any(|(end, _)| {
                matches!(self.element(end), C | N) && self.is_unsaturated(end)
                    || matches!(self.element(end), S | P) && self.terminal_oxygens(end).next().is_some()
            })
    }

    /// Whether a nitrogen is that of an amine, which takes a proton.
    fn is_amine(&self, atom: u32) -> bool {
        self.element(atom) == N
            && !self.is_unsaturated(atom)
            && !self.is_conjugated(atom)
            && self.degree(atom) > 0
            && self.ends(atom).all(|(end, _)| self.element(end) == C)
    }
}

/// Finds out about all atoms.
pub(super) fn perceive(system: &System, rings: &[Ring]) -> Perceived {
    let mut is_aromatic = vec![false; system.atoms.len()];
    rings.iter().flat_map(|ring| &ring.atoms).for_each(|&atom| is_aromatic[atom as usize] = true);
    let bonded = Bonded { system, is_aromatic };
    let mut atoms: Vec<Chemistry> = (0..system.atoms.len() as u32).map(|atom| of_atom(&bonded, atom)).collect();
    let mut charges = Vec::new();
    for atom in 0..system.atoms.len() as u32 {
        charge(&bonded, atom, &mut atoms, &mut charges);
    }
    for ring in rings {
        imidazole(&bonded, ring, &mut atoms, &mut charges);
    }
    charges.retain(|charge| !charge.atoms.iter().any(|&atom| is_named_neutral(system, atom)));
    for index in 0..system.residues.len() {
        named_state(system, index, &mut atoms);
        amino_end(system, index, &mut atoms, &mut charges);
    }
    Perceived { atoms, charges }
}

fn of_atom(bonded: &Bonded<'_>, atom: u32) -> Chemistry {
    let element = bonded.element(atom);
    let residue = bonded.system.residue_of(atom);
    if residue.entity == Entity::Water {
        let is_oxygen = element == O;
        let hydrogens = Hydrogens { count: 2 * u8::from(is_oxygen), is_planar: false };
        return Chemistry { hydrogens, donates: is_oxygen, accepts: is_oxygen, is_hydrophobic: false };
    }
    let (halves, degree) = (bonded.halves(atom), bonded.degree(atom));
    // One more of an aromatic nitrogen's halves is that of its lone pair.
    let orders = halves / 2;
    let valence: u32 = match element {
        C => 4,
        N => 3,
        O => 2,
        S | SE if orders <= 2 => 2,
        _ => 0,
    };
    let count = valence.saturating_sub(orders) as u8;
    let is_conjugated = bonded.is_conjugated(atom);
    let is_planar = bonded.is_unsaturated(atom) || element == N && is_conjugated && !bonded.is_amine(atom);
    let hydrogens = Hydrogens { count, is_planar };
    let polar_ends = || {
        bonded
            .ends(atom)
            .any(|(end, _)| !matches!(bonded.element(end), C | S | SE) && !bonded.element(end).is_halogen())
    };
    let (donates, accepts) = match element {
        N => {
            // A lone pair that is not shared: pyridine's, nitrile's, imine's. Amines have lost theirs to a proton.
            let is_free = bonded.is_unsaturated(atom) && degree <= 2 && count == 0
                || count == 1 && degree == 1 && bonded.is_unsaturated(atom);
            (count > 0, is_free && halves <= 6)
        }
        O => {
            let of_acid = |end: u32| match bonded.element(end) {
                C => bonded.terminal_oxygens(end).count() == 2,
                P => true,
                S => bonded.terminal_oxygens(end).count() >= 3,
                N => bonded.is_unsaturated(end),
                _ => false,
            };
            let is_acid = degree == 1 && bonded.ends(atom).any(|(end, _)| of_acid(end));
            // Oxygens of rings and esters share their pairs.
            let is_ester = degree == 2
                && bonded
                    .ends(atom)
                    .any(|(end, _)| bonded.element(end) == C && bonded.terminal_oxygens(end).count() == 1);
            let is_shared = is_ester || bonded.is_aromatic[atom as usize];
            (count > 0 && !is_acid, !is_shared)
        }
        S => (count > 0 && degree == 1 && !bonded.is_unsaturated(atom), false),
        _ => (false, residue.entity == Entity::Ion && element.is_halogen()),
    };
    let is_hydrophobic = match element {
        C => !polar_ends(),
        S => degree == 2 && orders == 2 && !polar_ends(),
        element => element.is_heavy_halogen() && degree == 1,
    };
    Chemistry { hydrogens, donates, accepts, is_hydrophobic }
}

/// The charge of which an atom is the centre.
fn charge(bonded: &Bonded<'_>, atom: u32, atoms: &mut [Chemistry], charges: &mut Vec<Charge>) {
    let element = bonded.element(atom);
    let oxygens: Vec<u32> = bonded.terminal_oxygens(atom).collect();
    let is_acid = match element {
        C => oxygens.len() == 2,
        P => !oxygens.is_empty() && (oxygens.len() > 1 || bonded.ends(atom).any(|(end, _)| bonded.is_terminal(end, S))),
        // Nitrate.
        N => oxygens.len() == 3,
        S => oxygens.len() >= 3,
        _ => false,
    };
    if is_acid {
        for &oxygen in &oxygens {
            atoms[oxygen as usize].hydrogens.count = 0;
            atoms[oxygen as usize].accepts = true;
        }
        charges.push(Charge { is_positive: false, atoms: oxygens });
        return;
    }
    match element {
        N if bonded.halves(atom) == 8 && !bonded.is_conjugated(atom) && oxygens.is_empty() => {
            charges.push(Charge { is_positive: true, atoms: vec![atom] });
        }
        N if bonded.is_amine(atom) && bonded.system.residue_of(atom).class != Class::AminoAcid
            || N == element && bonded.is_amine(atom) && &*bonded.system.atoms[atom as usize].name != "N" =>
        {
            let own = &mut atoms[atom as usize];
            own.hydrogens = Hydrogens { count: 4_usize.saturating_sub(bonded.degree(atom)) as u8, is_planar: false };
            own.donates = own.hydrogens.count > 0;
            own.accepts = false;
            charges.push(Charge { is_positive: true, atoms: vec![atom] });
        }
        C if !bonded.is_aromatic[atom as usize] => {
            // Guanidines and amidines: a carbon with a double bond to nitrogen, and nitrogens without other groups that take their
            // electrons.
            let nitrogens: Vec<u32> =
                bonded.ends(atom).map(|(end, _)| end).filter(|&end| bonded.element(end) == N).collect();
            let has_double = bonded.ends(atom).any(|(end, order)| order == Order::Double && bonded.element(end) == N);
            let takes = |nitrogen: u32| {
                bonded.is_aromatic[nitrogen as usize]
                    || bonded
                        .ends(nitrogen)
                        .any(|(end, _)| end != atom && (bonded.is_unsaturated(end) || bonded.element(end) != C))
            };
            let others = bonded.degree(atom) - nitrogens.len();
            if has_double && nitrogens.len() >= 2 && others <= 1 && !nitrogens.iter().any(|&nitrogen| takes(nitrogen)) {
                for &nitrogen in &nitrogens {
                    let degree = bonded.degree(nitrogen) as u8;
                    let own = &mut atoms[nitrogen as usize];
                    own.hydrogens = Hydrogens { count: 3_u8.saturating_sub(degree), is_planar: true };
                    own.donates = own.hydrogens.count > 0;
                    own.accepts = false;
                }
                charges.push(Charge { is_positive: true, atoms: nitrogens });
            }
        }
        _ if bonded.system.residue_of(atom).entity == Entity::Ion && element.is_metal() => {
            charges.push(Charge { is_positive: true, atoms: vec![atom] });
        }
        _ if bonded.system.residue_of(atom).entity == Entity::Ion && element.is_halogen() => {
            charges.push(Charge { is_positive: false, atoms: vec![atom] });
        }
        _ => {}
    }
}

/// Imidazoles: two nitrogens of a ring of five with no other neighbours, of which either may have the proton.
fn imidazole(bonded: &Bonded<'_>, ring: &Ring, atoms: &mut [Chemistry], charges: &mut Vec<Charge>) {
    let nitrogens: Vec<u32> = ring.atoms.iter().copied().filter(|&atom| bonded.element(atom) == N).collect();
    let others_are_carbon = ring.atoms.iter().all(|&atom| matches!(bonded.element(atom), N | C));
    let [a, b] = nitrogens[..] else { return };
    let is_alone = |atom: u32| bonded.degree(atom) == 2;
    let is_fused = ring
        .atoms
        .iter()
        .any(|&atom| bonded.degree(atom) == 3 && bonded.ends(atom).all(|(end, _)| bonded.is_aromatic[end as usize]));
    let apart = bonded.ends(a).any(|(middle, _)| bonded.ends(middle).any(|(end, _)| end == b));
    if ring.atoms.len() != 5 || !others_are_carbon || !apart || !is_alone(a) || !is_alone(b) {
        return;
    }
    for nitrogen in [a, b] {
        let own = &mut atoms[nitrogen as usize];
        *own = Chemistry { hydrogens: Hydrogens { count: 1, is_planar: true }, donates: true, accepts: true, ..*own };
    }
    // Benzimidazoles and purines are weaker bases.
    if !is_fused {
        charges.push(Charge { is_positive: true, atoms: vec![a, b] });
    }
}

/// Whether a residue's name says that the side chain of this atom has no charge.
fn is_named_neutral(system: &System, atom: u32) -> bool {
    const NEUTRAL: [&str; 7] = ["ASH", "GLH", "LYN", "HID", "HSD", "HIE", "HSE"];
    let is_backbone = ["O", "OXT", "N"].contains(&&*system.atoms[atom as usize].name);
    !is_backbone && NEUTRAL.contains(&&*system.residue_of(atom).name)
}

/// Changes what the name of a protonation state says.
fn named_state(system: &System, index: usize, atoms: &mut [Chemistry]) {
    let residue = &system.residues[index];
    let (donor, acceptor) = match &*residue.name {
        "ASH" => ("OD2", ""),
        "GLH" => ("OE2", ""),
        "LYN" => ("", "NZ"),
        "HID" | "HSD" => ("ND1", "NE2"),
        "HIE" | "HSE" => ("NE2", "ND1"),
        "HIP" | "HSP" => ("ND1 NE2", ""),
        _ => return,
    };
    for atom in residue.range() {
        let name = &*system.atoms[atom].name;
        let is = |names: &str| names.split(' ').any(|own| own == name);
        if is(donor) {
            let accepts = system.atoms[atom].element == O;
            let hydrogens = Hydrogens { count: 1, is_planar: !accepts };
            atoms[atom] = Chemistry { hydrogens, donates: true, accepts, ..atoms[atom] };
        } else if is(acceptor) {
            let count = if name == "NZ" { 2 } else { 0 };
            let hydrogens = Hydrogens { count, is_planar: false };
            atoms[atom] = Chemistry { hydrogens, donates: count > 0, accepts: true, ..atoms[atom] };
        }
    }
}
