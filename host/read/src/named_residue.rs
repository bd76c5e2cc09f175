//! What a file calls a residue.

/// A residue as its file identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NamedResidue<'a> {
    /// The author's chain id; `" "` for a blank one in a PDB file.
    pub chain: &'a str,
    /// The author's residue number.
    pub number: i32,
    /// The insertion code, usually empty.
    pub insertion_code: &'a str,
    /// The residue's name.
    pub name: &'a str,
}
