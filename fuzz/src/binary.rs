//! BinaryCIF: arbitrary bytes, and tables in every encoding, which must give the same structures as the same table in text.

use crate::bytes::Bytes;
use crate::reading::{assembly, check, options};
use prism_host::ReadOptions;
use prism_host::read::read_structures;
use std::fmt::Write;

/// Arbitrary bytes as a BinaryCIF file, or a table encoded as one.
pub fn bcif(data: &[u8]) {
    let options = options(data);
    match data {
        [0, rest @ ..] => {
            let rows = rows(&mut Bytes::new(rest));
            let mut bytes = Bytes::new(rest);
            let [binary, text] = [encoded(&rows, &mut bytes), written(&rows).into_bytes()]
                .map(|file| read_structures(&file, "x", &options));
            check(&binary);
            for (one, other) in binary.iter().zip(&text) {
                match (one, other) {
                    (Ok(one), Ok(other)) => {
                        assert_eq!(format!("{:?}", one.structure), format!("{:?}", other.structure))
                    }
                    (Err(_), Err(_)) => {}
                    _ => panic!("of numbers {one:?}, of text {other:?}"),
                }
            }
            assert_eq!(binary.len(), text.len());
        }
        _ => check(&read_structures(data, "x", &ReadOptions { assembly: assembly(data), ..options })),
    }
}

/// The columns of a table of atoms: texts, then integers, then numbers with their decimals.
const TEXTS: [&str; 9] = [
    "group_PDB",
    "type_symbol",
    "label_atom_id",
    "label_alt_id",
    "label_comp_id",
    "label_asym_id",
    "pdbx_PDB_ins_code",
    "auth_asym_id",
    "label_entity_id",
];
const INTS: [&str; 3] = ["label_seq_id", "auth_seq_id", "pdbx_PDB_model_num"];
const FIXED: [(&str, u32); 5] =
    [("Cartn_x", 3), ("Cartn_y", 3), ("Cartn_z", 3), ("occupancy", 2), ("B_iso_or_equiv", 2)];

