//! Sorts give what the standard library gives, on CPU cores in several orders and on a GPU.

mod machines;

use cuda_algorithms::{KeysWith, PairSort, Sort, SortKey, SortValue, sort, sort_by_key};
use cuda_host::{CudaError, Machine};
use cuda_layout::DeviceLayout;
use machines::{Dice, LENGTHS, machines};
use std::cmp::Ordering;

/// A key in the order that the sort promises.
trait Ordered: SortKey + std::fmt::Debug {
    fn made(bits: u64) -> Self;
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! ordered {
    ($($number:ident: |$bits:ident| $made:expr, $order:ident;)*) => { $(
        impl Ordered for $number {
            fn made($bits: u64) -> $number {
                $made
            }

            fn order(&self, other: &$number) -> Ordering {
                self.$order(other)
            }
        }
    )* };
}

ordered! {
    u8: |bits| bits as u8, cmp;
    u16: |bits| bits as u16, cmp;
    u32: |bits| bits as u32, cmp;
    u64: |bits| bits, cmp;
    i8: |bits| bits as i8, cmp;
    i16: |bits| bits as i16, cmp;
    i32: |bits| bits as i32, cmp;
    i64: |bits| bits as i64, cmp;
    f32: |bits| f32::from_bits(bits as u32), total_cmp;
    f64: |bits| f64::from_bits(bits), total_cmp;
}

/// A value that remembers where it was.
trait Counted: SortValue + PartialEq {
    fn counted(i: usize) -> Self;
}

impl Counted for u32 {
    fn counted(i: usize) -> u32 {
        i as u32
    }
}

impl Counted for f64 {
    fn counted(i: usize) -> f64 {
        i as f64
    }
}

impl Counted for [u64; 2] {
    fn counted(i: usize) -> [u64; 2] {
        [i as u64, !(i as u64)]
    }
}

/// Keys of one of several distributions.
fn keys<K: Ordered>(dice: &mut Dice, n: usize) -> Vec<K> {
    let kind = dice.below(6);
    let few: Vec<u64> = (0..1 + dice.below(20)).map(|_| dice.word()).collect();
    let mut keys: Vec<K> = (0..n)
        .map(|_| {
            let word = dice.word();
            K::made(match kind {
                0 | 1 => few[word as usize % few.len()],
                // One digit differs.
                2 => few[0] ^ (word & 255) << (8 * (few.len() % size_of::<K>())),
                _ => word,
            })
        })
        .collect();
    match dice.below(8) {
        0 => keys.sort_by(K::order),
        1 => keys.sort_by(|a, b| b.order(a)),
        _ => {}
    }
    keys
}

/// The bytes of elements: NaN equals itself, and -0 differs from 0.
fn bytes<T: DeviceLayout>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

fn check_keys<K: Ordered>(machine: &Machine, keys: &[K], is_descending: bool) {
    let mut expected = keys.to_vec();
    expected.sort_by(|a, b| if is_descending { b.order(a) } else { a.order(b) });
    let mut found = machine.buffer(keys).unwrap();
    if is_descending {
        Sort::new(machine, keys.len()).unwrap().descending().run(found.view_mut()).unwrap();
    } else {
        sort(machine, found.view_mut()).unwrap();
    }
    let found = found.download().unwrap();
    assert!(bytes(&found) == bytes(&expected), "{} keys {} on {machine}", keys.len(), K::DESCRIPTION);
}

fn check_pairs<K: Ordered, V: Counted>(machine: &Machine, keys: &[K], is_descending: bool)
where
    K::Word: KeysWith<V::Word>,
{
    let values: Vec<V> = (0..keys.len()).map(V::counted).collect();
    let mut expected: Vec<usize> = (0..keys.len()).collect();
    expected.sort_by(|a, b| if is_descending { keys[*b].order(&keys[*a]) } else { keys[*a].order(&keys[*b]) });
    let (mut found, mut moved) = (machine.buffer(keys).unwrap(), machine.buffer(&values).unwrap());
    if is_descending {
        let mut sort = PairSort::new(machine, keys.len() + 5).unwrap().descending();
        sort.run(found.view_mut(), moved.view_mut()).unwrap();
    } else {
        sort_by_key(machine, found.view_mut(), moved.view_mut()).unwrap();
    }
    let (found, moved) = (found.download().unwrap(), moved.download().unwrap());
    let keys_in_order: Vec<K> = expected.iter().map(|i| keys[*i]).collect();
    let what = || format!("{} keys {}, values {} on {machine}", keys.len(), K::DESCRIPTION, V::DESCRIPTION);
    assert!(bytes(&found) == bytes(&keys_in_order), "{}", what());
    assert!(expected.iter().zip(&moved).all(|(i, value)| *value == V::counted(*i)), "values of {}", what());
}

fn check<K: Ordered>(machine: &Machine, dice: &mut Dice, n: usize)
where
    K::Word: KeysWith<u32> + KeysWith<u64> + KeysWith<[u64; 2]>,
{
    let (keys, is_descending) = (keys::<K>(dice, n), dice.below(4) == 0);
    match dice.below(4) {
        0 => check_keys(machine, &keys, is_descending),
        1 => check_pairs::<K, u32>(machine, &keys, is_descending),
        2 => check_pairs::<K, f64>(machine, &keys, is_descending),
        _ => check_pairs::<K, [u64; 2]>(machine, &keys, is_descending),
    }
}

/// A random type of keys and values.
fn check_any(machine: &Machine, dice: &mut Dice, n: usize) {
    match dice.below(10) {
        0 => check::<u8>(machine, dice, n),
        1 => check::<u16>(machine, dice, n),
        2 => check::<u32>(machine, dice, n),
        3 => check::<u64>(machine, dice, n),
        4 => check::<i8>(machine, dice, n),
        5 => check::<i16>(machine, dice, n),
        6 => check::<i32>(machine, dice, n),
        7 => check::<i64>(machine, dice, n),
        8 => check::<f32>(machine, dice, n),
        _ => check::<f64>(machine, dice, n),
    }
}

#[test]
fn lengths_around_those_of_parts_are_sorted() {
    for machine in machines() {
        let dice = &mut Dice::new(1);
        for n in LENGTHS {
            check_keys(&machine, &keys::<u32>(dice, n), false);
            check_pairs::<u32, u32>(&machine, &keys::<u32>(dice, n), false);
            check_any(&machine, dice, n);
        }
    }
}

/// `SORTS=100000` tries as many.
#[test]
fn random_shapes_are_sorted() {
    let sorts = std::env::var("SORTS").map_or(50, |sorts| sorts.parse().expect("SORTS is a number"));
    for (machine, seed) in machines().into_iter().zip(10..) {
        let dice = &mut Dice::new(seed);
        for _ in 0..sorts {
            // One block sorts 8192 keys at most.
            let n = if dice.below(10) == 0 { 8192 + dice.below(20_000) as usize } else { dice.length(20_000) };
            check_any(&machine, dice, n);
        }
    }
}

#[test]
fn every_type_of_keys_and_values_is_sorted() {
    fn all<K: Ordered>(machine: &Machine, dice: &mut Dice)
    where
        K::Word: KeysWith<u32> + KeysWith<u64> + KeysWith<[u64; 2]>,
    {
        for (n, is_descending) in [(9000, false), (9000, true), (1500, false), (1500, true)] {
            check_keys(machine, &keys::<K>(dice, n), is_descending);
            check_pairs::<K, u32>(machine, &keys::<K>(dice, n), is_descending);
            check_pairs::<K, f64>(machine, &keys::<K>(dice, n), is_descending);
            check_pairs::<K, [u64; 2]>(machine, &keys::<K>(dice, n), is_descending);
        }
    }
    for machine in machines() {
        let dice = &mut Dice::new(3);
        all::<u8>(&machine, dice);
        all::<u16>(&machine, dice);
        all::<u32>(&machine, dice);
        all::<u64>(&machine, dice);
        all::<i8>(&machine, dice);
        all::<i16>(&machine, dice);
        all::<i32>(&machine, dice);
        all::<i64>(&machine, dice);
        all::<f32>(&machine, dice);
        all::<f64>(&machine, dice);
    }
}

#[test]
fn floats_have_a_total_order() {
    let keys = [1.5, f32::NAN, -0.0, 0.0, f32::NEG_INFINITY, -f32::NAN, f32::MIN_POSITIVE, -1e-45, f32::INFINITY];
    for machine in machines() {
        check_keys(&machine, &keys, false);
        check_keys(&machine, &keys, true);
    }
}

#[test]
fn memory_is_used_again() {
    for machine in machines() {
        let (mut sort, mut pairs) = (Sort::new(&machine, 9000).unwrap(), PairSort::new(&machine, 9000).unwrap());
        for n in [9000, 3, 0, 8193, 9000] {
            let original: Vec<i32> = (0..n).map(|i| (i * 7919 % 1013) - 500).collect();
            let mut expected = original.clone();
            expected.sort();
            let mut keys = machine.buffer(&original).unwrap();
            sort.run(keys.view_mut()).unwrap();
            assert_eq!(keys.download().unwrap(), expected);
            let (mut keys, mut values) = (machine.buffer(&original).unwrap(), machine.buffer(&original).unwrap());
            pairs.run(keys.view_mut(), values.view_mut()).unwrap();
            assert_eq!((keys.download().unwrap(), values.download().unwrap()), (expected.clone(), expected));
        }
    }
}

#[test]
fn unsuitable_lengths_are_errors() {
    for machine in machines() {
        let (mut keys, mut values) = (machine.buffer(&[2u8, 1]).unwrap(), machine.buffer(&[1u32]).unwrap());
        let lengths = sort_by_key(&machine, keys.view_mut(), values.view_mut()).unwrap_err();
        assert!(matches!(lengths, CudaError::Length { from: 1, to: 2, .. }), "{lengths}");
        let small = Sort::new(&machine, 1).unwrap().run(keys.view_mut()).unwrap_err();
        assert!(matches!(small, CudaError::OutOfBounds { .. }), "{small}");
        assert_eq!(keys.download().unwrap(), [2, 1]);
    }
}

/// As measured: with wide values three blocks of a multiprocessor are faster than two, with others slower.
#[test]
fn blocks_of_a_multiprocessor_depend_on_the_values() {
    let Ok(image) = cuda_algorithms::IMAGE else {
        return println!("skipped: no device compiler when the tests were built");
    };
    let blocks = |kernel: &str| {
        let (_, entry) = image.ptx().split_once(&format!(".entry {kernel}(")).expect("an entry");
        let (directives, _) = entry.split_once("\n{").expect("its body");
        let (_, blocks) = directives.split_once(".minnctapersm ").expect("a number of blocks");
        blocks.trim().to_owned()
    };
    for (kernel, expected) in [("move_32", "3"), ("move_32_and_4", "2"), ("move_8_and_8", "2"), ("move_64_and_16", "3")]
    {
        assert_eq!(blocks(kernel), expected, "{kernel}");
    }
}
