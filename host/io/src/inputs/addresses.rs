//! Addresses and ids of entries in place of a file's name: nothing is downloaded.

/// How to get what a name that is no file may mean; `None` if it looks like a file's.
pub(super) fn not_downloaded(name: &str) -> Option<String> {
    if let Some((scheme, _)) = name.split_once("://") {
        let fetch = match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" | "ftp" => format!("curl -LO {name}"),
            "s3" => format!("aws s3 cp {name} ."),
            "gs" => format!("gcloud storage cp {name} ."),
            "file" => return Some(format!("is an address; give the path: {}", &name[scheme.len() + 3..])),
            _ => "fetch it first".to_owned(),
        };
        return Some(format!("is an address, and nothing is downloaded: {fetch}, and give the file"));
    }
    let (what, address) = if is_pdb_id(name) {
        ("an entry of the PDB", format!("https://files.rcsb.org/download/{}.cif.gz", name.to_ascii_lowercase()))
    } else {
        ("a model of AlphaFold DB", format!("https://alphafold.ebi.ac.uk/files/{}.cif", alphafold_model(name)?))
    };
    Some(format!("there is no such file, and nothing is downloaded; if {what} is meant: curl -LO {address}"))
}

/// `1abc`, `pdb_00001abc`.
fn is_pdb_id(name: &str) -> bool {
    let short = name.strip_prefix("pdb_0000").or_else(|| name.strip_prefix("PDB_0000")).unwrap_or(name);
    matches!(short.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.len() == 3 && rest.iter().all(u8::is_ascii_alphanumeric))
}

/// The model of `AF-P12345-F1`, with or without a version, or of an accession of UniProt.
fn alphafold_model(name: &str) -> Option<String> {
    /// The version of models that no version is given for.
    const NEWEST: &str = "model_v6";
    if is_accession(name) {
        return Some(format!("AF-{name}-F1-{NEWEST}"));
    }
    let mut parts = name.splitn(4, '-');
    let (af, accession, fragment) = (parts.next()?, parts.next()?, parts.next()?);
    let is_fragment = fragment.strip_prefix('F').is_some_and(|number| number.parse::<u16>().is_ok());
    let version = parts.next().unwrap_or(NEWEST);
    let is_version = version.strip_prefix("model_v").is_some_and(|number| number.parse::<u8>().is_ok());
    (af == "AF" && is_accession(accession) && is_fragment && is_version)
        .then(|| format!("AF-{accession}-{fragment}-{version}"))
}

/// Whether a text is an accession of UniProt: P12345, A0A385XJ53.
fn is_accession(text: &str) -> bool {
    let digit = |c: &u8| c.is_ascii_digit();
    let letter = |c: &u8| c.is_ascii_uppercase();
    let either = |c: &u8| digit(c) || letter(c);
    let group = |group: &[u8]| matches!(group, [a, b, c, d] if letter(a) && either(b) && either(c) && digit(d));
    match text.as_bytes() {
        [b'O' | b'P' | b'Q', a, b, c, d, e] => digit(a) && [b, c, d].iter().all(|c| either(c)) && digit(e),
        [first, second, rest @ ..] if letter(first) && digit(second) && matches!(rest.len(), 4 | 8) => {
            rest.chunks(4).all(group)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ids_say_how_to_get_them() {
        for (name, fetch) in [
            ("https://files.rcsb.org/download/1ubq.pdb", "curl -LO https://files.rcsb.org/download/1ubq.pdb"),
            ("s3://bucket/x.cif", "aws s3 cp s3://bucket/x.cif ."),
            ("file:///data/x.pdb", "give the path: /data/x.pdb"),
            ("1UBQ", "curl -LO https://files.rcsb.org/download/1ubq.cif.gz"),
            ("pdb_00001ubq", "curl -LO https://files.rcsb.org/download/pdb_00001ubq.cif.gz"),
            ("AF-P12345-F1", "curl -LO https://alphafold.ebi.ac.uk/files/AF-P12345-F1-model_v6.cif"),
            ("AF-P12345-F2-model_v4", "/AF-P12345-F2-model_v4.cif"),
            ("A0A385XJ53", "/AF-A0A385XJ53-F1-model_v6.cif"),
            ("P04637", "/AF-P04637-F1-model_v6.cif"),
        ] {
            let said = not_downloaded(name).unwrap_or_default();
            assert!(said.contains(fetch), "{name}: {said}");
        }
        for name in ["1ubq.pdb", "ubq", "data", "12345", "AF-x-F1", "AF-P12345", "0abc", "P1234", "a/1ubq"] {
            assert_eq!(not_downloaded(name), None, "{name}");
        }
    }
}
