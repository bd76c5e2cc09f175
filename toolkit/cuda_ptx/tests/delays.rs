//! The delays of threads, computed by an interpreter of the text that is added.

use cuda_ptx::schedule::with_delays;
use cuda_ptx::text::{Part, bodies, parts};
use std::collections::{BTreeSet, HashMap};

/// A thread of a launch of blocks of 8 by 16 by 2 threads.
#[derive(Clone, Copy)]
struct Thread {
    seed: u32,
    block: [u32; 3],
    index: [u32; 3],
}

impl Thread {
    fn with_seed(seed: u32) -> Self {
        Self { seed, block: [0; 3], index: [0; 3] }
    }

    fn special(self, name: &str) -> Option<u32> {
        let [x, y, z] = self.index;
        Some(match name {
            "%ctaid.x" => self.block[0],
            "%ctaid.y" => self.block[1],
            "%ctaid.z" => self.block[2],
            "%tid.x" => x,
            "%tid.y" => y,
            "%tid.z" => z,
            "%ntid.x" => 8,
            "%ntid.y" => 16,
            "%laneid" => (x + 8 * y + 128 * z) % 32,
            _ => return None,
        })
    }
}

/// A kernel with two barriers: five places of delays.
fn kernel() -> String {
    let module =
        ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nbar.sync 0;\nbar.sync 0;\nret;\n}\n";
    with_delays(module).unwrap().text
}

#[test]
fn line_information_changes_no_delay() {
    let lines = kernel_with(
        "\t.loc\t1 7 3\nbar.sync 0;\n",
        "\t.file\t1 \"src/lib.rs\"\n\t.section\t.debug_str\n\t{\n.b8 95\n\t}\n\t.section\t.debug_macinfo\t{\t}\n",
    );
    let [lines, plain] = [lines, kernel_with("bar.sync 0;\n", "")].map(|module| with_delays(&module).unwrap());
    assert_eq!(lines.sites, plain.sites);
    assert!(lines.text.contains(".debug_str"), "{}", lines.text);
    let other = with_delays(&kernel_with("", "\t.section\t.text\n\t{\n\t}\n")).unwrap_err();
    assert!(other.to_string().contains("begins neither a function nor data"), "{other}");
}

/// A kernel with these instructions, and what follows it.
fn kernel_with(instructions: &str, end: &str) -> String {
    format!(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\n{instructions}ret;\n}}\n{end}")
}

/// The nanoseconds that a thread waits in `turns` turns through the kernel's body behind its first state; 0 where it does not.
fn waits(text: &str, thread: Thread, turns: usize) -> Vec<u32> {
    let body = bodies(text)[0].text;
    let statements: Vec<&str> = parts(body)
        .filter_map(|placed| match placed.part {
            Part::Statement(text) if !text.starts_with('.') => Some(text),
            _ => None,
        })
        .collect();
    let first =
        statements.iter().position(|text| text.starts_with("mad.lo.u32 %schedule_state, %schedule_state")).unwrap();
    let mut registers: HashMap<&str, u32> = HashMap::new();
    let mut waits = Vec::new();
    let (beginning, rest) = statements.split_at(first);
    for statement in beginning.iter().chain((0..turns).flat_map(|_| rest)) {
        let (goes, instruction) = match statement.strip_prefix('@') {
            Some(guarded) => {
                let (predicate, instruction) = guarded.split_once(' ').unwrap();
                (registers[predicate] != 0, instruction)
            }
            None => (true, *statement),
        };
        let (opcode, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let value = |at: usize| {
            let operand = operands[at];
            let number = || match operand.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
                None => operand.parse::<i64>().unwrap() as u32,
            };
            thread.special(operand).or_else(|| registers.get(operand).copied()).unwrap_or_else(number)
        };
        // Shifts by more than 31 give zero.
        let result = match opcode {
            "ld.global.u32" => thread.seed,
            "mov.u32" => value(1),
            "add.u32" => value(1).wrapping_add(value(2)),
            "sub.u32" => value(1).wrapping_sub(value(2)),
            "mul.lo.u32" => value(1).wrapping_mul(value(2)),
            "mad.lo.u32" => value(1).wrapping_mul(value(2)).wrapping_add(value(3)),
            "shr.u32" => value(1).checked_shr(value(2)).unwrap_or(0),
            "shl.b32" => value(1).checked_shl(value(2)).unwrap_or(0),
            "and.b32" => value(1) & value(2),
            "xor.b32" => value(1) ^ value(2),
            "popc.b32" => value(1).count_ones(),
            "setp.eq.u32" => u32::from(value(1) == value(2)),
            "selp.b32" => {
                if value(3) != 0 {
                    value(1)
                } else {
                    value(2)
                }
            }
            "nanosleep.u32" => {
                waits.push(if goes { value(0) } else { 0 });
                continue;
            }
            "bar.sync" | "ret" => continue,
            other => panic!("`{other}` is not interpreted"),
        };
        if goes {
            registers.insert(operands[0], result);
        }
    }
    waits
}

