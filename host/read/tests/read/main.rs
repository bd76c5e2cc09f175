//! The reader: formats, residues, odd and damaged files, and comparisons with other readers.

mod against_pdbtbx;
mod arrays;
mod assembly;
mod atoms;
mod b_columns;
mod cif;
mod corpus;
mod ends;
mod ends_of_molecules;
mod findings;
mod foldcomp;
mod formats;
mod fuzz;
mod labels;
mod malformed;
mod molecules;
mod names;
mod nucleotides;
mod pdbtbx;
mod programs;
mod radii;
mod read_common;
mod repeats;
mod residues;
mod selected;
mod selection;
