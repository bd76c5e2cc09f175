//! The guide's example that runs on a GPU or on CPU cores, and other guarantees of a machine. Without a GPU its part prints
//! a line, unless CUDA_REQUIRE_GPU=1 requires a GPU.

use cuda_host::{Buffer, BufferOffsets, CudaError, CudaExecutor, Device, Machine, Split};
use cuda_std::prelude::*;
use std::time::Duration;
use test_kernels::{Line, curve, fail, histogram, roots, spin, transposed};
use toolkit_tests::device::is_there;

// ANCHOR: written_once
/// `sqrt(input * scale + index)` of each segment, on a GPU or on CPU cores.
fn roots_of(machine: &Machine, input: &[f32], offsets: &Offsets) -> Result<Vec<f32>, CudaError> {
    let (input, mut out) = (machine.buffer(input)?, machine.zeroed(input.len())?);
    let at = machine.offsets(offsets)?;
    let segments = Segments { data: out.view_mut(), offsets: &at };
    let blocks = at.segments() as u32;
    roots::launch(machine, blocks, roots::Args { out: segments, input: input.view(), scale: 4.0 })?;
    out.download()
}
// ANCHOR_END: written_once

// ANCHOR: several
/// The values of a line at each x, of which each machine computes a part.
fn values(machines: &[Machine], line: Line, x: &[f32]) -> Result<Vec<f32>, CudaError> {
    let x = Split::from_slice(machines, x, 512)?; // `out` of `curve` is a `Chunk<f32, 512>`
    let mut out = Split::zeroed(machines, x.len(), 512)?;
    for (part, machine) in machines.iter().enumerate() {
        let args = curve::Args { out: out.part_mut(part).view_mut(), x: x.part(part).view(), f: line };
        curve::launch(machine, x.blocks(part), args)?;
    }
    out.download()
}
// ANCHOR_END: several

/// CPU cores in order and in two shuffled orders, and a GPU if there is one.
fn machines() -> Vec<Machine> {
    let mut machines = vec![Machine::cpu(), CpuExecutor::shuffled(1).into(), CpuExecutor::shuffled(2).into()];
    if is_there() {
        machines.push(CudaExecutor::open(0, "test kernels", test_kernels::IMAGE).unwrap().into());
    }
    machines
}

#[test]
fn one_program_has_the_same_bits_on_every_machine() {
    // ANCHOR: chosen
    let machine = Machine::best("my_kernels", Ok(test_kernels::IMAGE)).unwrap();
    println!("running on {machine}");
    // ANCHOR_END: chosen
    let input: Vec<f32> = (0..1000).map(|i| i as f32 * 0.37).collect();
    let offsets = Offsets::new(vec![0, 10, 10, 700, 1000]).unwrap();
    let expected = roots_of(&Machine::cpu(), &input, &offsets).unwrap();
    assert_eq!(expected[700], (input[700] * 4.0).sqrt());
    for machine in machines().into_iter().chain([machine]) {
        assert_eq!(roots_of(&machine, &input, &offsets).unwrap(), expected, "{machine}");
    }
}

#[test]
fn any_number_of_machines_gives_the_same_bits() {
    let all = Machine::all("my_kernels", Ok(test_kernels::IMAGE)).unwrap();
    assert_eq!(all.len(), if is_there() { Device::count().unwrap() } else { 1 });
    let mixed: Vec<Machine> = all.iter().cloned().chain([Machine::cpu()]).collect();
    let line = Line { slope: 0.1, begin: 0.3 };
    for len in [0, 1, 511, 513, 5000] {
        let x: Vec<f32> = (0..len).map(|i| i as f32 * 0.37).collect();
        let expected = values(&[Machine::cpu()], line, &x).unwrap();
        assert_eq!((expected.len(), expected.first()), (len, (len > 0).then_some(&0.3)));
        for machines in [vec![Machine::cpu(); 3], all.clone(), mixed.clone()] {
            assert_eq!(values(&machines, line, &x).unwrap(), expected, "{len} on {machines:?}");
        }
    }
}

#[test]
fn parts_exchange_their_edges() {
    let mut machines = Machine::all("my_kernels", Ok(test_kernels::IMAGE)).unwrap();
    machines.push(Machine::cpu());
    machines.push(Machine::cpu());
    let mut numbers = Split::from_slice(&machines, &(0..100).collect::<Vec<u32>>(), 10).unwrap();
    let mut expected = numbers.download().unwrap();
    for part in 1..machines.len() {
        let begin = numbers.range(part).start;
        expected[begin] = begin as u32 - 1;
        let [before, own] = numbers.parts_mut().get_disjoint_mut([part - 1, part]).unwrap();
        own.slice_mut(..1).unwrap().copy_from(before.slice(before.len() - 1..).unwrap()).unwrap();
    }
    assert_eq!(numbers.download().unwrap(), expected);
}

#[test]
fn the_machine_that_is_chosen_says_why() {
    let machine = Machine::best("my_kernels", Ok(test_kernels::IMAGE)).unwrap();
    assert_eq!((machine.as_cuda().is_some(), machine.why_cpu().is_none()), (is_there(), is_there()));
    let without = Machine::best("my_kernels", Err("no compiler for GPUs")).unwrap();
    assert_eq!(without.to_string(), "CPU cores (no compiler for GPUs)");
    assert_eq!(Machine::cpu().to_string(), "CPU cores");
}

