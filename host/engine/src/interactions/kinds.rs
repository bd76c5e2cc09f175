//! The kinds of interactions: their names, rules and sources, declared once for the command, the documents and Python.

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident { $name:literal, ends: $ends:literal, rule: $rule:literal, angle: $angle:literal, source: $source:literal })*) => {
        /// A kind of interaction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Every kind, in the order of tables.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Its name in tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What the first and the second end are.
            #[must_use]
            pub fn ends(self) -> &'static str {
                match self { $(Self::$kind => $ends,)* }
            }

            /// When two ends interact.
            #[must_use]
            pub fn rule(self) -> &'static str {
                match self { $(Self::$kind => $rule,)* }
            }

            /// What the column `angle` has, in degrees; empty if nothing.
            #[must_use]
            pub fn angle(self) -> &'static str {
                match self { $(Self::$kind => $angle,)* }
            }

            /// Where the rule and its cut-offs come from.
            #[must_use]
            pub fn source(self) -> &'static str {
                match self { $(Self::$kind => $source,)* }
            }
        }
    };
}

kinds! {
    /// Hydrogen bonds.
    HBond {
        "hbond",
        ends: "donor, acceptor",
        rule: "donor and acceptor (N, O; S as donor) within 3.5 Å, hydrogen and acceptor within 2.7 Å, the angle at the hydrogen at least 110 degrees, those at the acceptor to the donor at least 90 degrees",
        angle: "donor, hydrogen, acceptor",
        source: "Baker and Hubbard 1984; McDonald and Thornton 1994"
    }
    /// Salt bridges.
    SaltBridge {
        "salt_bridge",
        ends: "cation, anion",
        rule: "a charged nitrogen or a metal ion, and a charged oxygen or halide, within 4.5 Å: the 4.0 Å of Barlow and Thornton, and 0.5 Å for the error of coordinates",
        angle: "",
        source: "Barlow and Thornton 1983; ProLIF; Arpeggio"
    }
    /// Parallel aromatic rings.
    PiStack {
        "pi_stack",
        ends: "ring, ring",
        rule: "centres within 5.5 Å, planes within 35 degrees of parallel, a centre's foot in the plane of the other ring within 2.5 Å of that ring's centre",
        angle: "between the planes",
        source: "McGaughey et al. 1998; PLIP; ProLIF"
    }
    /// Aromatic rings at right angles.
    TStack {
        "t_stack",
        ends: "ring, ring",
        rule: "centres within 6.5 Å, planes within 40 degrees of perpendicular, a centre's foot in the plane of the other ring within 2.5 Å of that ring's centre",
        angle: "between the planes",
        source: "McGaughey et al. 1998; ProLIF"
    }
    /// Cations over aromatic rings.
    CationPi {
        "cation_pi",
        ends: "cation, ring",
        rule: "a charged nitrogen within 6.0 Å of a ring's centre, its foot in the ring's plane within 2.0 Å of the centre",
        angle: "between the ring's normal and the line to the cation",
        source: "Gallivan and Dougherty 1999; PLIP"
    }
    /// Contacts of atoms without polar neighbours.
    Hydrophobic {
        "hydrophobic",
        ends: "atom, atom",
        rule: "the nearest two atoms of a pair of residues within 4.5 Å, among carbons with carbon and sulfur neighbours alone, thioethers, and Cl, Br, I of organic molecules",
        angle: "",
        source: "ProLIF; Arpeggio"
    }
    /// Disulfides.
    Disulfide {
        "disulfide",
        ends: "sulfur, sulfur",
        rule: "a bond that the file names, or sulfurs of two residues within 2.5 Å",
        angle: "",
        source: "Meng and Lewis 1991"
    }
    /// Covalent bonds between residues.
    Covalent {
        "covalent",
        ends: "atom, atom",
        rule: "a bond between residues that the file names, or atoms whose distance is at most 0.25 Å above and 0.3 Å below the sum of their covalent radii, unless two residues have more than two such pairs, so lie on each other; not those of a polymer's backbone, nor disulfides",
        angle: "",
        source: "Meng and Lewis 1991; Cordero et al. 2008"
    }
    /// Metals and the atoms that bind them.
    Metal {
        "metal",
        ends: "metal, atom",
        rule: "N, O, S or halogen within 3.0 Å of a metal (3.5 Å of K, Rb, Cs, Ba, Tl), unless a nitrogen's lone pair is taken; water too",
        angle: "",
        source: "Harding 2001, 2006; PLIP"
    }
    /// Water between two residues.
    WaterBridge {
        "water_bridge",
        ends: "atom, atom",
        rule: "a water with hydrogen bonds (as hbond) to atoms of two residues, 75 to 140 degrees apart",
        angle: "atom, water, atom",
        source: "Jiang et al. 2005; PLIP"
    }
    /// Halogen bonds.
    Halogen {
        "halogen",
        ends: "halogen, acceptor",
        rule: "Cl, Br or I on carbon within 4.0 Å of N, O or S with a free pair, the angle at the halogen 140 to 180 degrees, at the acceptor 80 to 150 degrees",
        angle: "carbon, halogen, acceptor",
        source: "Auffinger et al. 2004; PLIP"
    }
    /// Hydrogen bonds of carbon.
    WeakHBond {
        "weak_hbond",
        ends: "carbon, acceptor",
        rule: "a carbon with hydrogen within 3.6 Å of an acceptor, hydrogen and acceptor within 2.8 Å, the angle at the hydrogen at least 130 degrees, those at the acceptor at least 90 degrees",
        angle: "carbon, hydrogen, acceptor",
        source: "Derewenda et al. 1995; Arpeggio"
    }
    /// Atoms too near for their radii.
    Clash {
        "clash",
        ends: "atom, atom",
        rule: "atoms nearer than the sum of their van der Waals radii less 0.6 Å (less 1.0 Å for a donor and an acceptor), no bond or metal between them, and at least four bonds apart",
        angle: "",
        source: "ChimeraX; Bondi 1964; Mantina et al. 2009"
    }
    /// Pairs of bases.
    BasePair {
        "base_pair",
        ends: "base, base",
        rule: "bases of two nucleotides with a hydrogen bond between them, or between a base and the other's sugar (N or O within 3.6 Å, hydrogen and acceptor within 2.5 Å, the angle at the hydrogen at least 120 degrees; without hydrogens in the file, N and O within 3.6 Å are enough), planes within 65 degrees of parallel, the origins of the bases within 2.5 Å along the mean normal, not stacked. The class is cis or trans by the bonds to the sugars on the same or on other sides of the line of centres, and the edge of each base (Watson-Crick, Hoogsteen, sugar) with the most bonds",
        angle: "between the planes",
        source: "Leontis and Westhof 2001; Lu et al. 2015 (DSSR); biotite"
    }
    /// Stacked bases.
    BaseStack {
        "base_stack",
        ends: "base, base",
        rule: "centres of two rings within 4.5 Å, planes within 23 degrees of parallel, and the lines between such centres within 40 degrees of both normals",
        angle: "between the normals: near 0 where the bases face the same way",
        source: "Gabb et al. 1996; biotite"
    }
}

impl Kind {
    /// The kinds that interfaces count: all but those of bases.
    pub fn counted() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| !kind.is_of_bases())
    }

    /// Whether it is of pairs or stacks of bases.
    #[must_use]
    pub fn is_of_bases(self) -> bool {
        matches!(self, Self::BasePair | Self::BaseStack)
    }
}

impl std::str::FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == text).ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

/// A name that no kind has.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no kind of interaction {0:?}")]
pub struct UnknownKind(pub String);
