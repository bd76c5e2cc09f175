//! The files that a run writes.

use crate::cli::args::ConfidenceArgs;
use crate::cli::failure::Failure;
use crate::cli::report::Report;
use prism_host::confidence::Scores;
use prism_host::output::{
    COMPARED_PAIR_COLUMNS, COMPARED_STRUCTURE_COLUMNS, CellKind, CellTable, Cells, LineTable, LinesFile, OutputError,
    PAIR_COLUMNS, Provenance, RESIDUE_COLUMNS, RelationColumn, STRUCTURE_COLUMNS, StructureRow, append_pairs,
    append_residues, append_structures, several_rankings,
};
use std::io::{BufWriter, stdout};
use std::path::Path;
use std::time::Duration;

/// Where rows go.
pub struct Tables {
    pairs: Pairs,
    residues: Option<LinesFile>,
    /// The rows of structures, whose ranks follow from all of them.
    pub structures: Vec<StructureRow>,
}

/// The table of pairs.
enum Pairs {
    Shown(Box<dyn LineTable>),
    File(LinesFile),
}

/// The columns of pairs.
pub fn pair_columns(args: &ConfidenceArgs) -> &'static [RelationColumn] {
    if args.reference.is_some() { &COMPARED_PAIR_COLUMNS } else { &PAIR_COLUMNS }
}

impl Tables {
    pub fn create(
        args: &ConfidenceArgs,
        output: Option<&Path>,
        residues: Option<&Path>,
        provenance: &Provenance,
    ) -> Result<Self, OutputError> {
        let columns = pair_columns(args);
        let residues = residues.map(|path| LinesFile::create(path, &RESIDUE_COLUMNS, provenance)).transpose()?;
        let pairs = match output {
            Some(path) => Pairs::File(LinesFile::create(path, columns, provenance)?),
            None => Pairs::Shown(Box::new(CellTable::csv(BufWriter::new(stdout()), columns))),
        };
        Ok(Self { pairs, residues, structures: Vec::new() })
    }

    /// Files to remove if the program ends without a drop.
    pub fn temporary_paths(&self) -> impl Iterator<Item = Option<&Path>> {
        let pairs = if let Pairs::File(file) = &self.pairs { file.temporary_path() } else { None };
        [pairs, self.residues.as_ref().and_then(LinesFile::temporary_path)].into_iter()
    }

    pub fn append(&mut self, scores: &Scores) -> Result<(), OutputError> {
        let mut pairs = |cells: &mut [Cells]| append_pairs(scores, cells);
        match &mut self.pairs {
            Pairs::File(file) => file.append(&mut pairs)?,
            Pairs::Shown(table) => table.append(&mut pairs)?,
        }
        if let Some(file) = &mut self.residues {
            file.append(&mut |cells| append_residues(scores, cells))?;
        }
        self.structures.push(StructureRow::new(scores));
        Ok(())
    }

    /// Writes what is not written yet. Returns the bytes of the files of residues and of pairs, and the rows of structures.
    pub fn finish(self) -> Result<([u64; 2], Vec<StructureRow>), OutputError> {
        let residues = self.residues.map(LinesFile::commit).transpose()?.unwrap_or_default();
        let pairs = match self.pairs {
            Pairs::File(file) => file.commit()?,
            Pairs::Shown(table) => table.finish().map(|()| 0)?,
        };
        Ok(([residues, pairs], self.structures))
    }
}

/// Writes the table of structures, and says what its ranks compare.
pub fn write_structures(
    args: &ConfidenceArgs,
    path: &Path,
    rows: &[StructureRow],
    provenance: &Provenance,
    report: &Report,
) -> Result<(), OutputError> {
    if let Some(note) = several_rankings(rows) {
        report.note(&note);
    }
    if args.best.is_some() && !rows.is_empty() && rows.iter().all(|row| row.ipsae().is_nan()) {
        report.note("no structure has an ipSAE, by which --best chooses: the designs are in the order of the inputs");
    }
    let columns = if args.reference.is_some() { &COMPARED_STRUCTURE_COLUMNS } else { &STRUCTURE_COLUMNS };
    let mut file = LinesFile::create(path, columns, provenance)?;
    file.append(&mut |cells| append_structures(rows, args.best.map(|best| best as usize), cells))?;
    file.commit().map(drop)
}

/// The columns of `--status`.
const STATUS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the name of the structure"),
    RelationColumn::new("residues", CellKind::Int, "", "the number of residues; 0 if it failed"),
    RelationColumn::new("chains", CellKind::Int, "", "the number of chains"),
    RelationColumn::new("tokens", CellKind::Int, "", "the number of the predictor's tokens"),
    RelationColumn::new("notes", CellKind::Text, "", "choices, and what is odd about the files"),
    RelationColumn::new("error", CellKind::Text, "", "why it failed"),
    RelationColumn::new("milliseconds", CellKind::Float, "ms", "the time of reading and computing"),
];

/// The file of `--status`, if it is requested.
pub struct Status(Option<LinesFile>);

impl Status {
    pub fn create(path: Option<&Path>, provenance: &Provenance) -> Result<Self, OutputError> {
        Ok(Self(path.map(|path| LinesFile::create(path, STATUS, provenance)).transpose()?))
    }

    pub fn append(
        &mut self,
        name: &str,
        scores: Option<&Scores>,
        error: &str,
        time: Duration,
    ) -> Result<(), OutputError> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let count = |of: fn(&Scores) -> usize| scores.map_or(0, |scores| of(scores) as i32);
        file.append(&mut |cells| {
            let [
                Cells::Text(names),
                Cells::Int(residues),
                Cells::Int(chains),
                Cells::Int(tokens),
                Cells::Text(notes),
                Cells::Text(errors),
                Cells::Float(times),
            ] = cells
            else {
                return;
            };
            names.push(name);
            residues.push(count(|scores| scores.n_residues));
            chains.push(count(|scores| scores.structure.chains));
            tokens.push(count(|scores| scores.structure.tokens));
            notes.push(scores.map_or_else(String::new, |scores| {
                scores.all_warnings().chain(scores.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
            }));
            errors.push(error);
            times.push(1e3 * time.as_secs_f32());
        })
    }

    pub fn finish(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), |file| Ok(file.commit().map(drop)?))
    }
}