#[test]
fn every_kind_of_argument_is_taken_to_the_machine() {
    let numbers: Vec<f32> = (0..40 * 33).map(|i| i as f32).collect();
    let turned: Vec<f32> = (0..33 * 40).map(|i| numbers[(i % 40 * 33 + i / 40) as usize]).collect();
    for machine in machines() {
        // Atomics keep the buffer's contents.
        let (x, mut bins) = (machine.buffer(&[3u32, 3, 5]).unwrap(), machine.buffer(&[10u32; 256]).unwrap());
        histogram::launch(&machine, 1, histogram::Args { bins: bins.view_mut(), values: x.view(), per_block: 3 })
            .unwrap();
        let bins = bins.into_vec().unwrap();
        assert_eq!((bins[3], bins[5], bins[4]), (12, 11, 10), "{machine}");
        // A matrix.
        let (x, mut out) = (machine.buffer(&numbers).unwrap(), machine.zeroed::<f32>(numbers.len()).unwrap());
        let matrix = Matrix { data: out.view_mut(), columns: 40 };
        transposed::launch(&machine, (2, 2), transposed::Args { out: matrix, input: x.view() }).unwrap();
        assert_eq!(out.download().unwrap(), turned, "{machine}");
    }
}

#[test]
fn errors_are_the_same_on_every_machine() {
    let offsets = Offsets::new(vec![0, 32, 64]).unwrap();
    for machine in machines() {
        let (input, mut out) = (machine.buffer(&[7u32; 64]).unwrap(), machine.zeroed::<u32>(64).unwrap());
        let at = machine.offsets(&offsets).unwrap();
        let mut run = |blocks, index| -> Result<Vec<u32>, CudaError> {
            let segments = Segments { data: out.view_mut(), offsets: &at };
            let args = fail::Args { out: segments, input: input.view(), block_to_fail: 1, index };
            fail::launch(&machine, blocks, args)?;
            out.download()
        };
        assert_eq!(run(2, 5).unwrap(), [7; 64], "{machine}");
        assert!(matches!(run(3, 5), Err(CudaError::Launch(_))), "{machine}");
        let error = run(2, 1000).unwrap_err();
        let panic = error.kernel_panic().expect("an index out of bounds is a panic");
        assert_eq!((panic.kernel.as_str(), panic.block[0]), ("fail", 1), "{machine}");
        assert_eq!(run(2, 6).unwrap(), [7; 64], "{machine}");
    }
}

#[test]
fn parts_of_buffers_are_checked_on_every_machine() {
    for machine in machines() {
        let mut x = machine.buffer(&[1u32, 2, 3, 4]).unwrap();
        assert_eq!(x.slice(1..3).unwrap().download().unwrap(), [2, 3]);
        assert_eq!(x.slice(3..9).unwrap_err().to_string(), "elements 3..9 are not within a device buffer of 4");
        assert!(x.view_mut().split_at_mut(5).is_err() && x.slice_mut(5..).is_err());
        assert!(matches!(x.upload(&[1]), Err(CudaError::Length { from: 1, to: 4, .. })), "{machine}");
        x.slice_mut(2..).unwrap().reborrow().upload(&[8, 9]).unwrap();
        assert_eq!(x.download().unwrap(), [1, 2, 8, 9]);
        assert!(matches!(machine.zeroed::<u64>(usize::MAX / 4), Err(CudaError::TooLarge { .. })), "{machine}");
    }
}

#[test]
fn a_buffer_of_another_machine_is_refused() {
    let all = machines();
    let (cpu, Some(gpu)) = (&all[0], all.get(3)) else { return };
    let run = |machine: &Machine, x: &Buffer<u32>, bins: &mut Buffer<u32>| {
        histogram::launch(machine, 1, histogram::Args { bins: bins.view_mut(), values: x.view(), per_block: 1 })
    };
    for (here, there) in [(cpu, gpu), (gpu, cpu)] {
        let (x, mut bins) = (there.buffer(&[1u32]).unwrap(), here.zeroed(256).unwrap());
        let error = run(here, &x, &mut bins).unwrap_err();
        assert!(matches!(&error, CudaError::OtherMachine { argument: "values", .. }), "{error}");
        assert_eq!(bins.download().unwrap(), [0; 256]);
    }
}

fn turns(machine: &Machine, at: &BufferOffsets, out: &mut Buffer<u32>, rounds: u32) -> Result<(), CudaError> {
    let input = machine.buffer(&vec![7u32; out.len()])?;
    let segments = Segments { data: out.view_mut(), offsets: at };
    let launched =
        spin::launch(machine, at.segments() as u32, spin::Args { out: segments, input: input.view(), rounds });
    // Freeing `input` waits for the kernel, which does end.
    drop(input);
    launched
}

#[test]
fn a_launch_has_a_time_limit_on_every_machine() {
    let offsets = Offsets::new((0..1001).collect()).unwrap();
    for machine in machines() {
        let (at, mut out) = (machine.offsets(&offsets).unwrap(), machine.zeroed(1000).unwrap());
        // ANCHOR: limit
        let limited = machine.within(Duration::from_secs(60));
        // ANCHOR_END: limit
        turns(&limited, &at, &mut out, 1).unwrap();
        let expected = out.download().unwrap();
        assert_eq!(expected[999], 7u32.wrapping_mul(1_664_525).wrapping_add(1_013_904_223), "{machine}");
        // A fifth of a second on a GPU; a thousand blocks in sequence on a core.
        let rounds = if machine.as_cuda().is_some() { 30_000_000 } else { 1_000_000 };
        // Another test's call of the driver may delay this one until the kernel has ended.
        let error = (0..50).find_map(|_| turns(&machine.within(Duration::from_millis(2)), &at, &mut out, rounds).err());
        let error = error.expect("a launch that takes longer than its limit");
        assert!(matches!(&error, CudaError::TimeLimit { kernel, .. } if &**kernel == "spin"), "{machine}: {error}");
        // The machine stays usable.
        machine.synchronize().unwrap();
        turns(&machine, &at, &mut out, 1).unwrap();
        assert_eq!(out.download().unwrap(), expected, "{machine}");
    }
}
