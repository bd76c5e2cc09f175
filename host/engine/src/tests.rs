//! The engine with failing workers: results stay the same.

mod blame;
mod devices_later;
mod frames;

use super::injected::{Injected, broken};
use super::{Backend, Engine, EngineError, StructureFeatures};
use crate::synthetic::structure;
use prism_read::structure::StructureInput;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::time::Duration;

fn chains(sizes: &[usize]) -> Vec<StructureInput> {
    sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect()
}

fn bits(features: &StructureFeatures) -> (&str, &[u8], &[i32], &[u8]) {
    let rows = bytemuck::cast_slice(features.values());
    (&features.name, rows, &features.site_ids, bytemuck::bytes_of(&features.summary))
}

fn expected(structures: &[StructureInput]) -> Vec<StructureFeatures> {
    Engine::builder().backend(Backend::Cpu).build().unwrap().run(structures).unwrap()
}

fn assert_same(found: &[StructureFeatures], expected: &[StructureFeatures]) {
    assert!(found.iter().map(bits).eq(expected.iter().map(bits)));
}

#[test]
fn an_engine_may_be_shared_and_sent() {
    fn both<T: Send + Sync>() {}
    both::<Engine>();
}

#[test]
fn a_batch_that_does_not_fit_is_halved_until_it_does() {
    let structures = chains(&[30, 200, 10, 40, 25, 60, 5, 5]);
    let largest = structures.iter().map(StructureInput::n_atoms).max().unwrap();
    for memory in [largest, 2 * largest, usize::MAX] {
        let worker = Injected::new("small", 1).with_memory(memory);
        let engine = Engine::of_workers(vec![worker.boxed()], None, usize::MAX);
        assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    }
}

#[test]
fn later_batches_are_as_small_as_fits() {
    let structures = chains(&[10; 64]);
    let batch: usize = structures[..16].iter().map(StructureInput::n_atoms).sum();
    let worker = Injected::new("small", 1).with_memory(batch / 3);
    let seen = worker.seen.clone();
    let engine = Engine::of_workers(vec![worker.boxed()], None, batch);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    let failed = seen.tried.load(Ordering::SeqCst) - seen.done.load(Ordering::SeqCst);
    assert!((1..=4).contains(&failed), "memory runs out {failed} times, and not on each batch");
}

#[test]
fn one_structure_that_does_not_fit_gets_the_error() {
    let structures = chains(&[30, 20, 200, 10, 40]);
    let worker = Injected::new("small", 2).with_memory(structures[2].n_atoms() - 1);
    let engine = Engine::of_workers(vec![worker.boxed()], None, 150);
    let error = engine.run(&structures).unwrap_err();
    assert!(error.is_out_of_memory());
    let each = engine.run_each(&structures).unwrap();
    let error = each[2].as_ref().unwrap_err();
    assert_eq!(error.structure_index(), Some(2));
    let (atoms, text) = (structures[2].n_atoms(), error.to_string());
    assert!(
        text.starts_with(&format!("structure \"s2\" ({atoms} atoms, 200 residues) does not fit in memory")),
        "{text}"
    );
    assert!(text.contains("bytes are left"), "{text}");
    let others: Vec<_> = each.into_iter().flatten().collect();
    let mut rest = structures;
    rest.remove(2);
    assert_same(&others, &expected(&rest));
}

/// Two slots share the memory of a device. A batch that fits alone must not be refused because of the batch beside it.
#[test]
fn a_structure_gets_the_whole_memory_before_it_is_given_up() {
    let structures = chains(&[120; 6]);
    let largest = structures.iter().map(StructureInput::n_atoms).max().unwrap();
    let worker = Injected::new("small", 2).with_memory(largest + 1).taking(Duration::from_millis(2));
    let seen = worker.seen.clone();
    let engine = Engine::of_workers(vec![worker.boxed()], None, 1);
    let all = expected(&structures);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_same(&engine.run(&structures).unwrap(), &all));
        }
    });
    assert!(seen.most.load(Ordering::SeqCst) <= 2);
}