/// A row of a table of atoms.
struct Row {
    texts: [&'static str; TEXTS.len()],
    ints: [Option<i32>; INTS.len()],
    fixed: [i32; FIXED.len()],
}

fn rows(bytes: &mut Bytes<'_>) -> Vec<Row> {
    let mut residue = 0;
    let mut rows = Vec::new();
    for _ in 0..1 + bytes.below(40) {
        let kind = bytes.byte();
        residue += i32::from(kind & 3 == 0);
        let name = ["N", "CA", "C", "O", "CB", "CG", "ZN"][bytes.below(7)];
        let chain = ["A", "B", "AA"][bytes.below(64) / 30];
        let ends = ["ALA", "GLY", "MSE", "HOH", "ZN", "UNK"];
        let component = ends[residue as usize % if kind > 200 { ends.len() } else { 2 }];
        let texts = [
            if kind > 220 { "HETATM" } else { "ATOM" },
            if kind == 219 { "?" } else { &name[..1] },
            name,
            if kind & 31 == 30 { "B" } else { "." },
            component,
            chain,
            if kind == 218 { "A" } else { "?" },
            chain,
            "1",
        ];
        let own = (kind < 225).then_some(residue);
        let coordinate = |byte: u8| (i32::from(byte) - 128) * 117;
        let fixed =
            [coordinate(bytes.byte()), coordinate(bytes.byte()), coordinate(bytes.byte()), 100, i32::from(kind)];
        rows.push(Row { texts, ints: [own, Some(residue - 2), Some(1 + i32::from(kind == 217))], fixed });
    }
    rows
}

/// A number with the given decimals, as text.
fn decimal(value: i32, decimals: u32) -> String {
    format!("{:.*}", decimals as usize, f64::from(value) / f64::from(10_i32.pow(decimals)))
}

fn written(rows: &[Row]) -> String {
    let mut text = "data_X\nloop_\n".to_owned();
    for name in TEXTS.iter().chain(&INTS).chain(FIXED.iter().map(|(name, _)| name)) {
        writeln!(text, "_atom_site.{name}").expect("written to memory");
    }
    for row in rows {
        let ints = row.ints.map(|value| value.map_or(".".to_owned(), |value| value.to_string()));
        let fixed = row.fixed.iter().zip(FIXED).map(|(value, (_, decimals))| decimal(*value, decimals));
        let cells: Vec<String> = row.texts.map(str::to_owned).into_iter().chain(ints).chain(fixed).collect();
        writeln!(text, "{}", cells.join(" ")).expect("written to memory");
    }
    text
}

/// A writer of MessagePack.
#[derive(Default)]
struct Pack(Vec<u8>);

impl Pack {
    fn text(&mut self, text: &str) -> &mut Self {
        if text.len() < 32 {
            self.0.push(0xa0 | text.len() as u8);
        } else {
            self.0.push(0xdb);
            self.0.extend((text.len() as u32).to_be_bytes());
        }
        self.0.extend(text.as_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.push(0xc6);
        self.0.extend((bytes.len() as u32).to_be_bytes());
        self.0.extend(bytes);
        self
    }

    fn int(&mut self, value: i32) -> &mut Self {
        self.0.push(0xd2);
        self.0.extend(value.to_be_bytes());
        self
    }

    fn array(&mut self, length: usize) -> &mut Self {
        self.0.push(0xdd);
        self.0.extend((length as u32).to_be_bytes());
        self
    }

    fn map(&mut self, length: usize) -> &mut Self {
        self.0.push(0xdf);
        self.0.extend((length as u32).to_be_bytes());
        self
    }

    fn raw(&mut self, other: &Self) -> &mut Self {
        self.0.extend(&other.0);
        self
    }
}

/// Encodings in the order in which they were applied, and the resulting bytes.
struct Encoded {
    kinds: Vec<Pack>,
    bytes: Vec<u8>,
}

/// Integers in one of several encodings.
fn ints(values: &[i32], bytes: &mut Bytes<'_>) -> Encoded {
    let (mut kinds, mut values) = (Vec::new(), values.to_vec());
    let choice = bytes.byte();
    if choice & 1 == 1 {
        let origin = i32::from(bytes.byte());
        let mut last = origin;
        for value in &mut values {
            (last, *value) = (*value, value.wrapping_sub(last));
        }
        let mut kind = Pack::default();
        kind.map(2).text("kind").text("Delta").text("origin").int(origin);
        kinds.push(kind);
    }
    if choice & 2 == 2 {
        let mut kind = Pack::default();
        kind.map(2).text("kind").text("RunLength").text("srcSize").int(values.len() as i32);
        kinds.push(kind);
        values = values.chunk_by(|a, b| a == b).flat_map(|run| [run[0], run.len() as i32]).collect();
    }
    let is_wide = choice & 4 == 4;
    if choice & 8 == 8 {
        let limit = if is_wide { i32::from(i16::MAX) } else { i32::from(i8::MAX) };
        let mut kind = Pack::default();
        kind.map(3).text("kind").text("IntegerPacking").text("byteCount").int(1 + i32::from(is_wide));
        kind.text("srcSize").int(values.len() as i32);
        kinds.push(kind);
        let mut packed = Vec::new();
        for mut value in values {
            while value >= limit {
                packed.push(limit);
                value -= limit;
            }
            while value < -limit {
                packed.push(-limit - 1);
                value += limit + 1;
            }
            packed.push(value);
        }
        values = packed;
    }
    let mut kind = Pack::default();
    let own = [3, 1, 2][if choice & 8 == 8 { 1 + usize::from(is_wide) } else { 0 }];
    kind.map(2).text("kind").text("ByteArray").text("type").int(own);
    kinds.push(kind);
    let bytes = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take([0, 1, 2, 4][own as usize]));
    Encoded { kinds, bytes: bytes.collect() }
}

fn kinds(kinds: &[Pack]) -> Pack {
    let mut all = Pack::default();
    all.array(kinds.len());
    kinds.iter().for_each(|kind| all.0.extend(&kind.0));
    all
}

fn column(name: &str, encoded: &Encoded, mask: Option<&Encoded>) -> Pack {
    let data = |encoded: &Encoded| {
        let mut data = Pack::default();
        data.map(2).text("encoding").raw(&kinds(&encoded.kinds)).text("data").bytes(&encoded.bytes);
        data
    };
    let mut column = Pack::default();
    column.map(3).text("name").text(name).text("data").raw(&data(encoded)).text("mask");
    match mask {
        Some(mask) => column.raw(&data(mask)),
        None => {
            column.0.push(0xc0);
            &mut column
        }
    };
    column
}

fn encoded(rows: &[Row], bytes: &mut Bytes<'_>) -> Vec<u8> {
    let mut columns = Vec::new();
    for (index, name) in TEXTS.iter().enumerate() {
        let mut distinct: Vec<&str> = Vec::new();
        let places: Vec<i32> = rows
            .iter()
            .map(|row| {
                let place = distinct.iter().position(|own| *own == row.texts[index]).unwrap_or_else(|| {
                    distinct.push(row.texts[index]);
                    distinct.len() - 1
                });
                place as i32
            })
            .collect();
        let mut offsets = vec![0];
        distinct.iter().for_each(|text| offsets.push(offsets[offsets.len() - 1] + text.len() as i32));
        let (places, offsets) = (ints(&places, bytes), ints(&offsets, bytes));
        let mut kind = Pack::default();
        kind.map(5).text("kind").text("StringArray").text("stringData").text(&distinct.concat());
        kind.text("dataEncoding").raw(&kinds(&places.kinds)).text("offsetEncoding").raw(&kinds(&offsets.kinds));
        kind.text("offsets").bytes(&offsets.bytes);
        columns.push(column(name, &Encoded { kinds: vec![kind], bytes: places.bytes }, None));
    }
    for (index, name) in INTS.iter().enumerate() {
        let values: Vec<i32> = rows.iter().map(|row| row.ints[index].unwrap_or(0)).collect();
        let mask: Vec<i32> = rows.iter().map(|row| i32::from(row.ints[index].is_none())).collect();
        let mask = mask.contains(&1).then(|| ints(&mask, bytes));
        columns.push(column(name, &ints(&values, bytes), mask.as_ref()));
    }
    for (index, (name, decimals)) in FIXED.iter().enumerate() {
        let values: Vec<i32> = rows.iter().map(|row| row.fixed[index]).collect();
        let mut whole = ints(&values, bytes);
        let mut kind = Pack::default();
        kind.map(2).text("kind").text("FixedPoint").text("factor").int(10_i32.pow(*decimals));
        whole.kinds.insert(0, kind);
        columns.push(column(name, &whole, None));
    }
    let mut file = Pack::default();
    file.map(2).text("version").text("0.3.0").text("dataBlocks").array(1).map(2).text("header").text("X");
    file.text("categories").array(1).map(3).text("name").text("_atom_site");
    file.text("rowCount").int(rows.len() as i32).text("columns").array(columns.len());
    columns.iter().for_each(|column| file.0.extend(&column.0));
    file.0
}
