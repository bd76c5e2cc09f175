//! Frames of a trajectory, of which a device gets only what differs.

use crate::gpu;
use prism_host::engine::{DeviceSlots, SlotOptions};
use prism_host::read::structure::Atoms;
use prism_host::trajectory::FrameOf;
use prism_host::{Backend, Engine, StructureInput};
use shared_types::MegaFusedConfig;
use std::sync::Arc;
use tests::copies;
use tests::same::assert_same_parts;
use tests::slots::{cut, executor, packed};
use tests::synthetic::{Annotation, Recipe};

/// Frames of a structure with other positions and another centre each.
fn frames(of: &StructureInput, numbers: std::ops::Range<u32>) -> Vec<StructureInput> {
    let frame = |number: u32| {
        let mut structure = StructureInput { frame: Some(FrameOf { number, time: 0.0 }), ..of.clone() };
        structure.center = [f64::from(number), 0.5, -3.0];
        structure.atoms.iter_mut().for_each(|atom| atom.x *= 1.0 + 0.001 * number as f32);
        structure
    };
    numbers.map(frame).collect()
}

/// The same frames with atoms in a room of the slots.
fn in_a_room(slots: &DeviceSlots, mut frames: Vec<StructureInput>) -> Vec<StructureInput> {
    let n = frames[0].n_atoms();
    let mut room = slots.atom_room(n * frames.len()).unwrap();
    for (to, frame) in room.atoms().unwrap().chunks_exact_mut(n).zip(&frames) {
        to.copy_from_slice(&frame.atoms);
    }
    let memory = room.shared().unwrap();
    for (index, frame) in frames.iter_mut().enumerate() {
        frame.atoms = Atoms::lent(Arc::clone(&memory), index * n..(index + 1) * n);
    }
    frames
}

#[test]
fn atoms_that_lie_in_rooms_have_the_same_bits() {
    let Some(_turn) = gpu() else { return };
    let config = MegaFusedConfig::default();
    let cpu = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
    let small = copies::jittered(1).remove(0);
    for options in [SlotOptions::default(), cut(3)] {
        let slots = DeviceSlots::new(&executor(), options).unwrap();
        let room = |numbers| in_a_room(&slots, frames(&small, numbers));
        let mut gap = room(20..26);
        gap.remove(3);
        let batches = [
            room(0..4),
            [room(4..7), room(7..8)].concat(),
            // Beside others, which go through staging.
            [frames(&small, 8..10), room(10..12), frames(&small, 12..13)].concat(),
            gap,
            // As a room's structures, but no frames.
            room(30..33).into_iter().map(|one| StructureInput { frame: None, ..one }).collect(),
        ];
        for (number, structures) in batches.iter().enumerate() {
            let (batch, usual) = (packed(structures), packed(structures));
            let (found, _) = slots.run(&batch, config).unwrap();
            let parts = (found.values(), found.site_ids(), found.summaries());
            assert_same_parts(&cpu.run_batch(&usual).unwrap(), parts, &format!("batch {number}, {options:?}"));
        }
    }
    let ordinary = DeviceSlots::new(&executor(), SlotOptions { page_locked: false, ..SlotOptions::default() }).unwrap();
    assert!(ordinary.atom_room(1000).is_none());
}

#[test]
fn rooms_are_used_again_and_end_where_memory_would_grow() {
    let Some(_turn) = gpu() else { return };
    let slots = DeviceSlots::new(&executor(), SlotOptions::default()).unwrap();
    let atoms = 1 << 22;
    // Six of 64 MiB.
    let mut rooms: Vec<_> = std::iter::from_fn(|| slots.atom_room(atoms)).take(100).collect();
    assert_eq!(rooms.len(), 6);
    assert!(slots.atom_room(usize::MAX).is_none());
    let first = rooms.remove(0).shared().unwrap().atoms().as_ptr();
    assert_eq!(slots.atom_room(atoms).unwrap().shared().unwrap().atoms().as_ptr(), first);
}

#[test]
fn frames_have_the_bits_that_they_have_on_cores() {
    let Some(_turn) = gpu() else { return };
    let config = MegaFusedConfig::default();
    let cpu = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
    let annotated = Recipe::new(120, 11).chains(3).annotation(Annotation::Partly).build();
    let small = copies::jittered(1).remove(0);
    for options in [SlotOptions::default(), cut(5), SlotOptions { page_locked: false, ..cut(3) }] {
        let slots = DeviceSlots::new(&executor(), options).unwrap();
        // Few and many frames in turn, of two structures, and others between them.
        let batches = [
            frames(&small, 0..7),
            frames(&small, 7..9),
            frames(&small, 9..30),
            frames(&annotated, 0..12),
            copies::jittered(4),
            frames(&small, 30..37),
            [frames(&small, 37..40), frames(&annotated, 12..15)].concat(),
            frames(&small, 40..46),
        ];
        for (number, structures) in batches.iter().enumerate() {
            let batch = packed(structures);
            let (found, _) = slots.run(&batch, config).unwrap();
            let parts = (found.values(), found.site_ids(), found.summaries());
            assert_same_parts(&cpu.run_batch(&batch).unwrap(), parts, &format!("batch {number}, {options:?}"));
        }
    }
}
