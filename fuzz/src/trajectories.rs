//! Trajectories and topologies, whole or damaged.

use prism_trajectory::{Frame, Topology, Trajectory, is_topology};

/// A trajectory: the same positions in any order of frames, and the first atoms of a frame are those of the whole frame.
pub fn trajectory(data: &[u8]) {
    let Ok(run) = Trajectory::of_bytes("x", data) else { return };
    let (mut frame, mut first) = (Frame::default(), Frame::default());
    assert!(run.n_frames() > 0 && run.n_frames() <= data.len());
    // A damaged header may claim more atoms than are worth reading each time.
    for index in (0..run.n_frames()).rev().take(16) {
        let whole = run.read(index, usize::MAX, &mut frame);
        if run.read(index, 7, &mut first).is_ok() && whole.is_ok() {
            assert_eq!(frame.positions.len(), run.n_atoms());
            let bits = |positions: &[[f32; 3]]| positions.iter().map(|one| one.map(f32::to_bits)).collect::<Vec<_>>();
            assert_eq!(bits(&first.positions), bits(&frame.positions[..run.n_atoms().min(7)]));
        }
    }
}

/// A topology.
pub fn topology(data: &[u8]) {
    let _ = is_topology(data);
    let Ok(topology) = Topology::of_bytes("x", data) else { return };
    let n = topology.len();
    assert!([topology.residue_names.len(), topology.residue_numbers.len(), topology.segments.len()] == [n; 3]);
    assert!(topology.elements.is_empty() || topology.elements.len() == n);
    assert!(topology.positions.is_none_or(|positions| positions.len() == n));
    assert!(topology.bonds.iter().flatten().all(|&atom| (atom as usize) < n));
}
