//! Sorts equal those of the standard library.

use cuda_algorithms::{sort, sort_by_key};
use cuda_host::Machine;

#[test]
fn first() {
    let machine = Machine::cpu();
    for n in [1usize, 5, 8192, 20_000] {
        let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i >> 3).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        let mut found = machine.buffer(&keys).unwrap();
        sort(&machine, found.view_mut()).unwrap();
        assert!(found.download().unwrap() == expected, "{n}");
        let values: Vec<u32> = (0..n as u32).collect();
        let (mut k, mut v) = (machine.buffer(&keys).unwrap(), machine.buffer(&values).unwrap());
        sort_by_key(&machine, k.view_mut(), v.view_mut()).unwrap();
        let mut expected = values.clone();
        expected.sort_by_key(|i| keys[*i as usize]);
        assert!(v.download().unwrap() == expected, "{n}");
    }
}
