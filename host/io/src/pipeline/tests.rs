//! The pipeline with slow and failing workers: order, limits and ends.

use super::{Amount, Batch, Cancel, Computed, Outcome, Stopped, run};
use crate::output::Columns;
use crate::synthetic::structure;
use prism_engine::injected::Injected;
use prism_engine::{Backend, Engine, EngineError, LARGEST_WCN};
use prism_read::NoteKind;
use shared_types::NO_CA;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Batches of two chains each, named by increasing numbers.
fn source() -> impl Iterator<Item = Batch> + Send {
    (0..).map(|batch: usize| {
        let chain = |i: usize| structure(&i.to_string(), 5 + i * 7 % 40, i as u64);
        let structures = vec![chain(2 * batch), chain(2 * batch + 1)];
        let outcomes = structures.iter().map(|_| Outcome::Read { notes: Vec::new() }).collect();
        Batch { structures, outcomes, bytes: 10, ..Batch::default() }
    })
}

fn engine(workers: impl IntoIterator<Item = Injected>) -> Engine {
    Engine::of_workers(workers.into_iter().map(Injected::boxed).collect(), None, usize::MAX)
}

/// Names, with features as bits or the error as text.
fn told(computed: &Computed) -> Vec<(String, Result<Vec<u8>, String>)> {
    let results = computed.results.iter().zip(&computed.batch.structures);
    results
        .map(|(result, structure)| {
            let bits = |values: &[f32]| bytemuck::cast_slice(values).to_vec();
            (structure.name.clone(), result.map(|features| bits(features.values)).map_err(ToString::to_string))
        })
        .collect()
}

/// All results of `engine` for the given number of batches.
fn all(engine: &Engine, batches: usize) -> Vec<(String, Result<Vec<u8>, String>)> {
    let mut found = Vec::new();
    let consume = |computed: Computed| {
        found.extend(told(&computed));
        Ok::<_, Infallible>(())
    };
    run(engine, source().take(batches), &Cancel::default(), consume).unwrap();
    found
}

fn by_the_cpu(batches: usize) -> Vec<(String, Result<Vec<u8>, String>)> {
    all(&Engine::builder().backend(Backend::Cpu).build().unwrap(), batches)
}

#[test]
fn results_come_in_order_whoever_computes_them() {
    let expected = by_the_cpu(20);
    let names: Vec<_> = expected.iter().map(|(name, _)| name.parse::<usize>().unwrap()).collect();
    assert_eq!(names, (0..40).collect::<Vec<_>>());
    let slow = Duration::from_millis(1);
    let workers = [1, 0, 3].map(|n| Injected::new(&n.to_string(), 2).taking(n * slow));
    assert_eq!(all(&engine(workers), 20), expected);
    assert_eq!(all(&engine([Injected::new("one", 1)]), 20), expected);
}

#[test]
fn what_breaks_on_the_way_changes_nothing() {
    let expected = by_the_cpu(20);
    for after in [0, 3] {
        let bad = Injected::new("bad", 2).breaking_after(after);
        let seen = bad.seen.clone();
        let broken = engine([bad, Injected::new("good", 1)]);
        assert_eq!(all(&broken, 20), expected);
        assert_eq!(broken.lost().len(), usize::from(seen.tried.load(Ordering::SeqCst) > after));
        assert!(after > 0 || !broken.lost().is_empty(), "the first batch goes to the first");
    }
}

#[test]
fn what_does_not_fit_gets_an_error_in_its_place() {
    let mut expected = by_the_cpu(10);
    let chains: Vec<_> = source().take(10).flat_map(|batch| batch.structures).collect();
    let memory = 80;
    let found = all(&engine([Injected::new("small", 1).with_memory(memory)]), 10);
    let mut refused = 0;
    for ((found, expected), chain) in found.iter().zip(&mut expected).zip(&chains) {
        if chain.n_atoms() > memory {
            refused += 1;
            assert!(found.1.as_ref().unwrap_err().contains(&format!("{:?}", chain.name)), "{:?}", found.1);
        } else {
            assert_eq!(found, expected);
        }
    }
    assert!(refused > 0 && refused < chains.len());
}