/// Seeds as launches have them.
fn seeds() -> impl Iterator<Item = u32> {
    (1..=300u32).map(|n| n.wrapping_mul(0x9e37_79b9) ^ n.rotate_left(17))
}

#[test]
fn without_a_seed_there_are_no_delays() {
    let text = kernel();
    for block in 0..50 {
        let thread = Thread { seed: 0, block: [block, 0, 0], index: [0, 7, 1] };
        assert_eq!(waits(&text, thread, 20), [0; 100]);
    }
}

#[test]
fn delays_repeat_with_the_seed_and_differ_between_seeds() {
    let text = kernel();
    // Of a seed with long delays, few of the first thousand are not zero.
    let all: BTreeSet<_> = seeds().take(100).map(|seed| waits(&text, Thread::with_seed(seed), 200)).collect();
    assert!(all.len() >= 90, "{} of 100 seeds have their own delays", all.len());
    for seed in seeds().take(50) {
        assert_eq!(waits(&text, Thread::with_seed(seed), 20), waits(&text, Thread::with_seed(seed), 20));
    }
}

#[test]
fn blocks_warps_and_turns_have_other_delays() {
    let text = kernel();
    // Of the first seeds, one with many short delays.
    let often = |seed: &u32| waits(&text, Thread::with_seed(*seed), 8).iter().filter(|wait| **wait > 0).count() > 30;
    let seed = seeds().find(often).unwrap();
    let mut all = BTreeSet::new();
    let mut count = 0;
    for block in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [70_000, 0, 0]] {
        for warp in 0..8 {
            let index = [0, 4 * (warp % 4), warp / 4];
            all.insert(waits(&text, Thread { seed, block, index }, 8));
            count += 1;
        }
    }
    assert_eq!(all.len(), count);
    let turns = waits(&text, Thread::with_seed(seed), 8);
    assert!(turns.chunks(5).collect::<BTreeSet<_>>().len() == 8, "{turns:?}");
}

#[test]
fn lanes_of_a_warp_differ_for_a_quarter_of_the_seeds() {
    let text = kernel();
    let differ = |seed: &u32| {
        let of = |lane: u32| waits(&text, Thread { index: [lane % 8, lane / 8, 0], ..Thread::with_seed(*seed) }, 100);
        of(0) != of(31)
    };
    let count = seeds().take(100).filter(differ).count();
    assert!((13..=37).contains(&count), "{count} of 100");
}

#[test]
fn delays_are_short_on_average_and_never_beyond_a_millisecond() {
    let text = kernel();
    let (mut longest, mut zero) = (0, 0);
    for seed in seeds().take(100) {
        let found = waits(&text, Thread::with_seed(seed), 100);
        longest = longest.max(found.iter().copied().max().unwrap());
        zero += found.iter().filter(|wait| **wait == 0).count();
        let mean = found.iter().map(|wait| f64::from(*wait)).sum::<f64>() / found.len() as f64;
        assert!(mean < 5000.0, "seed {seed}: {mean} ns");
    }
    // Half a millisecond is 2^19 ns, the limit of the instruction a million.
    assert!((100_000..524_288).contains(&longest), "{longest} ns");
    assert!(zero > 100 * 500 / 2, "{zero} of 50,000");
}
