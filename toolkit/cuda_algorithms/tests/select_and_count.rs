//! Selections, runs, reductions by key and histograms give what a loop gives, on CPU cores in several orders and on a GPU.

mod machines;

use cuda_algorithms::{
    Largest, ReduceByKey, RunsOf, Select, Smallest, SortKey, Sum, histogram, reduce_by_key, runs, select, unique,
};
use cuda_host::{CudaError, Machine};
use machines::{Dice, LENGTHS, machines};
use std::fmt::Debug;

/// Keys in runs, of which a few are long.
fn keys<K: Copy>(dice: &mut Dice, n: usize, key: impl Fn(u64) -> K) -> Vec<K> {
    let mut keys = Vec::new();
    while keys.len() < n {
        let length = dice.length(10_000).max(1).min(n - keys.len());
        let length = if dice.below(8) == 0 { length } else { length.min(1 + dice.below(5) as usize) };
        let own = key(dice.below(4));
        keys.extend(std::iter::repeat_n(own, length));
    }
    keys
}

#[test]
fn selections_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(1);
        for n in LENGTHS {
            let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
            for share in [0, 1, 128, 255, 256] {
                let flags: Vec<u8> =
                    (0..n).map(|_| if dice.below(256) < share { 1 + dice.below(255) as u8 } else { 0 }).collect();
                let expected: Vec<f64> =
                    x.iter().zip(&flags).filter(|(_, flag)| **flag != 0).map(|(x, _)| *x).collect();
                let (on_machine, flags) = (machine.buffer(&x).unwrap(), machine.buffer(&flags).unwrap());
                let mut out = machine.buffer(&vec![-1.0; n]).unwrap();
                let count = select(&machine, on_machine.view(), flags.view(), out.view_mut()).unwrap();
                let out = out.download().unwrap();
                assert!(out[..count] == expected, "{n} elements, {share} of 256, on {machine}");
                assert!(out[count..].iter().all(|x| *x == -1.0), "what lies behind is left alone");
            }
        }
    }
}

#[test]
fn other_sizes_are_selected_too() {
    for machine in machines() {
        let flags = machine.buffer(&(0..9000).map(|i| u8::from(i % 3 == 0)).collect::<Vec<_>>()).unwrap();
        let mut select = Select::new(&machine, 9000).unwrap();
        let x: Vec<[u64; 2]> = (0..9000).map(|i| [i, !i]).collect();
        let (buffer, mut out) = (machine.buffer(&x).unwrap(), machine.zeroed(9000).unwrap());
        assert_eq!(select.select(buffer.view(), flags.view(), out.view_mut()).unwrap().get().unwrap(), 3000);
        assert_eq!(out.download().unwrap()[2999], x[8997]);
        let x: Vec<i32> = (0..9000).map(|i| -i).collect();
        let (buffer, mut out) = (machine.buffer(&x).unwrap(), machine.zeroed(9000).unwrap());
        assert_eq!(select.select(buffer.view(), flags.view(), out.view_mut()).unwrap().get().unwrap(), 3000);
        assert_eq!(out.download().unwrap()[2999], -8997);
    }
}

fn check_runs<K: SortKey + PartialEq + Debug>(machine: &Machine, x: &[K])
where
    K::Word: cuda_algorithms::InRuns,
{
    let begins: Vec<u32> = (0..x.len()).filter(|i| *i == 0 || x[*i] != x[*i - 1]).map(|i| i as u32).collect();
    let buffer = machine.buffer(x).unwrap();
    let (mut firsts, mut at) = (machine.zeroed(x.len()).unwrap(), machine.zeroed(x.len()).unwrap());
    assert_eq!(unique(machine, buffer.view(), firsts.view_mut()).unwrap(), begins.len(), "on {machine}");
    assert_eq!(runs(machine, buffer.view(), at.view_mut()).unwrap(), begins.len(), "on {machine}");
    assert!(at.download().unwrap()[..begins.len()] == begins, "{} elements on {machine}", x.len());
    let expected: Vec<K> = begins.iter().map(|i| x[*i as usize]).collect();
    assert!(firsts.download().unwrap()[..begins.len()] == expected, "{} elements on {machine}", x.len());
}

#[test]
fn runs_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(2);
        for n in LENGTHS {
            check_runs(&machine, &keys(dice, n, |key| key as u8));
            check_runs(&machine, &keys(dice, n, |key| -(key as i16)));
            check_runs(&machine, &keys(dice, n, |key| key as f32));
            check_runs(&machine, &keys(dice, n, |key| key << 40));
        }
    }
}