#[test]
fn only_some_batches_are_in_memory() {
    // Two being computed, one read, one written, and one per packer.
    let most = 4 + super::packers();
    let (read, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let source = source().take(30).inspect(|_| {
        let here = read.fetch_add(1, Ordering::SeqCst) + 1 - written.load(Ordering::SeqCst);
        assert!(here <= most, "{here} batches at once");
    });
    let telemetry = run(&engine([Injected::new("one", 2)]), source, &Cancel::default(), |_| {
        // Write the first batch only when the most batches are in memory.
        while read.load(Ordering::SeqCst) < most {
            std::thread::yield_now();
        }
        written.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Infallible>(())
    });
    assert_eq!(telemetry.unwrap().peak_batches, most);
}

#[test]
fn reading_goes_on_while_a_batch_is_written() {
    let (tell, read) = channel();
    let source = source().take(4).inspect(move |_| tell.send(()).unwrap());
    let mut first = true;
    let telemetry = run(&engine([Injected::new("one", 1)]), source, &Cancel::default(), |_| {
        // Three of the four are read before the first is written.
        let batches = if std::mem::take(&mut first) { 3 } else { 0 };
        (0..batches).try_for_each(|_| read.recv_timeout(Duration::from_secs(60)))
    });
    assert!(telemetry.unwrap().write.waiting > Duration::ZERO);
}

#[test]
fn a_cancelled_run_ends() {
    let cancel = Cancel::default();
    let mut consumed = 0;
    let ended = run(&engine([Injected::new("one", 2)]), source(), &cancel, |_| {
        consumed += 1;
        if consumed == 3 {
            cancel.cancel();
        }
        Ok::<_, Infallible>(())
    });
    assert!(matches!(ended, Err(Stopped::Cancelled)));
    assert_eq!(consumed, 3, "nothing is written after it");

    let ended = run(&engine([Injected::new("one", 2)]), source(), &cancel, |_| -> Result<(), ()> { unreachable!() });
    assert!(matches!(ended, Err(Stopped::Cancelled)), "cancelled before it begins");
}

#[test]
fn a_run_may_be_cancelled_at_any_time() {
    for wait in 0..20 {
        let (cancel, engine) = (Cancel::default(), engine([Injected::new("one", 2)]));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(wait));
                cancel.cancel();
            });
            let ended = run(&engine, source(), &cancel, |_| Ok::<_, Infallible>(()));
            assert!(matches!(ended, Err(Stopped::Cancelled)));
        });
    }
}

#[test]
fn a_consumer_that_fails_ends_the_run() {
    let mut consumed = 0;
    let ended = run(&engine([Injected::new("one", 2)]), source(), &Cancel::default(), |_| {
        consumed += 1;
        if consumed == 2 { Err("the disk is full") } else { Ok(()) }
    });
    assert!(matches!(ended, Err(Stopped::Consumer("the disk is full"))));
}

/// A defect must not make the run hang.
#[test]
fn a_panic_in_a_worker_ends_the_run_with_it() {
    for after in [0, 5] {
        let engine = engine([Injected::new("one", 2).panicking_after(after)]);
        let cancel = Cancel::default();
        let mut run = || run(&engine, source(), &cancel, |_| Ok::<_, Infallible>(())).map(|_| ());
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut run)).is_err());
    }
}

#[test]
fn a_backend_that_is_gone_ends_the_run_after_what_was_computed() {
    let mut consumed = 0;
    let ended = run(&engine([Injected::new("bad", 1).breaking_after(4)]), source(), &Cancel::default(), |_| {
        consumed += 1;
        Ok::<_, Infallible>(())
    });
    assert!(matches!(ended, Err(Stopped::Engine(error)) if matches!(*error, EngineError::Device(_))));
    assert_eq!(consumed, 4);
}

