//! Cores begin at once, and devices follow when they are ready.

use super::{assert_same, chains, expected};
use crate::cpu::CpuWorker;
use crate::error::{DeviceError, DeviceErrorKind};
use crate::injected::Injected;
use crate::scheduler::{Opener, Scheduler};
use crate::worker::Worker;
use crate::{Backend, Engine, Request};
use prism_read::structure::StructureInput;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// An engine that opens devices after `from_atoms` atoms, and computes chunks of `chunk_atoms` until they are open.
fn engine(opener: Opener, from_atoms: usize, chunk_atoms: usize) -> Engine {
    let cores = Box::new(CpuWorker::new(Request::default().config.points));
    let workers = Scheduler::with_devices_later(cores, 9, opener).asking_for_devices(from_atoms, chunk_atoms);
    Engine::of(workers, usize::MAX)
}

/// Waits until the engine has this many workers.
fn wait_for(engine: &Engine, workers: usize) {
    let begin = Instant::now();
    while engine.worker_names().len() < workers {
        assert!(begin.elapsed() < Duration::from_secs(60), "no device came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn cores_keep_a_slot_beside_devices_that_come() {
    let device = Injected::new("device", 2);
    let engine = engine(Box::new(move || Ok(vec![device.boxed()])), 1000, 100);
    assert_eq!(engine.slots(), 9 + 1);
    engine.announce(1000);
    wait_for(&engine, 2);
    let cores = Engine::builder().backend(Backend::Cpu).build().unwrap();
    assert_eq!(engine.slots(), cores.slots() + 2);
}

#[test]
fn little_work_asks_for_no_device() {
    let asked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    let opener = move || {
        seen.store(true, Ordering::SeqCst);
        Ok(Vec::new())
    };
    let structures = chains(&[20, 50, 3]);
    let engine = engine(Box::new(opener), usize::MAX, 1);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert!(!asked.load(Ordering::SeqCst));
}

#[test]
fn announced_work_makes_a_device_ready_before_it_comes() {
    let device = Injected::new("device", 2);
    let engine = engine(Box::new(move || Ok(vec![device.boxed()])), 1000, 100);
    engine.announce(999);
    assert_eq!(engine.worker_names().len(), 1);
    engine.announce(1000);
    wait_for(&engine, 2);
    // Devices are opened only once.
    engine.announce(5000);
    let structures = chains(&[20, 50, 3]);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!(engine.worker_names().len(), 2);
}

#[test]
fn somewhat_more_work_than_announced_asks_for_no_device() {
    let device = Injected::new("device", 2);
    let structures = chains(&[20, 50, 3]);
    let atoms: usize = structures.iter().map(StructureInput::n_atoms).sum();
    let engine = engine(Box::new(move || Ok(vec![device.boxed()])), atoms, 100);
    engine.announce(atoms - 1);
    let all = expected(&structures);
    assert_same(&engine.run(&structures).unwrap(), &all);
    // A thread that opens a device would be seen at once.
    assert!(!engine.awaits_devices());
    assert_eq!(engine.worker_names().len(), 1);
    // The announcement was wrong.
    assert_same(&engine.run(&structures).unwrap(), &all);
    wait_for(&engine, 2);
}

#[test]
fn announced_work_is_left_to_a_device_that_is_soon_ready() {
    let device = Injected::new("device", 2);
    let seen = device.seen.clone();
    let opener = move || {
        std::thread::sleep(Duration::from_millis(20));
        Ok(vec![device.boxed()])
    };
    let structures = chains(&[20, 50, 3, 90, 12]);
    let engine = engine(Box::new(opener), 1000, 100);
    engine.announce(1000);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!(seen.done.load(Ordering::SeqCst), 1, "the whole batch, and no chunks of it");
    // The wait has a limit.
    let (never, device) = channel::<Box<dyn Worker>>();
    let engine = self::engine(Box::new(move || Ok(device.recv().into_iter().collect())), 1000, 100);
    engine.announce(1000);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!(engine.worker_names().len(), 1);
    drop(never);
}

#[test]
fn a_run_does_not_wait_for_a_device() {
    let (never, device) = channel::<Box<dyn Worker>>();
    let opener = move || Ok(device.recv().into_iter().collect());
    let structures = chains(&[20, 50, 3, 90, 12]);
    let engine = engine(Box::new(opener), 0, 100);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!(engine.worker_names().len(), 1);
    drop(engine);
    drop(never);
}

#[test]
fn a_device_takes_batches_once_it_is_there() {
    let device = Injected::new("device", 2);
    let seen = device.seen.clone();
    let opener = move || Ok(vec![device.boxed()]);
    let structures = chains(&[20, 50, 3, 90, 12]);
    let engine = engine(Box::new(opener), 0, 100);
    let all = expected(&structures);
    assert_same(&engine.run(&structures).unwrap(), &all);
    wait_for(&engine, 2);
    let before = seen.done.load(Ordering::SeqCst);
    assert_same(&engine.run(&structures).unwrap(), &all);
    assert_eq!(seen.done.load(Ordering::SeqCst), before + 1, "the whole batch, and no chunks of it");
}

#[test]
fn cores_go_on_without_devices_that_fail() {
    let structures = chains(&[20, 50, 3, 90, 12]);
    let all = expected(&structures);
    for kind in [DeviceErrorKind::Unavailable, DeviceErrorKind::Lost] {
        let (opened, told) = channel();
        let opener = move || {
            opened.send(()).unwrap();
            Err(DeviceError::new(kind, "it is not to be had"))
        };
        let engine = engine(Box::new(opener), 0, 100);
        assert_same(&engine.run(&structures).unwrap(), &all);
        told.recv().unwrap();
        assert_same(&engine.run(&structures).unwrap(), &all);
        assert!(engine.lost().is_empty());
    }
    // And without one that breaks after it was there.
    let device = Injected::new("bad", 1).breaking_after(0);
    let engine = engine(Box::new(move || Ok(vec![device.boxed()])), 0, 100);
    engine.run(&structures).unwrap();
    wait_for(&engine, 2);
    assert_same(&engine.run(&structures).unwrap(), &all);
    assert_eq!(engine.lost().len(), 1);
}
