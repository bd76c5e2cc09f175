//! What is copied to a device for frames of a trajectory.

use crate::memory::{HostMemory, Memory, OutOfHostMemory};
use crate::pack::PackedBatch;
use crate::results::BatchFeatures;
use crate::selection::Request;
use crate::synthetic::structure;
use crate::workspace::Workspace;
use crate::{Backend, Engine, InputBuffers, Largest, launch_mega_fused_batch, point_groups};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{CpuExecutor, Host, Offsets};
use prism_read::structure::{FrameOf, StructureInput};
use shared_types::{Atom, MegaFusedConfig};
use std::cell::Cell;

/// The host's memory, which counts the bytes that are copied there, and the offsets that are set.
#[derive(Default)]
struct Counting {
    copied: Cell<usize>,
    set: Cell<usize>,
}

impl Memory for Counting {
    type Space = Host;
    type Error = OutOfHostMemory;
    type Buffer<T: DeviceLayout> = Vec<T>;
    type Offsets = Offsets;

    fn empty<T: DeviceLayout>(&self) -> Result<Vec<T>, OutOfHostMemory> {
        HostMemory.empty()
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut Vec<T>, len: usize) -> Result<(), OutOfHostMemory> {
        HostMemory.reserve(buffer, len)
    }

    fn copy_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut Vec<T>,
        elements: &[T],
    ) -> Result<(), OutOfHostMemory> {
        self.copied.set(self.copied.get() + size_of_val(elements));
        HostMemory.copy_to(buffer, elements)
    }

    fn copy_from<T: DeviceLayout + Send + Sync>(&self, buffer: &Vec<T>, to: &mut [T]) -> Result<(), OutOfHostMemory> {
        HostMemory.copy_from(buffer, to)
    }

    fn no_offsets(&self) -> Result<Offsets, OutOfHostMemory> {
        HostMemory.no_offsets()
    }

    fn set(&self, offsets: &mut Offsets, to: &Offsets) -> Result<(), OutOfHostMemory> {
        self.set.set(self.set.get() + 1);
        HostMemory.set(offsets, to)
    }

    fn view<T: DeviceLayout>(buffer: &Vec<T>, len: usize) -> &[T] {
        HostMemory::view(buffer, len)
    }

    fn view_mut<T: DeviceLayout>(buffer: &mut Vec<T>) -> &mut [T] {
        HostMemory::view_mut(buffer)
    }

    fn offsets(offsets: &Offsets) -> &Offsets {
        HostMemory::offsets(offsets)
    }
}

/// Some frames of a structure, from this number on. Atoms and centres differ.
fn frames(of: &StructureInput, numbers: std::ops::Range<u32>) -> Vec<StructureInput> {
    let frame = |number: u32| {
        let mut structure = StructureInput { frame: Some(FrameOf { number, time: 0.0 }), ..of.clone() };
        structure.center[0] += f64::from(number);
        structure.atoms.iter_mut().for_each(|atom| atom.x *= 1.0 + 0.01 * number as f32);
        structure
    };
    numbers.map(frame).collect()
}

#[test]
fn frames_are_copied_without_what_they_have_in_common() {
    let (first, second) = (structure("first", 40, 1), structure("second", 40, 2));
    let mut other = first.clone();
    other.residue_types[7] = (other.residue_types[7] + 1) % 20;
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let (memory, request) = (Counting::default(), Request::from(MegaFusedConfig::default()));
    let points = point_groups(request.config.points);
    let (mut inputs, mut work) = (InputBuffers::new(&memory).unwrap(), Workspace::new(&memory).unwrap());
    // The bytes that an upload copies. Results have the bits of a batch that is copied as a whole.
    let mut before = 0;
    let mut copied = |structures: &[StructureInput]| {
        let batch = PackedBatch::from_inputs(structures).unwrap();
        memory.copied.set(0);
        memory.set.set(0);
        work.prepare(&memory, &batch.whole(), &request, Largest::default()).unwrap();
        let items = memory.copied.replace(0);
        inputs.upload(&memory, &batch.whole()).unwrap();
        let copied = memory.copied.get();
        // What says how work is shared out is kept exactly as long.
        assert_eq!(items == 0 && memory.set.get() == 0, structures.len() == before && copied < batch.bytes());
        before = structures.len();
        let given = inputs.view(&points, request.config.points);
        launch_mega_fused_batch(&CpuExecutor::default(), given, &mut work, request.config).unwrap();
        let mut found = BatchFeatures::room(&batch, &request).unwrap();
        work.results(&memory, &mut found).unwrap();
        let expected = engine.run_batch(&batch).unwrap();
        let bits = |features: &BatchFeatures| bytemuck::cast_slice::<f32, u32>(features.values()).to_vec();
        assert!(bits(&found) == bits(&expected) && found.site_ids() == expected.site_ids());
        (copied, batch.bytes())
    };
    let moved = |frames: usize| frames * (first.n_atoms() * size_of::<Atom>() + size_of::<[f64; 3]>());
    let whole = |(copied, bytes): (usize, usize)| copied == bytes;

    assert!(whole(copied(&frames(&first, 0..3))), "at first");
    assert_eq!(copied(&frames(&first, 3..6)).0, moved(3));
    assert_eq!(copied(&frames(&first, 6..8)).0, moved(2), "fewer");
    assert_eq!(copied(&frames(&first, 8..11)).0, moved(3), "as many as before");
    assert!(whole(copied(&frames(&first, 11..15))), "more");
    // What differs in a frame's residues belongs to it alone.
    let (some, one) = (frames(&first, 15..18), frames(&other, 18..19));
    assert!(whole(copied(&[some, one].concat())));
    assert!(whole(copied(&frames(&first, 0..4))), "others were there");
    assert_eq!(copied(&frames(&first, 4..8)).0, moved(4));
    // Structures that are no frames have nothing in common.
    assert!(whole(copied(&[second.clone(), first.clone()])));
    assert!(whole(copied(&frames(&first, 0..2))), "others were there");
    assert!(!whole(copied(&frames(&first, 2..4))) && whole(copied(std::slice::from_ref(&second))));
}
