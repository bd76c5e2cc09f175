//! Containers of files: tars, databases, and compression other than gzip, which is in `text`.

use crate::bytes::Bytes;
use crate::reading::Outcome;
use crate::text::same;
use flate2::Compression;
use flate2::write::GzEncoder;
use prism_host::ReadOptions;
use prism_host::inputs::{InputFile, discover};
use prism_host::read::{read_bytes, read_structures};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A text, compressed in each format. The first is gzip.
fn compressed(text: &[u8], how: usize) -> Vec<u8> {
    let written = "written to memory";
    match how {
        0 => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text).expect(written);
            encoder.finish().expect(written)
        }
        1 => zstd::encode_all(text, 1).expect(written),
        2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(text).expect(written);
            encoder.finish().expect(written)
        }
        _ => {
            let options = lzma_rust2::XzOptions::with_preset(0);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).expect(written);
            encoder.write_all(text).expect(written);
            encoder.finish().expect(written)
        }
    }
}

/// The first bytes of each format except gzip.
const MAGIC: [&[u8]; 3] = [&[0x28, 0xb5, 0x2f, 0xfd], b"BZh11AY&SY", b"\xfd7zXZ\0"];

/// A file compressed by zstd, bzip2 or xz: arbitrary bytes, or a text that is compressed in two frames and then damaged.
fn unfold(data: &[u8], how: usize) {
    let [flags, rest @ ..] = data else { return };
    let options = ReadOptions::default();
    if flags % 2 == 0 {
        let _ = read_bytes(&[MAGIC[how - 1], rest].concat(), "x", &options);
        return;
    }
    let (first, second) = rest.split_at(usize::from(*flags) * rest.len() / 255);
    let mut both = [compressed(first, how), compressed(second, how)].concat();
    same(&both, rest, &options);
    let place = usize::from(*flags) * 257 % both.len();
    both[place] ^= flags | 1;
    let _ = read_bytes(&both, "x", &options);
}

/// A file by zstd.
pub fn zstd(data: &[u8]) {
    unfold(data, 1);
}

/// A file by bzip2.
pub fn bzip2(data: &[u8]) {
    unfold(data, 2);
}

/// A file by xz.
pub fn xz(data: &[u8]) {
    unfold(data, 3);
}

/// A tar: arbitrary bytes, or members, plain or compressed, each of which must read as it does alone.
pub fn tar(data: &[u8]) {
    let options = ReadOptions::default();
    let [how, rest @ ..] = data else { return };
    if how % 4 == 0 {
        let read = InputFile::of_bytes("x.tar", rest.to_vec()).read_all(&options);
        assert!(!read.is_empty(), "there is a result");
        return;
    }
    let mut bytes = Bytes::new(rest);
    let mut builder = tar::Builder::new(Vec::new());
    let mut expected = Vec::new();
    for index in 0..1 + bytes.below(4) {
        let (kind, length) = (bytes.byte(), usize::from(bytes.byte()) * 8);
        let content = bytes.take(length);
        let content = if kind < 128 { content.to_vec() } else { compressed(content, usize::from(kind & 3)) };
        let is_taken = kind & 0x1c != 0x1c;
        // Sometimes longer than the name field of a plain header.
        let folder = "folder/".repeat(if kind & 0x60 == 0x60 { 20 } else { usize::from(kind & 1) });
        let name = format!("{folder}{index}.{}", if is_taken { "pdb" } else { "txt" });
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, &name, &content[..]).expect("written to memory");
        if is_taken {
            expected.extend(read_structures(&content, &format!("x.tar/{name}"), &options));
        }
    }
    let mut packed = builder.into_inner().expect("written to memory");
    if how % 4 == 3 {
        packed = compressed(&packed, usize::from(how / 64));
    }
    let read = InputFile::of_bytes("x.tar", packed.clone()).read_all(&options);
    if expected.is_empty() {
        assert!(read.iter().all(Result::is_err), "of no members comes nothing");
    } else {
        let of = |read: &Outcome| read.as_ref().ok().map(|read| format!("{read:?}"));
        let own: Vec<_> = read.iter().map(|read| read.as_ref().ok().map(|read| format!("{read:?}"))).collect();
        assert_eq!(own, expected.iter().map(of).collect::<Vec<_>>(), "as they are alone");
    }
    let place = usize::from(*how) * 263 % packed.len();
    packed[place] ^= how | 1;
    assert!(!InputFile::of_bytes("x.tar", packed).read_all(&options).is_empty());
}

/// A database of entries. The bytes are the lengths of index and names, then index, names and data.
pub fn database(data: &[u8]) {
    static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("prism-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        folder.join("db")
    });
    let mut bytes = Bytes::new(data);
    let [index, names] = [(); 2].map(|()| usize::from(bytes.byte()) | usize::from(bytes.byte()) << 8);
    let [index, names] = [index, names].map(|length| bytes.take(length));
    let entries = bytes.take(data.len());
    for (extension, content) in [("", entries), (".index", index), (".lookup", names)] {
        fs::write(format!("{}{extension}", PLACE.display()), content).expect("a file can be written");
    }
    let inputs = discover([&*PLACE]).expect("one file has one name");
    for input in inputs.entries.into_iter().flatten() {
        let read = input.read_all(&ReadOptions::default());
        assert!(!read.is_empty(), "there is a result");
        for read in read.iter().flatten() {
            if let Err(error) = read.structure.validate() {
                panic!("what was read does not fit together: {error}");
            }
        }
    }
}
