//! Biological assemblies: copies of chains, each moved by an operator.

use super::draft::Draft;
use super::error::Problem;
use super::tables::{ASSEMBLY_GEN, Cell, OPER_LIST, Tables};
use std::collections::{HashMap, HashSet};

/// A rotation and a translation: each row of the matrix, followed by its component of the vector.
pub(super) type Operator = [[f64; 4]; 3];

/// Chains, and the operators that copy them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Generator {
    /// The id of the assembly.
    pub(super) assembly: String,
    /// Chain ids as assemblies use them: label_asym_id in mmCIF, chain id in PDB.
    pub(super) chains: Vec<String>,
    /// Operators with their names.
    pub(super) operators: Vec<(String, Operator)>,
}

/// Most atoms of an assembly: ten times the largest known one.
const MOST_ATOMS: usize = 1 << 26;
/// Most factors of an expression; real files have two.
const MOST_FACTORS: usize = 8;
/// Most operators of a generator.
const MOST_OPERATORS: usize = 1 << 16;

/// Reads the generators of an assembly from mmCIF tables.
pub(super) fn generators(tables: &Tables, id: &str) -> Result<Vec<Generator>, Problem> {
    let damaged = |what: String| Problem::Syntax(format!("assembly {id}: {what}"));
    let mut operators = HashMap::new();
    for row in tables.rows(OPER_LIST) {
        let numbers: Vec<Option<f64>> = row[1..].iter().map(Cell::number).collect();
        operators.insert(row[0].text(), numbers);
    }
    let operator = |name: &str| -> Result<Operator, Problem> {
        let numbers = operators.get(name).ok_or_else(|| damaged(format!("there is no operator {name}")))?;
        let number = |i: usize| numbers[i].ok_or_else(|| damaged(format!("operator {name} is incomplete")));
        let mut operator = Operator::default();
        for (row, values) in operator.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = number(4 * row + column)?;
            }
        }
        Ok(operator)
    };
    let mut found = Vec::new();
    for row in tables.rows(ASSEMBLY_GEN).iter().filter(|row| row[0].text() == id) {
        let expression = row[1].text();
        let products =
            products(&expression).ok_or_else(|| damaged(format!("cannot read the expression {expression:?}")))?;
        let product = |names: Vec<String>| -> Result<(String, Operator), Problem> {
            // The last operator is applied first.
            let mut all = operator(&names[0])?;
            for name in &names[1..] {
                all = times(&all, &operator(name)?);
            }
            Ok((names.join("-"), all))
        };
        found.push(Generator {
            assembly: id.to_owned(),
            chains: row[2].text().split(',').map(|chain| chain.trim().to_owned()).collect(),
            operators: products.into_iter().map(product).collect::<Result<_, _>>()?,
        });
    }
    let all = tables.rows(ASSEMBLY_GEN).iter().map(|row| row[0].text());
    if found.is_empty() { Err(no_assembly(id, all)) } else { Ok(found) }
}

/// The error for an id without an assembly; `all` are the ids of the file.
pub(super) fn no_assembly(id: &str, all: impl Iterator<Item = String>) -> Problem {
    let mut known = HashSet::new();
    let all: Vec<String> = all.filter(|id| known.insert(id.clone())).collect();
    let has = if all.is_empty() { "describes none".to_owned() } else { format!("has {}", all.join(", ")) };
    Problem::NoAssembly(format!("no assembly {id}; the file {has}"))
}

/// The operator names of each copy's product: `(1-3)(X)` gives 1 X, 2 X, 3 X. `None` if the text is not an expression.
pub(super) fn products(text: &str) -> Option<Vec<Vec<String>>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut factors = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        if factors.len() > MOST_FACTORS {
            return None;
        }
        let (factor, after) = match rest.strip_prefix('(') {
            Some(inner) => inner.split_once(')')?,
            None => rest.split_at(rest.find('(').unwrap_or(rest.len())),
        };
        factors.push(names(factor)?);
        rest = after;
    }
    let mut all = vec![Vec::new()];
    for factor in &factors {
        if all.len().checked_mul(factor.len())? > MOST_OPERATORS {
            return None;
        }
        let longer = |names: &Vec<String>| {
            let names = names.clone();
            factor.iter().map(move |name| [&names[..], std::slice::from_ref(name)].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    (!factors.is_empty()).then_some(all)
}

/// Expands a list such as `1,3-5,P` to names.
fn names(list: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        match part.split_once('-').map(|(first, last)| (first.parse::<usize>(), last.parse::<usize>())) {
            Some((Ok(first), Ok(last))) if first <= last && last - first < MOST_OPERATORS => {
                all.extend((first..=last).map(|number| number.to_string()));
            }
            _ if !part.is_empty() => all.push(part.to_owned()),
            _ => return None,
        }
        if all.len() > MOST_OPERATORS {
            return None;
        }
    }
    Some(all)
}

fn times(a: &Operator, b: &Operator) -> Operator {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let shift = if column == 3 { a[row][3] } else { 0.0 };
            (0..3).map(|k| a[row][k] * b[k][column]).sum::<f64>() + shift
        })
    })
}

