//! Phases that write memory, and its views.

use crate::message;
use cuda_std::prelude::*;

fn one(n: usize) -> Offsets {
    Offsets::new(vec![0, n as u32]).unwrap()
}

/// Runs the kernel `$name` with one block and the first argument `$out`. Before that, it runs it on copies of `$out` with
/// threads in other orders, and compares the results.
macro_rules! run {
    ($name:ident, $out:expr $(, $field:ident: $value:expr)*) => {{
        let offsets = one($out.len());
        // Interpreters take their time.
        let shuffled: Vec<_> = (0..if cfg!(miri) { 1 } else { 3 })
            .map(|seed| {
                let mut out = $out.to_vec();
                let args = $name::Args { out: Segments { data: &mut out[..], offsets: &offsets } $(, $field: $value)* };
                $name::launch(&CpuExecutor::shuffled(seed), 1, args).map(|()| out)
            })
            .collect();
        let args = $name::Args { out: Segments { data: &mut $out[..], offsets: &offsets } $(, $field: $value)* };
        let result = $name::launch(&CpuExecutor::new(), 1, args);
        for other in shuffled {
            assert_eq!(other.is_ok(), result.is_ok());
            assert!(other.is_err() || other.unwrap() == $out, "in another order of threads");
        }
        result
    }};
}

#[kernel(threads = 64)]
fn phases(block: &mut Block, out: &mut Segment<u32>, n: u32) {
    out.fill(block, n, |i| 10 * i);
    out.update(block, n, |i, item| *item += i);
    out.set(block, 2, 1000);
    // Reading what another thread wrote in a phase before.
    let last = n - 1;
    let copy = out.get(last);
    out.update(block, n, |_, item| *item += copy);
}

#[test]
fn phases_write_each_element_once_and_the_next_phase_sees_it() {
    for n in [3, 63, 64, 65, 200] {
        let mut out = vec![7; n + 5];
        run!(phases, out, n: n as u32).unwrap();
        let last = if n == 3 { 1000 } else { 11 * (n as u32 - 1) };
        for (i, found) in out[..n].iter().enumerate() {
            let before = if i == 2 { 1000 } else { 11 * i as u32 };
            assert_eq!(*found, before + last, "element {i} of {n}");
        }
        assert_eq!(out[n..], [7; 5], "the rest is as it was");
    }
}

#[kernel(threads = 64)]
fn too_much(block: &mut Block, out: &mut Segment<u32>, tile: &mut Shared<u32, 8>, what: u32, n: u32) {
    match what {
        0 => out.fill(block, n, |i| i),
        1 => out.update(block, n, |i, item| *item = i),
        2 => out.set(block, n - 1, 1),
        3 => _ = out.fill_reduce(block, n, 0, |i| (i, i), |a, b| a + b),
        4 => _ = out.update_reduce(block, n, 0, |i, _| i, |a, b| a + b),
        5 => out.fill_by_team::<8>(block, n, |_, i| i),
        6 => out.update_by_team::<8, _>(block, n, |_, i| i, |i, item| *item = i),
        7 => _ = out.view(n).len(),
        8 => _ = out.whole().view(n).len(),
        9 => _ = out.whole().split_at(n).0.len(),
        10 => _ = out.get(n - 1),
        11 => _ = tile.fill(block, n, |i| i).len(),
        12 => _ = tile.fill_by_team::<4>(block, n, |_, i| i).len(),
        13 => {
            let state = block.per_thread(|t| t.index());
            tile.write(block, n, &state, |_, own| *own);
        }
        14 => {
            let view = out.view(n - 1);
            _ = view.get(n - 1);
        }
        15 => _ = tile.fill(block, n - 1, |i| i).get(n - 1),
        _ => unreachable!(),
    }
}

#[test]
fn nothing_reaches_beyond_its_memory() {
    for what in 0..=15 {
        let mut out = [7; 8];
        run!(too_much, out, what: what, n: 8).map_err(|_| ()).unwrap_or_else(|()| assert!(what >= 14, "{what} at 8"));
        let mut out = [7; 8];
        assert_eq!(message(run!(too_much, out, what: what, n: 9)), "index out of bounds", "{what}");
        if what != 14 && what != 15 {
            assert_eq!(out, [7; 8], "{what}: nothing is written");
        }
    }
}

#[kernel(threads = 64)]
fn write_states(block: &mut Block, out: &mut Segment<u32>, first: u32) {
    let mut state = block.per_thread(|t| 100 + t.index());
    block.each(&mut state, |t, own| *own += 1000 * t.index());
    out.write(block, first, &state, |t, own| own + t.index());
}

