//! Atoms in columns along z.

use super::Point;
use std::ops::Range;

/// Edge of a column in Å: two of the largest spheres touch at 6.54 Å.
const WIDTH: f32 = 6.6;

/// Height in Å of a slab of a column, whose atoms share the atoms around them.
const SLAB: f32 = 3.0;

/// Atoms in the order of their columns, and of z in each column.
pub(super) struct Columns {
    /// The index that each atom had before.
    indices: Vec<u32>,
    pub(super) places: [Vec<f32>; 3],
    /// The same places and kinds, atom by atom.
    pub(super) atoms: Vec<(Point, u8)>,
    columns: Vec<([i32; 2], Range<usize>)>,
}

impl Columns {
    pub(super) fn new(atoms: &[(u8, Point)]) -> Self {
        let column = |along: f32| (along / WIDTH).floor() as i32;
        let mut order: Vec<([i32; 2], i32, u32)> =
            (0..).zip(atoms).map(|(index, (_, [x, y, z]))| ([column(*x), column(*y)], ordered(*z), index)).collect();
        order.sort_unstable();
        let mut begin = 0;
        let columns = order.chunk_by(|a, b| a.0 == b.0).map(|own| {
            begin += own.len();
            (own[0].0, begin - own.len()..begin)
        });
        let columns = columns.collect();
        let indices: Vec<u32> = order.into_iter().map(|(_, _, index)| index).collect();
        let along = |axis: usize| indices.iter().map(|index| atoms[*index as usize].1[axis]).collect();
        let places = [along(0), along(1), along(2)];
        let atoms = indices.iter().map(|index| atoms[*index as usize]).map(|(kind, place)| (place, kind)).collect();
        Self { indices, places, atoms, columns }
    }

    pub(super) fn index(&self, atom: usize) -> usize {
        self.indices[atom] as usize
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().map(|(at, atoms)| Column { rest: atoms.clone(), windows: self.windows(*at) })
    }

    /// Empty windows of a column and of those around it.
    fn windows(&self, [x, y]: [i32; 2]) -> Vec<Window> {
        let mut windows = Vec::with_capacity(9);
        for x in x.saturating_sub(1)..=x.saturating_add(1) {
            let (first, last) = ([x, y.saturating_sub(1)], [x, y.saturating_add(1)]);
            let begin = self.columns.partition_point(|(at, _)| *at < first);
            let columns = self.columns[begin..].iter().take_while(|(at, _)| *at <= last);
            windows.extend(columns.map(|(_, atoms)| Window { atoms: atoms.start..atoms.start, end: atoms.end }));
        }
        windows
    }
}

/// Bits as a number, so that floats of higher bits are larger.
fn ordered(number: f32) -> i32 {
    let bits = number.to_bits().cast_signed();
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// The atoms of a column that are near a slab.
struct Window {
    atoms: Range<usize>,
    /// The end of the column.
    end: usize,
}

/// A column on the way along it.
pub(super) struct Column {
    rest: Range<usize>,
    windows: Vec<Window>,
}

impl Column {
    /// The atoms of the next slab.
    pub(super) fn next_slab(&mut self, all: &Columns) -> Option<Range<usize>> {
        let zs = &all.places[2][self.rest.clone()];
        let first = zs.first()?;
        let length = 1 + zs[1..].iter().take_while(|z| **z - first <= SLAB).count();
        let begin = self.rest.start;
        self.rest.start += length;
        Some(begin..self.rest.start)
    }

    /// Atoms around a slab, range by range. Slabs come in their order.
    pub(super) fn around(&mut self, slab: &Range<usize>, all: &Columns) -> impl Iterator<Item = Range<usize>> {
        let [low, high] = [slab.start, slab.end - 1].map(|atom| all.places[2][atom]);
        self.windows.iter_mut().map(move |Window { atoms, end }| {
            let zs = &all.places[2][..*end];
            // Differences, which round as those of the distances.
            while zs.get(atoms.start).is_some_and(|z| low - z > WIDTH) {
                atoms.start += 1;
            }
            atoms.end = atoms.end.max(atoms.start);
            while zs.get(atoms.end).is_some_and(|z| z - high <= WIDTH) {
                atoms.end += 1;
            }
            atoms.clone()
        })
    }
}
