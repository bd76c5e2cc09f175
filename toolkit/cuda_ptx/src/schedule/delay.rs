//! The text of delays.
//!
//! A function with delays has two registers more. `%schedule_state` is a linear congruential generator, whose states are mixed before
//! use (the multiplications of lowbias32, by C. Wellons). `%schedule_rare` has `k` ones, for `k` from 0 to 10 by the seed: of `2^k`
//! delays one is not zero, and that is shorter than `2^(9+k)` nanoseconds. So all seeds have a similar mean, 0.26 microseconds: some
//! have many short delays, others few long ones.

use super::SEED;

/// The variable.
pub(super) fn declaration() -> String {
    format!(".visible .global .align 4 .b8 {SEED}[4] = {{0, 0, 0, 0}};\n")
}

/// The lanes of a warp have the same delays, except for a quarter of the seeds.
const LANES: &str = "shr.u32 %schedule_b, %schedule_a, 3; and.b32 %schedule_b, %schedule_b, 3; setp.eq.u32 %schedule_p, %schedule_b, 0; \
    mov.u32 %schedule_b, %laneid; @%schedule_p mad.lo.u32 %schedule_state, %schedule_b, 0xc2b2ae3d, %schedule_state;";

/// What each function with delays begins with: the first state, from the seed, the block and the warp.
pub(super) fn beginning() -> String {
    let mut text = format!(
        "\n.reg .b32 %schedule_state, %schedule_rare;\n\
         {{ .reg .pred %schedule_p; .reg .b32 %schedule_a, %schedule_b, %schedule_c; ld.global.u32 %schedule_a, [{SEED}];\n\
         shr.u32 %schedule_b, %schedule_a, 16; mul.lo.u32 %schedule_b, %schedule_b, 11; shr.u32 %schedule_b, %schedule_b, 16; \
         mov.u32 %schedule_c, 1; shl.b32 %schedule_c, %schedule_c, %schedule_b; sub.u32 %schedule_c, %schedule_c, 1; \
         setp.eq.u32 %schedule_p, %schedule_a, 0; selp.b32 %schedule_rare, -1, %schedule_c, %schedule_p;\n\
         mov.u32 %schedule_state, %schedule_a;"
    );
    for (index, factor) in [("%ctaid.x", "0x9e3779b1"), ("%ctaid.y", "0x85ebca77"), ("%ctaid.z", "0x27d4eb2f")] {
        text += &format!(
            " mov.u32 %schedule_b, {index}; mad.lo.u32 %schedule_state, %schedule_b, {factor}, %schedule_state;"
        );
    }
    text += "\nmov.u32 %schedule_b, %tid.z; mov.u32 %schedule_c, %ntid.y; mul.lo.u32 %schedule_b, %schedule_b, %schedule_c; \
        mov.u32 %schedule_c, %tid.y; add.u32 %schedule_b, %schedule_b, %schedule_c; mov.u32 %schedule_c, %ntid.x; \
        mul.lo.u32 %schedule_b, %schedule_b, %schedule_c; mov.u32 %schedule_c, %tid.x; add.u32 %schedule_b, %schedule_b, %schedule_c; \
        shr.u32 %schedule_b, %schedule_b, 5; mad.lo.u32 %schedule_state, %schedule_b, 0x165667b1, %schedule_state;\n";
    text + LANES + " }\n"
}

/// A delay at a place, whose number enters the state.
pub(super) fn delay(place: usize) -> String {
    // Odd, as the increment of such a generator must be.
    let increment = (place as u32).wrapping_mul(2).wrapping_add(1).wrapping_mul(0x9e37_79b1);
    format!(
        "{{ .reg .pred %schedule_p; .reg .b32 %schedule_a, %schedule_b; \
         mad.lo.u32 %schedule_state, %schedule_state, 747796405, {increment}; \
         shr.u32 %schedule_a, %schedule_state, 16; xor.b32 %schedule_a, %schedule_a, %schedule_state; \
         mul.lo.u32 %schedule_a, %schedule_a, 0x7feb352d; shr.u32 %schedule_b, %schedule_a, 15; \
         xor.b32 %schedule_a, %schedule_a, %schedule_b; mul.lo.u32 %schedule_a, %schedule_a, 0x846ca68b; \
         shr.u32 %schedule_b, %schedule_a, 16; xor.b32 %schedule_a, %schedule_a, %schedule_b; \
         and.b32 %schedule_b, %schedule_a, %schedule_rare; setp.eq.u32 %schedule_p, %schedule_b, 0; \
         popc.b32 %schedule_b, %schedule_rare; shr.u32 %schedule_a, %schedule_a, 23; \
         shl.b32 %schedule_a, %schedule_a, %schedule_b; @%schedule_p nanosleep.u32 %schedule_a; }}\n"
    )
}
