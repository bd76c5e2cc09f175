//! The per-residue inputs of kernels, declared once.
//!
//! From this declaration the host derives the fields of a structure, the columns of a packed batch, device buffers, columns
//! of packed data sets, and columns of annotation files. A new input takes a line here, the kernel that reads it, and its
//! test.

/// Calls a macro with all per-residue inputs.
///
/// Each input has its documentation, its name (of the field, buffer and column), the type of an element, and its kind:
/// - `index`: refers to other data. A structure must have it, and each value is checked.
/// - `value(absent)`: a structure may leave it empty; every residue then has the value `absent`.
/// - `annotation(absent, least, most)`: as `value`, and annotation files may give it within these limits.
///
/// ```
/// macro_rules! names {
///     ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
///         const NAMES: &[&str] = &[$(stringify!($name)),*];
///     };
/// }
/// shared_types::residue_inputs!(names);
/// assert!(NAMES.contains(&"ca_indices") && NAMES.contains(&"conservation"));
/// ```
#[macro_export]
macro_rules! residue_inputs {
    ($callback:ident) => {
        $callback! {
            /// Per residue, the index of its alpha carbon, counted from its structure's first atom, or
            /// [`shared_types::NO_CA`].
            ca_indices: u32, index;
            /// Per residue, its index in [`shared_types::RESIDUES`].
            residue_types: u8, index;
            /// Per residue, its chain: residues of a structure with equal numbers belong to one chain.
            chain_ids: u32, index;
            /// Per residue, the B factor of its alpha carbon in Å². NaN if it is unreadable or there is no alpha carbon,
            /// and in predicted models, whose B column holds a confidence.
            bfactor: f32, value(f32::NAN);
            /// Per residue, conservation; NaN when absent.
            conservation: f32, annotation(f32::NAN, f32::MIN, f32::MAX);
            /// Per residue, the frequency (0 to 1) of the lineage's residue at this position; NaN when absent.
            gisaid_freq: f32, annotation(f32::NAN, 0.0, 1.0);
            /// Per residue, the relative growth rate of that frequency per day; NaN when absent.
            gisaid_velocity: f32, annotation(f32::NAN, f32::MIN, f32::MAX);
            /// Per residue, the B column of its alpha carbon as in the file, a confidence in predicted models. NaN if it is
            /// unreadable or there is no alpha carbon.
            b_column: f32, value(f32::NAN);
            /// Per residue, the atoms that define its dihedral angles and hydrogen bonds:
            /// [`shared_types::backbone::RoleAtoms`] as words.
            roles: [u32; 2], value(shared_types::backbone::NO_ROLES);
            /// Per residue, the row that its bond closes a cyclic chain with, counted from its structure's first residue: for the
            /// first row of such a chain the last one, and the other way round. [`shared_types::backbone::NOT_CLOSED`] elsewhere.
            closures: u32, value(shared_types::backbone::NOT_CLOSED);
            /// Per residue, the atoms that define a nucleotide's torsions: [`shared_types::nucleotide::NucleotideAtoms`] as words.
            nucleotide_atoms: [u32; 3], value(shared_types::nucleotide::NO_NUCLEOTIDE);
        }
    };
}