#[test]
fn workers_share_one_queue_and_results_keep_their_order() {
    let structures = chains(&[20, 50, 3, 70, 30, 30, 10, 90, 12, 8, 61, 33]);
    let all_at_once = Arc::new(Barrier::new(3));
    let workers: Vec<_> =
        (0..3).map(|n| Injected::new(&format!("worker {n}"), 2).meeting(Arc::clone(&all_at_once))).collect();
    let seen: Vec<_> = workers.iter().map(|worker| worker.seen.clone()).collect();
    let engine = Engine::of_workers(workers.into_iter().map(Injected::boxed).collect(), None, 1);
    assert_eq!(engine.slots(), 6);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    let done = |worker: usize| seen[worker].done.load(Ordering::SeqCst);
    assert_eq!((0..3).map(done).sum::<usize>(), structures.len());
}

#[test]
fn free_workers_share_the_work() {
    let one = chains(&[20]);
    let slowness = Duration::from_millis(4);
    let workers = ["a", "b", "c"].map(|name| Injected::new(name, 2).taking(slowness));
    let seen = workers.each_ref().map(|worker| worker.seen.clone());
    let engine = Engine::of_workers(workers.map(Injected::boxed).into(), None, usize::MAX);
    for _ in 0..9 {
        // All are free.
        assert_same(&engine.run(&one).unwrap(), &expected(&one));
    }
    assert!(seen.iter().all(|seen| seen.done.load(Ordering::SeqCst) >= 2), "{seen:?}");
}

#[test]
fn a_worker_that_breaks_is_left_out() {
    let structures = chains(&[20, 50, 3, 70, 30, 30, 10, 90]);
    let all = expected(&structures);
    for after in 0..4 {
        let bad = Injected::new("bad", 2).breaking_after(after);
        let seen = bad.seen.clone();
        let good = Injected::new("good", 2);
        let engine = Engine::of_workers(vec![bad.boxed(), good.boxed()], None, 1);
        // As long as both are there, each gets a share of the work.
        for (one, expected) in structures.iter().zip(&all).cycle().take(4 * structures.len()) {
            assert_same(&engine.run(std::slice::from_ref(one)).unwrap(), std::slice::from_ref(expected));
        }
        let lost = engine.lost();
        assert_eq!(lost.len(), 1);
        assert_eq!((lost[0].name.as_str(), &lost[0].reason), ("bad", &broken("bad")));
        assert_eq!(seen.done.load(Ordering::SeqCst), after);
        assert_same(&engine.run(&structures).unwrap(), &all);
        assert_eq!(seen.tried.load(Ordering::SeqCst), after + 1, "it gets no batch any more");
    }
}

#[test]
fn without_workers_the_fallback_computes_or_there_is_an_error() {
    let structures = chains(&[20, 50, 3, 70]);
    let broken_ones = || (0..2).map(|n| Injected::new(&n.to_string(), 1).breaking_after(n).boxed()).collect();
    let cpu = Injected::new("cpu", 1);
    let seen = cpu.seen.clone();
    let engine = Engine::of_workers(broken_ones(), Some(cpu.boxed()), 1);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!((engine.lost().len(), seen.done.load(Ordering::SeqCst)), (2, 3));

    let engine = Engine::of_workers(broken_ones(), None, 1);
    let error = engine.run_each(&structures).unwrap_err();
    assert!(matches!(error, EngineError::Device(_)), "{error}");
    assert_eq!(error.structure_index(), None);
}

/// A batch that kills one device may kill the next one, too.
#[test]
fn a_batch_takes_no_more_than_two_workers_with_it() {
    let worker = |n: usize| Injected::new(&n.to_string(), 1).breaking_after(0).boxed();
    let engine = Engine::of_workers((0..4).map(worker).collect(), Some(Injected::new("cpu", 1).boxed()), usize::MAX);
    let structures = chains(&[5, 6]);
    assert_same(&engine.run(&structures).unwrap(), &expected(&structures));
    assert_eq!(engine.lost().len(), 2);
}

#[test]
fn many_threads_submit_to_few_slots() {
    const THREADS: usize = 8;
    let structures = chains(&[20, 50, 3, 30, 7]);
    let worker = |name| Injected::new(name, 2).taking(Duration::from_millis(1));
    let (a, b) = (worker("a"), worker("b"));
    let seen = [a.seen.clone(), b.seen.clone()];
    let engine = Engine::of_workers(vec![a.boxed(), b.boxed()], None, 100);
    let (all, start) = (expected(&structures), Barrier::new(THREADS));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                assert_same(&engine.run(&structures).unwrap(), &all);
            });
        }
    });
    for seen in seen {
        assert!(seen.most.load(Ordering::SeqCst) <= 2, "no more batches at once than slots");
    }
}
