//! The text of a `.dssp` file.

use super::header::{author, compound, header, source};
use super::residue::{Bridge, HelixPart, HydrogenBond, Residue};
use super::{Dssp, Statistics};
use prism_read::PolymerResidue;
use std::fmt::Write as _;

const BINS_LINE: &str = "  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30     *** HISTOGRAMS OF ***           .\n";
const COLUMNS: &str = "  #  RESIDUE AA STRUCTURE BP1 BP2  ACC     N-H-->O    O-->H-N    N-H-->O    O-->H-N    TCO  KAPPA ALPHA  PHI   PSI    X-CA   Y-CA   Z-CA\n";
const REFERENCE: &str = "REFERENCE W. KABSCH AND C.SANDER, BIOPOLYMERS 22 (1983) 2577-2637                                                              .\n";

/// Writes the text with a date.
pub(super) fn write(dssp: &Dssp, date: &str) -> String {
    // A line has 137 bytes.
    let mut text = String::with_capacity(138 * (dssp.residues.len() + 40));
    let _ = writeln!(
        text,
        "==== Secondary Structure Definition by the program DSSP, NKI version 4.0                           ==== DATE={date}        ."
    );
    text.push_str(REFERENCE);
    for line in [header(&dssp.header), compound(&dssp.header), source(&dssp.header), author(&dssp.header)] {
        text.push_str(&line);
        text.push_str(".\n");
    }
    statistics(&mut text, &dssp.statistics, dssp.residues.len());
    text.push_str(COLUMNS);
    let mut last = 0;
    for (residue, own) in dssp.residues.iter().zip(&dssp.polymers) {
        if residue.number != last + 1 {
            let kind = if residue.follows_gap { ' ' } else { '*' };
            let _ = writeln!(
                text,
                "{:5}        !{kind}             0   0    0      0, 0.0     0, 0.0     0, 0.0     0, 0.0   0.000 360.0 360.0 360.0 360.0    \
                 0.0    0.0    0.0",
                last + 1
            );
        }
        line(&mut text, &dssp.residues, residue, own);
        last = residue.number;
    }
    text
}

fn statistics(text: &mut String, of: &Statistics, residues: usize) {
    let [disulfides, within] = of.disulfides;
    let _ = writeln!(
        text,
        "{residues:5}{:3}{disulfides:3}{within:3}{:3} TOTAL NUMBER OF RESIDUES, NUMBER OF CHAINS, NUMBER OF \
         SS-BRIDGES(TOTAL,INTRACHAIN,INTERCHAIN)                .",
        of.chains,
        disulfides - within
    );
    let _ = writeln!(
        text,
        "{:8.1}   ACCESSIBLE SURFACE OF PROTEIN (ANGSTROM**2)                                                                         .",
        of.accessible
    );
    let mut bonds = |count: usize, kind: &str| {
        let share = match residues {
            // 0 divided by 0, as C writes it.
            0 => " -nan".to_owned(),
            _ => format!("{:5.1}", count as f64 * 100.0 / residues as f64),
        };
        let _ = writeln!(
            text,
            "{count:5}{share}   TOTAL NUMBER OF HYDROGEN BONDS {kind}, SAME NUMBER PER 100 RESIDUES                              ."
        );
    };
    let [all, parallel, antiparallel] = of.hydrogen_bonds;
    bonds(all, "OF TYPE O(I)-->H-N(J)  ");
    bonds(parallel, "IN     PARALLEL BRIDGES");
    bonds(antiparallel, "IN ANTIPARALLEL BRIDGES");
    for (count, apart) in of.by_distance.iter().zip(-5_i32..) {
        let sign = if apart < 0 { '-' } else { '+' };
        bonds(*count, &format!("OF TYPE O(I)-->H-N(I{sign}{})", apart.abs()));
    }
    text.push_str(BINS_LINE);
    let [parallel, antiparallel] = &of.ladders;
    for (bins, what) in [
        (&of.helices, "RESIDUES PER ALPHA HELIX         ."),
        (parallel, "PARALLEL BRIDGES PER LADDER      ."),
        (antiparallel, "ANTIPARALLEL BRIDGES PER LADDER  ."),
        (&of.sheets, "LADDERS PER SHEET                ."),
    ] {
        for bin in bins {
            let _ = write!(text, "{bin:3}");
        }
        let _ = writeln!(text, "    {what}");
    }
}

/// The sign of a residue's place in a kind of helix: 3, 4 or 5 residues per turn, or P.
pub(super) fn helix_sign(part: HelixPart, kind: usize) -> char {
    match part {
        HelixPart::None => ' ',
        HelixPart::Start => '>',
        HelixPart::End => '<',
        HelixPart::StartAndEnd => 'X',
        HelixPart::Middle => ['3', '4', '5', 'P'][kind],
    }
}

/// `+` or `-` for the sign of alpha.
pub(super) fn chirality(residue: &Residue) -> char {
    match residue.alpha {
        super::residue::UNDEFINED => ' ',
        alpha if alpha < 0.0 => '-',
        _ => '+',
    }
}

fn line(text: &mut String, residues: &[Residue], residue: &Residue, own: &PolymerResidue) {
    let letter = match (residue.letter, residue.disulfide) {
        ('C', number @ 1..) => char::from(b'a' + (number - 1) % 26),
        (letter, _) => letter,
    };
    let [turn3, turn4, turn5, polyproline] = [0, 1, 2, 3].map(|kind| helix_sign(residue.helices[kind], kind));
    let first = |name: &str| name.chars().next().unwrap_or(' ');
    let label = |bridge: Option<Bridge>| {
        let letter = (bridge.map_or(0, |bridge| bridge.ladder) % 26) as u8;
        match bridge {
            None => ' ',
            Some(bridge) if bridge.is_parallel => char::from(b'a' + letter),
            Some(_) => char::from(b'A' + letter),
        }
    };
    let [first_bridge, second_bridge] = residue.bridges;
    let partner = |bridge: Option<Bridge>| bridge.map_or(0, |bridge| residues[bridge.residue].number % 10_000);
    let sheet = if residue.sheet == 0 { ' ' } else { char::from(b'A' + ((residue.sheet - 1) % 26) as u8) };
    let _ = write!(
        text,
        "{:5}{:5}{}{} {letter}  {}{polyproline}{turn3}{turn4}{turn5}{}{}{}{}{:4}{:4}{sheet}{:4.0} ",
        residue.number,
        own.number,
        first(&own.icode),
        first(&own.chain),
        residue.state.letter(),
        if residue.is_bend { 'S' } else { ' ' },
        chirality(residue),
        label(first_bridge),
        label(second_bridge),
        partner(first_bridge),
        partner(second_bridge),
        (f64::from(residue.accessibility) + 0.5).floor(),
    );
    let bond = |bond: Option<HydrogenBond>| match bond {
        None => "0, 0.0".to_owned(),
        Some(bond) => format!("{},{:3.1}", residues[bond.residue].number - residue.number, bond.energy),
    };
    for (acceptor, donor) in residue.acceptors.into_iter().zip(residue.donors) {
        let _ = write!(text, "{:>11}{:>11}", bond(acceptor), bond(donor));
    }
    let [x, y, z] = own.backbone[1];
    let _ = writeln!(
        text,
        "  {:6.3}{:6.1}{:6.1}{:6.1}{:6.1} {x:6.1} {y:6.1} {z:6.1}",
        residue.tco, residue.kappa, residue.alpha, residue.phi, residue.psi
    );
}