fn moved([x, y, z, radius]: [f64; 4], operator: &Operator) -> [f64; 4] {
    let [a, b, c] = operator.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3]);
    [a, b, c, radius]
}

/// Builds an assembly from a draft's chains. The first copy of a chain keeps its name; later copies are called,
/// ... A number is left out if the file has a chain of that name.
pub(super) fn build(draft: &Draft, generators: &[Generator]) -> Result<Draft, Problem> {
    let (mut rows_of, mut cover_of) = (HashMap::<&str, Vec<usize>>::new(), HashMap::<&str, Vec<usize>>::new());
    for row in 0..draft.structure.n_residues() {
        rows_of.entry(draft.asym(row)).or_default().push(row);
    }
    for (atom, key) in draft.cover_keys.iter().enumerate() {
        cover_of.entry(&draft.cover_residues[*key as usize].asym).or_default().push(atom);
    }
    let named = |of: &HashMap<&str, Vec<usize>>, generator: &Generator| {
        let mut all: Vec<usize> =
            generator.chains.iter().filter_map(|chain| of.get(chain.as_str())).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (mut rows, mut chain_of, mut moves, mut cover) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut cover_copies = Vec::new();
    let (mut chains, mut places): (Vec<String>, HashMap<(u32, &str), u32>) = (Vec::new(), HashMap::new());
    let (mut copies_of, mut renamed) = (HashMap::<u32, usize>::new(), Vec::new());
    let mut atoms = 0;
    for generator in generators {
        let (own_rows, own_cover) = (named(&rows_of, generator), named(&cover_of, generator));
        let own_atoms = own_rows.iter().map(|row| draft.atoms_of(*row).len()).sum::<usize>() + own_cover.len();
        for (name, operator) in &generator.operators {
            atoms += own_atoms;
            if atoms > MOST_ATOMS {
                return Err(Problem::TooManyAtoms(MOST_ATOMS as u32));
            }
            for &row in &own_rows {
                let chain = draft.structure.chain_ids[row];
                let place = *places.entry((chain, name.as_str())).or_insert_with(|| {
                    let deposited = &draft.structure.chains;
                    let (own, copy) = (&deposited[chain as usize], copies_of.entry(chain).or_insert(0));
                    if *copy > 0 {
                        renamed.push(chains.len() as u32);
                    }
                    chains.push(loop {
                        *copy += 1;
                        let name = if *copy == 1 { own.clone() } else { format!("{own}-{copy}") };
                        if *copy == 1 || !deposited.contains(&name) {
                            break name;
                        }
                    });
                    chains.len() as u32 - 1
                });
                rows.push(row);
                chain_of.push(place);
                moves.push((draft.atoms_of(row).len(), operator));
            }
            cover.extend(own_cover.iter().map(|&atom| moved(draft.cover[atom], operator)));
            cover_copies.extend(own_cover.iter().map(|&atom| (draft.cover_keys[atom], name.as_str())));
        }
    }
    let mut all = draft.rows(&rows);
    let mut at = 0;
    for (atoms, operator) in moves {
        all.atoms[at..at + atoms].iter_mut().for_each(|atom| *atom = moved(*atom, operator));
        at += atoms;
    }
    all.structure.chain_ids = chain_of;
    all.structure.chains = chains;
    all.renamed = renamed;
    // A copy of a ligand is of the copy of its author's chain, if there is one.
    (all.cover, all.cover_keys, all.cover_residues) = (cover, Vec::new(), Vec::new());
    for same in cover_copies.chunk_by(|a, b| a == b) {
        let (key, name) = same[0];
        let mut residue = draft.cover_residues[key as usize].clone();
        let own = draft.structure.chains.iter().position(|chain| **chain == *residue.chain);
        if let Some(place) = own.and_then(|chain| places.get(&(chain as u32, name))) {
            residue.chain = all.structure.chains[*place as usize].as_str().into();
        }
        all.cover_residues.push(residue);
        all.cover_keys.extend(same.iter().map(|_| all.cover_residues.len() as u32 - 1));
    }
    Ok(all)
}

/// Collects REMARK 350 of a PDB file, line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct Remark350 {
    pub(super) generators: Vec<Generator>,
    assemblies: Vec<String>,
    /// Whether the chain list of the last generator continues.
    chains: Vec<String>,
    /// Whether the last generator has operators already.
    begun: bool,
}

