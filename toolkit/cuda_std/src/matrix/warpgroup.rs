//! The main loop of a product whose warps multiply by fours.

use super::MatrixElement;
use super::parts::{Copies, PARTS, STEPS};
use crate::platform::warpgroup as together;
use crate::platform::{self, SharedPointer};
use crate::unrolled::unrolled;
use crate::vectors::ElementVector;
use crate::{Stages, Windows};

/// Whether a warpgroup multiplies such elements, if each of its warps has 16 `r` rows and 8 `c` columns, and windows as many stages.
/// If it `is_fast`, coarse sums do not begin anew.
pub(super) const fn multiply<E: MatrixElement>(r: usize, c: usize, stages: usize, is_fast: bool) -> bool {
    match E::KIND {
        // A thread keeps the sums of two turns beside those of all.
        Some(kind) if kind.is_coarse() && !is_fast => r == 1 && together::is_width(c) && c <= 16 && stages > 3,
        Some(_) => r == 1 && together::is_width(c),
        None => false,
    }
}

/// How it multiplies them.
#[inline(always)]
pub(super) const fn kind<E: MatrixElement>() -> together::Kind {
    const { E::KIND.expect("warpgroups multiply such elements") }
}

/// The number of turns whose products may be under way while the next tile is waited for.
const fn in_flight(stages: usize) -> usize {
    if stages > 3 { 1 } else { 0 }
}

/// Whether the warps' parts are those of whole warpgroups: four warps with 16 rows each, one below the other. Rows and columns begin at
/// whole eights, as the [descriptors](platform::warpgroup::descriptor) need.
#[inline(always)]
pub(super) fn are_warpgroups(threads: u32, corner: impl Fn(u32) -> [u32; 2]) -> bool {
    let mut are = threads.is_multiple_of(128);
    for warp in 0..threads / 32 {
        let ([row, column], [own, at]) = (corner(warp & !3), corner(warp));
        are &= own == row.wrapping_add(16 * (warp % 4)) && at == column && (row | column).is_multiple_of(8);
    }
    are
}

/// The turns of a warp, with all others of its warpgroup.
///
/// The products of one turn are under way while the next turn's tile is waited for, so a stage is free again two turns later.
///
/// # Safety
/// As for [`main_loop`](super::ahead::main_loop). The warps [are warpgroups](are_warpgroups), and `first` are the first
/// elements of the rows of the calling warp's warpgroup. Stages begin at multiples of 1024 bytes. `C` is a width.
#[inline(always)]
pub(super) unsafe fn main_loop<'x, V, const S: usize, const A: usize, const B: usize, const C: usize>(
    threads: u32,
    turns: u32,
    (data, len): (SharedPointer<V>, u32),
    (a, b): (Windows<'x, V, A, PARTS>, Windows<'x, V, B, PARTS>),
    first: [u32; 2],
    sums: &mut [[<V::Element as MatrixElement>::Sum; 4]; C],
) where
    V: ElementVector<Element: MatrixElement> + 'x,
{
    // SAFETY: the elements have a kind, so their sums are `f32`.
    let sums = unsafe { &mut *(&raw mut *sums).cast::<[[f32; 4]; C]>() };
    let stage = |number: u32| data.offset(number.wrapping_mul(len));
    let mut copies = Copies::new(threads, (a, b));
    let mut copy = |turn: u32, number: u32| {
        if turn < turns {
            // SAFETY: the caller's. Nobody uses this stage: every warpgroup has finished the products of its last turn before the
            // barrier of this turn.
            unrolled::<STEPS>(|step| unsafe { copies.begin(threads, stage(number), step) });
        }
        platform::end_turn_of_copies();
    };
    // The same for all lanes. The assembler then computes descriptors once for the warp, between products.
    let first = first.map(platform::of_first_lane);
    let ahead = const { (S - 1 - in_flight(S)) as u32 };
    for turn in 0..ahead {
        copy(turn, turn);
    }
    let (mut now, mut next) = (0, ahead);
    for turn in 0..turns {
        // Copies begin while the tensor cores have work: the products of the turn before, or else those of this turn.
        let copies_first = const { in_flight(S) == 1 };
        if copies_first {
            platform::finish_older_copies::<S, 1>();
        } else {
            platform::finish_older_copies::<S, 0>();
        }
        together::show_to_tensor_cores();
        platform::barrier();
        if copies_first {
            copy(turn.wrapping_add(ahead), next);
        }
        let [rows, columns] = first.map(|at| together::descriptor(stage(now).recast::<V::Element>().address(at)));
        platform::stay_together();
        // SAFETY: the caller's. All of this stage was copied and waited for, and the next copies into it begin after its products.
        unsafe { together::begin_products::<true, C>(kind::<V::Element>(), sums, rows, columns) };
        if copies_first {
            // SAFETY: the caller's.
            unsafe { together::finish_older_products() };
        } else {
            copy(turn.wrapping_add(ahead), next);
            // SAFETY: the caller's.
            unsafe { together::finish_products(sums) };
        }
        (now, next) = (Stages::<V, S>::following(now), Stages::<V, S>::following(next));
    }
    // SAFETY: the caller's.
    unsafe { together::finish_products(sums) };
}

