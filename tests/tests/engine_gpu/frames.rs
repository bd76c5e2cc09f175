//! Frames of a trajectory, of which a device gets only what differs.

use crate::gpu;
use prism_host::engine::{DeviceSlots, SlotOptions};
use prism_host::trajectory::FrameOf;
use prism_host::{Backend, Engine, StructureInput};
use shared_types::MegaFusedConfig;
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