impl Remark350 {
    /// Takes a line without its columns 1 to 10.
    pub(super) fn line(&mut self, text: &str) {
        let text = text.trim();
        let list = |text: &str| {
            let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty());
            ids.map(|id| if id == "NULL" { " ".to_owned() } else { id.to_owned() }).collect::<Vec<_>>()
        };
        if let Some(ids) = text.strip_prefix("BIOMOLECULE:") {
            self.assemblies = list(ids);
            (self.chains, self.begun) = (Vec::new(), true);
        } else if let Some(chains) = text.strip_prefix("APPLY THE FOLLOWING TO CHAINS:") {
            (self.chains, self.begun) = (list(chains), true);
        } else if let Some(chains) = text.strip_prefix("AND CHAINS:") {
            self.chains.extend(list(chains));
        } else if let Some(rest) = text.strip_prefix("BIOMT") {
            self.operator(rest);
        }
    }

    /// Takes one row of a matrix.
    fn operator(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let (Some(row), Some(name)) = (words.next().and_then(|row| row.parse::<usize>().ok()), words.next()) else {
            return;
        };
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        let (Ok(numbers), 1..=3) = (<[f64; 4]>::try_from(numbers), row) else { return };
        if std::mem::take(&mut self.begun) {
            let of = |assembly: &String| Generator { assembly: assembly.clone(), ..Generator::default() };
            self.generators.extend(self.assemblies.iter().map(of));
        }
        let from = self.generators.len().saturating_sub(self.assemblies.len());
        for generator in &mut self.generators[from..] {
            generator.chains.clone_from(&self.chains);
            if row == 1 && generator.operators.len() < MOST_OPERATORS {
                generator.operators.push((name.to_owned(), Operator::default()));
            }
            if let Some((_, operator)) = generator.operators.last_mut().filter(|(own, _)| own == name) {
                operator[row - 1] = numbers;
            }
        }
    }

    /// The generators of an assembly.
    pub(super) fn of(&self, id: &str) -> Result<Vec<Generator>, Problem> {
        let found: Vec<Generator> = self.generators.iter().filter(|one| one.assembly == id).cloned().collect();
        let all = self.generators.iter().map(|one| one.assembly.clone());
        if found.is_empty() { Err(no_assembly(id, all)) } else { Ok(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_products_of_lists() {
        let of = |text: &str| {
            products(text).map(|all| all.iter().map(|names| names.join("*")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(of("1").as_deref(), Some("1"));
        assert_eq!(of("1,2, 5").as_deref(), Some("1 2 5"));
        assert_eq!(of("(1-3)").as_deref(), Some("1 2 3"));
        assert_eq!(of("(1,2)(P,4-5)").as_deref(), Some("1*P 1*4 1*5 2*P 2*4 2*5"));
        assert_eq!(of("P(1-2)").as_deref(), Some("P*1 P*2"));
        for wrong in ["", "(1", "()", "1,,2", "(1-60000)(1-60000)(1-60000)", "1-99999999"] {
            assert!(products(wrong).is_none_or(|all| all.len() == 1), "{wrong}");
        }
    }

    #[test]
    fn remarks_name_chains_and_operators() {
        let mut remark = Remark350::default();
        for line in [
            "BIOMOLECULE: 1",
            "APPLY THE FOLLOWING TO CHAINS: A, B,",
            "AND CHAINS: C",
            "  BIOMT1   1  1.000000  0.000000  0.000000        0.00000",
            "  BIOMT2   1  0.000000  1.000000  0.000000        0.00000",
            "  BIOMT3   1  0.000000  0.000000  1.000000        0.00000",
            "  BIOMT1   2 -1.000000  0.000000  0.000000       10.50000",
            "  BIOMT2   2  0.000000 -1.000000  0.000000        0.00000",
            "  BIOMT3   2  0.000000  0.000000  1.000000        0.00000",
            "BIOMOLECULE: 2",
            "APPLY THE FOLLOWING TO CHAINS: NULL",
            "  BIOMT1   1  1.000000  0.000000  0.000000        0.00000",
        ] {
            remark.line(line);
        }
        let [one] = &remark.of("1").unwrap()[..] else { panic!("one generator") };
        assert_eq!((one.chains.join(""), one.operators.len()), ("ABC".to_owned(), 2));
        assert_eq!(one.operators[1].1[0], [-1.0, 0.0, 0.0, 10.5]);
        assert_eq!(remark.of("2").unwrap()[0].chains, [" "]);
        assert_eq!(remark.of("3").unwrap_err().to_string(), "no assembly 3; the file has 1, 2");
    }

    #[test]
    fn products_apply_the_last_first() {
        let shift: Operator = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let turn: Operator = [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        assert_eq!(moved([1.0, 2.0, 3.0, 0.5], &times(&shift, &turn)), [4.0, -2.0, 3.0, 0.5]);
    }
}