/// The same where tensor cores [add coarsely](together::Kind::is_coarse). The sums of each turn begin anew, and are added to all others as
/// `f32`, while the products of the next turn are under way.
///
/// # Safety
/// As for [`main_loop`]; there are more than three stages, and `C` is at most 16.
#[inline(always)]
pub(super) unsafe fn main_loop_by_turns<'x, V, const S: usize, const A: usize, const B: usize, const C: usize>(
    threads: u32,
    turns: u32,
    (data, len): (SharedPointer<V>, u32),
    (a, b): (Windows<'x, V, A, PARTS>, Windows<'x, V, B, PARTS>),
    first: [u32; 2],
    sums: &mut [[<V::Element as MatrixElement>::Sum; 4]; C],
) where
    V: ElementVector<Element: MatrixElement> + 'x,
{
    // SAFETY: the elements have a kind, so their sums are `f32`.
    let sums = unsafe { &mut *(&raw mut *sums).cast::<[[f32; 4]; C]>() };
    let stage = |number: u32| data.offset(number.wrapping_mul(len));
    let mut copies = Copies::new(threads, (a, b));
    let mut copy = |turn: u32, number: u32| {
        if turn < turns {
            // SAFETY: as in `main_loop`.
            unrolled::<STEPS>(|step| unsafe { copies.begin(threads, stage(number), step) });
        }
        platform::end_turn_of_copies();
    };
    let first = first.map(platform::of_first_lane);
    let ahead = const { (S - 2) as u32 };
    for turn in 0..ahead {
        copy(turn, turn);
    }
    let (mut now, mut next) = (0, ahead);
    // Registers have no index, so there are two sets, which take turns.
    macro_rules! begin {
        ($turn:expr, $own:ident) => {
            platform::finish_older_copies::<S, 1>();
            together::show_to_tensor_cores();
            platform::barrier();
            copy(ahead.wrapping_add($turn), next);
            let [rows, columns] = first.map(|at| together::descriptor(stage(now).recast::<V::Element>().address(at)));
            platform::stay_together();
            // SAFETY: as in `main_loop`.
            unsafe { together::begin_products::<false, C>(kind::<V::Element>(), &mut $own, rows, columns) };
            (now, next) = (Stages::<V, S>::following(now), Stages::<V, S>::following(next));
        };
    }
    macro_rules! end {
        ($own:ident, $finish:ident) => {
            // SAFETY: the caller's.
            unsafe { together::$finish(&mut $own) };
            unrolled::<C>(|c| unrolled::<4>(|j| sums[c as usize][j as usize] += $own[c as usize][j as usize]));
        };
    }
    if turns == 0 {
        return;
    }
    let (mut even, mut odd) = ([[0.0; 4]; C], [[0.0; 4]; C]);
    begin!(0, even);
    let mut turn = 1;
    loop {
        if turn == turns {
            end!(even, finish_products);
            return;
        }
        begin!(turn, odd);
        end!(even, finish_first_products);
        turn = turn.wrapping_add(1);
        if turn == turns {
            end!(odd, finish_products);
            return;
        }
        begin!(turn, even);
        end!(odd, finish_first_products);
        turn = turn.wrapping_add(1);
    }
}