#[test]
fn threads_write_their_states_as_far_as_there_is_room() {
    for (len, first) in [(64, 0), (100, 0), (100, 50), (63, 0), (10, 9), (10, 10), (10, 11), (5, u32::MAX)] {
        let mut out = vec![7; len];
        run!(write_states, out, first: first).unwrap();
        for (i, found) in out.iter().enumerate() {
            let expected = match (i as u32).checked_sub(first) {
                // Its index once at the start, a thousand times in a phase, and once when it is written.
                Some(thread) if thread < 64 => 100 + 1002 * thread,
                _ => 7,
            };
            assert_eq!(*found, expected, "element {i} of {len}, from {first}");
        }
    }
}

#[kernel(threads = 32)]
fn views(block: &mut Block, out: &mut Segment<[u32; 4]>) {
    let mut whole = out.whole();
    let mut words = whole.flatten();
    let n = words.len();
    words.fill(block, n, |i| i);
    let (mut head, mut tail) = words.split_at(6);
    // Both parts at the same time: one is read, the other written.
    let before = head.view(6);
    tail.update(block, n - 6, |i, item| *item += 1000 * before.get(i % 6));
    let mut pairs = head.arrays::<4>();
    // Four of the six words; two are left over.
    let m = pairs.len();
    pairs.update(block, m, |i, four| four[3] = 90 + i + m);
}

#[test]
fn parts_are_the_memory_they_are_made_of() {
    let mut out = [[0; 4]; 3];
    run!(views, out).unwrap();
    let words: Vec<u32> = out.concat();
    let expected = [0, 1, 2, 91, 4, 5, 6, 1007, 2008, 3009, 4010, 5011];
    assert_eq!(words, expected);
}

#[kernel(threads = 32)]
fn places(block: &mut Block, out: &mut Segment<[u32; 4]>) {
    let (start, len, index, threads) = (out.start(), out.len(), block.index(), block.threads());
    out.fill(block, len, |_| [start, len, index, threads]);
}

#[test]
fn a_block_gets_its_own_segment() {
    let offsets = Offsets::new(vec![2, 5, 5, 9]).unwrap();
    let mut out = [[7u32; 4]; 11];
    let args = places::Args { out: Segments { data: &mut out[..], offsets: &offsets } };
    places::launch(&CpuExecutor::new(), 3, args).unwrap();
    assert_eq!(out[..2], [[7; 4]; 2]);
    assert_eq!(out[2..5], [[2, 3, 0, 32]; 3]);
    assert_eq!(out[5..9], [[5, 4, 2, 32]; 4]);
    assert_eq!(out[9..], [[7; 4]; 2]);
}

#[kernel(threads = 32)]
fn tiles(block: &mut Block, out: &mut Segment<u32>, tile: &mut Shared<u32, 100>, other: &mut Shared<[u32; 2], 4>) {
    let capacities = tile.capacity() + other.capacity();
    let mut filled = tile.fill(block, 50, |i| i * i);
    filled.update(block, 10, |_, item| *item += 1);
    filled.set(block, 49, 5);
    let pairs = other.fill_by_team::<4>(block, 3, |team, i| [i, team.reduce(i, 0, |a, j| a + j, |a, b| a + b)]);
    let n = out.len();
    out.fill(block, n, |i| {
        if i < filled.len() {
            filled.get(i)
        } else if i - filled.len() < pairs.len() {
            pairs.get(i - filled.len())[1]
        } else {
            capacities
        }
    });
}

#[test]
fn tiles_hold_what_was_filled() {
    let mut out = [0; 54];
    run!(tiles, out).unwrap();
    for (i, found) in out[..49].iter().enumerate() {
        assert_eq!(*found, (i * i + usize::from(i < 10)) as u32, "element {i}");
    }
    assert_eq!(out[49..], [5, 0, 0, 1, 104]);
}

#[kernel(threads = 64)]
fn inputs(block: &mut Block, out: &mut Segment<u32>, values: &[u32], first: u32, n: u32, at: u32) {
    let part = values.part(first, n);
    let (len, item) = (part.len() as u32, part.at(at));
    out.fill(block, 2, |i| if i == 0 { len } else { item });
}

#[test]
fn inputs_are_read_in_bounds() {
    let values = [10u32, 11, 12, 13, 14];
    let mut out = [0; 2];
    for (first, n, at, expected) in [(0, 5, 4, 14), (2, 3, 0, 12), (4, 1, 0, 14)] {
        run!(inputs, out, values: &values[..], first: first, n: n, at: at).unwrap();
        assert_eq!(out, [n, expected]);
    }
    for (first, n, at) in
        [(0, 6, 0), (5, 1, 0), (6, 0, 0), (1, u32::MAX, 0), (u32::MAX, 1, 0), (0, 5, 5), (2, 3, 3), (0, 5, u32::MAX)]
    {
        let result = run!(inputs, out, values: &values[..], first: first, n: n, at: at);
        assert_eq!(message(result), "index out of bounds", "{first}, {n}, {at}");
    }
}