fn check_by_key<K: SortKey + PartialEq + Debug, T: cuda_layout::DeviceLayout + PartialEq + Debug, O: Copy>(
    machine: &Machine,
    operation: O,
    keys: &[K],
    values: &[T],
    combine: impl Fn(T, T) -> T,
) where
    K::Word: RunsOf<T, O>,
{
    let mut expected: Vec<(K, T)> = Vec::new();
    for (key, value) in keys.iter().zip(values) {
        match expected.last_mut() {
            Some((last, all)) if last == key => *all = combine(*all, *value),
            _ => expected.push((*key, *value)),
        }
    }
    let (k, v) = (machine.buffer(keys).unwrap(), machine.buffer(values).unwrap());
    let (mut of_runs, mut results) = (machine.zeroed(keys.len()).unwrap(), machine.zeroed(keys.len()).unwrap());
    let out = (of_runs.view_mut(), results.view_mut());
    let n = reduce_by_key(machine, operation, (k.view(), v.view()), out).unwrap();
    let found: Vec<(K, T)> = of_runs.download().unwrap().into_iter().zip(results.download().unwrap()).take(n).collect();
    assert!(found == expected, "{} values on {machine}", keys.len());
}

#[test]
fn reductions_by_key_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(3);
        for n in LENGTHS {
            let short = keys(dice, n, |key| key as u32);
            let long = keys(dice, n, |key| key as f64);
            let values: Vec<u64> = (0..n).map(|_| dice.word()).collect();
            let of_32: Vec<u32> = values.iter().map(|x| *x as u32).collect();
            let signed: Vec<i32> = values.iter().map(|x| *x as i32).collect();
            check_by_key(&machine, Sum, &short, &of_32, u32::wrapping_add);
            check_by_key(&machine, Sum, &long, &values, u64::wrapping_add);
            check_by_key(&machine, Sum, &long, &signed, i32::wrapping_add);
            check_by_key(&machine, Smallest, &short, &signed, i32::min);
            check_by_key(&machine, Largest, &long, &of_32, u32::max);
        }
    }
}

#[test]
fn histograms_equal_a_loop() {
    for machine in machines() {
        let dice = &mut Dice::new(4);
        for (n, bins) in [(0, 10), (1, 1), (65_535, 256), (65_537, 300), (200_001, 5000), (150_000, 20_000)] {
            let x: Vec<u32> = (0..n).map(|_| dice.below(6000) as u32).collect();
            let narrow: Vec<u16> = x.iter().map(|x| *x as u16).collect();
            let bytes: Vec<u8> = x.iter().map(|x| *x as u8).collect();
            let expected = |values: &mut dyn Iterator<Item = usize>| {
                let mut counts = vec![0u32; bins];
                values.filter(|value| *value < bins).for_each(|value| counts[value] += 1);
                counts
            };
            let mut counts = machine.buffer(&vec![7; bins]).unwrap();
            histogram(&machine, machine.buffer(&x).unwrap().view(), counts.view_mut()).unwrap();
            assert!(counts.download().unwrap() == expected(&mut x.iter().map(|x| *x as usize)), "{n} on {machine}");
            histogram(&machine, machine.buffer(&narrow).unwrap().view(), counts.view_mut()).unwrap();
            assert!(counts.download().unwrap() == expected(&mut narrow.iter().map(|x| usize::from(*x))));
            histogram(&machine, machine.buffer(&bytes).unwrap().view(), counts.view_mut()).unwrap();
            assert!(counts.download().unwrap() == expected(&mut bytes.iter().map(|x| usize::from(*x))));
        }
    }
}

#[test]
fn histograms_of_parts_of_buffers_equal_a_loop() {
    for machine in machines() {
        let x: Vec<u8> = (0..140_000u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
        let buffer = machine.buffer(&x).unwrap();
        for range in [0..1, 1..4, 3..5, 2..65_537, 1..65_539, 1..131_078, 3..139_999] {
            let mut expected = vec![0u32; 256];
            x[range.clone()].iter().for_each(|value| expected[usize::from(*value)] += 1);
            let mut counts = machine.zeroed(256).unwrap();
            histogram(&machine, buffer.slice(range.clone()).unwrap(), counts.view_mut()).unwrap();
            assert!(counts.download().unwrap() == expected, "{range:?} on {machine}");
        }
    }
}

#[test]
fn unsuitable_lengths_are_errors() {
    for machine in machines() {
        let (x, flags) = (machine.buffer(&[1u32; 5000]).unwrap(), machine.buffer(&[1u8; 4999]).unwrap());
        let mut out = machine.zeroed(5000).unwrap();
        assert!(select(&machine, x.view(), flags.view(), out.view_mut()).is_err());
        let (large, mut selected) = (machine.buffer(&[[1u64; 2]; 4999]).unwrap(), machine.zeroed(4999).unwrap());
        let mut small = Select::new(&machine, 4096).unwrap();
        let error = small.select(large.view(), flags.view(), selected.view_mut()).unwrap_err();
        assert!(matches!(error, CudaError::OutOfBounds { .. }), "{error}");
        let mut sums = machine.zeroed(4999).unwrap();
        let out = (out.view_mut(), sums.view_mut());
        assert!(ReduceByKey::new(&machine, Sum, 5000).unwrap().run((x.view(), x.view()), out).is_err());
    }
}