#[test]
fn telemetry_counts_what_was_done() {
    let structures: Vec<_> = source().take(6).flat_map(|batch| batch.structures).collect();
    let residues: usize = structures.iter().map(|structure| structure.n_residues()).sum();
    let atoms: usize = structures.iter().map(|structure| structure.n_atoms()).sum();
    let worker = |name| Injected::new(name, 1).taking(Duration::from_millis(1));
    let engine = engine([worker("a"), worker("b").breaking_after(2)]);
    let wait = |_| {
        std::thread::sleep(Duration::from_millis(1));
        Ok::<_, Infallible>(())
    };
    let telemetry = run(&engine, source().take(6), &Cancel::default(), wait).unwrap();
    for stage in [telemetry.read, telemetry.pack, telemetry.compute, telemetry.write] {
        let Amount { batches, structures: n, residues: r, atoms: a, .. } = stage.amount;
        assert_eq!((batches, n, r, a), (6, 12, residues as u64, atoms as u64));
        assert!(stage.busy > Duration::ZERO && stage.threads > 0);
    }
    assert_eq!(telemetry.read.amount.bytes, 60);
    let row = shared_types::FEATURES.len() * size_of::<f32>() + size_of::<i32>();
    let results = residues * row + 12 * size_of::<shared_types::StructureSummary>();
    assert_eq!((telemetry.compute.amount.bytes, telemetry.write.amount.bytes), (results as u64, results as u64));
    let packed = prism_engine::PackedBatch::from_inputs(&structures).unwrap();
    assert_eq!(telemetry.pack.amount.bytes, packed.bytes() as u64);

    let [a, b] = &telemetry.workers[..] else { panic!("two workers: {:?}", telemetry.workers) };
    assert_eq!((a.name.as_str(), b.name.as_str()), ("a", "b"));
    assert_eq!(a.amount.batches + b.amount.batches, 6);
    assert!(b.amount.batches <= 2, "batches that failed on it are not counted");
    let times = a.device.unwrap();
    let nanos = [times.upload, times.kernels, times.download].map(|time| time.as_nanos() as u64);
    assert_eq!(nanos, [1, 2, 3].map(|n| n * a.amount.batches));
    assert!(telemetry.write.busy >= Duration::from_millis(6) && telemetry.wall >= telemetry.write.busy);
    assert_eq!((telemetry.compute.threads, telemetry.halvings), (2, 0));

    let small = super::tests::engine([Injected::new("small", 1).with_memory(atoms / 6)]);
    let telemetry = run(&small, source().take(6), &Cancel::default(), wait).unwrap();
    assert!(telemetry.halvings > 0);
    assert!(telemetry.workers[0].amount.batches > 6 && telemetry.compute.amount.batches == 6);
}

/// A chain of more residues than `wcn` is computed for by default.
#[test]
fn wcn_of_a_large_structure_is_computed_by_name_alone() {
    let large = structure("large", LARGEST_WCN as usize + 1, 7);
    let found = |columns: Columns| {
        let engine = Engine::builder().backend(Backend::Cpu).selection(columns.selection()).build().unwrap();
        let batch = Batch {
            structures: vec![structure("small", 1_100, 3), large.clone()],
            outcomes: (0..2).map(|_| Outcome::Read { notes: Vec::new() }).collect(),
            ..Batch::default()
        };
        let mut found = Vec::new();
        let consume = |Computed { batch, results }| {
            for (outcome, features) in batch.outcomes.iter().zip(results.iter()) {
                let Outcome::Read { notes } = outcome else { unreachable!() };
                let kinds: Vec<NoteKind> = notes.iter().map(|note| note.kind).collect();
                let features = features.unwrap();
                let wcn = features.selection.features().iter().position(|feature| feature.name == "wcn").unwrap();
                found.push((features.values[wcn * features.n_residues..][..features.n_residues].to_vec(), kinds));
            }
            Ok::<_, Infallible>(())
        };
        run(&engine, [batch].into_iter(), &Cancel::default(), consume).unwrap();
        found
    };
    let default = Columns::default();
    let others: Vec<_> = default.as_slice().iter().copied().filter(|column| column.name() != "wcn").collect();
    let (whole, named) =
        (found(others.into_iter().fold(default, Columns::without)), found(Columns::choose(["wcn"]).unwrap()));
    assert!(whole[0].1.is_empty() && whole[0].0.iter().filter(|wcn| wcn.is_finite()).count() > 1_000);
    assert_eq!(whole[1].1, [NoteKind::LargeWcn]);
    assert!(whole[1].0.iter().all(|wcn| wcn.is_nan()));
    assert!(named.iter().all(|(_, notes)| notes.is_empty()));
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&named[0].0), bits(&whole[0].0));
    // In double precision, from the alpha carbons.
    let carbon = |row: usize| {
        let atom = large.atoms[large.ca_indices[row] as usize];
        [atom.x, atom.y, atom.z].map(f64::from)
    };
    for row in [0, 20_000, LARGEST_WCN as usize] {
        let own = carbon(row);
        let is_other = |&other: &usize| other != row && large.ca_indices[other] != NO_CA;
        let others = (0..large.n_residues()).filter(is_other).map(carbon);
        let expected: f64 = others.map(|other| 1.0 / (0..3).map(|k| (other[k] - own[k]).powi(2)).sum::<f64>()).sum();
        let wcn = f64::from(named[1].0[row]);
        assert!((wcn - expected).abs() < 1e-4 * expected, "{row}: {wcn}, {expected}");
    }
}
