//! The per-residue inputs of kernels, declared once.
//!
//! From this one declaration the host makes the fields of a structure, the columns of a packed batch, buffers on a device,
//! columns of packed data sets, and columns of annotation files. A new input is a line here, the kernel that reads it, and
//! its test.

/// Calls a macro with all inputs of a residue.
///
/// For each: its documentation; its name, which is that of the field, the buffer and the column; the type of an element;
/// and what it is.
/// - `index`: says where things are. A structure must have it, and each value is checked.
/// - `value(absent)`: a structure may leave it empty; `absent` then stands for each residue.
/// - `annotation(absent, least, most)`: as `value`, and annotation files may give it, within those limits.
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
            /// Per residue, its alpha carbon counted from its structure's first atom, or [`shared_types::NO_CA`].
            ca_indices: u32, index;
            /// Per residue, its index in [`shared_types::RESIDUES`].
            residue_types: u8, index;
            /// Per residue, its chain: residues of a structure are of one chain when their numbers are equal.
            chain_ids: u32, index;
            /// Per residue, the B factor of its alpha carbon in Å²; NaN where it is unreadable, where there is no alpha
            /// carbon, and in predicted models, whose B column holds a confidence.
            bfactor: f32, value(f32::NAN);
            /// Per residue, conservation; NaN when absent.
            conservation: f32, annotation(f32::NAN, f32::MIN, f32::MAX);
            /// Per residue, the frequency (0 to 1) of the lineage's residue at this position; NaN when absent.
            gisaid_freq: f32, annotation(f32::NAN, 0.0, 1.0);
            /// Per residue, the relative growth rate of that frequency per day; NaN when absent.
            gisaid_velocity: f32, annotation(f32::NAN, f32::MIN, f32::MAX);
            /// Per residue, the B column of its alpha carbon as the file has it, a confidence in predicted models; NaN
            /// where it is unreadable or there is no alpha carbon.
            b_column: f32, value(f32::NAN);
            /// Per residue, which of its atoms have a part in dihedral angles and hydrogen bonds:
            /// [`shared_types::backbone::RoleAtoms`] as words.
            roles: [u32; 2], value(shared_types::backbone::NO_ROLES);
        }
    };
}
