//! Which collective instructions the check of PTX refuses, as small modules.

use cuda_builder::ptx::divergence::{Divergent, divergent};

/// A kernel in safe code, with the thread's index in `%r1` and its pointers in `%rd1` and `%rd2`.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(\n.param .u64 k_param_0,\n.param .u64 k_param_1\n)\n{{\n.reg .pred %p<9>;\n\
         ld.param.b64 %rd1, [k_param_0];\nld.param.b64 %rd2, [k_param_1];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    )
}

fn look(body: &str) -> Vec<String> {
    divergent(&kernel(body), &["k".to_owned()]).into_iter().map(|found| found.instruction).collect()
}

/// `if` a predicate of an instruction, with what stands in the arm.
fn guarded(condition: &str, arm: &str) -> String {
    format!("{condition}\n@!%p1 bra $END;\n{arm}\n$END:\nst.global.b32 [%rd1], 0;")
}

const NOTHING: [String; 0] = [];

#[test]
fn a_barrier_in_an_arm_on_a_threads_value_is_refused() {
    let own =
        "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.b32 %r2, [%rd4];\nsetp.gt.u32 %p1, %r2, 7;";
    assert_eq!(look(&guarded(own, "bar.sync 0;")), ["bar.sync"]);
    assert_eq!(look(&guarded("setp.eq.b32 %p1, %r1, 0;", "barrier.sync 0;")), ["barrier.sync"]);
    assert_eq!(
        look(&guarded("atom.global.add.u32 %r2, [%rd1], 1;\nsetp.eq.b32 %p1, %r2, 0;", "bar.sync 0;")),
        ["bar.sync"]
    );
}

#[test]
fn a_barrier_in_an_arm_on_the_blocks_value_is_not() {
    for value in ["ld.global.b32 %r2, [%rd1];", "mov.u32 %r2, %ctaid.x;", "mov.u32 %r2, %ntid.x;"] {
        assert_eq!(look(&guarded(&format!("{value}\nsetp.eq.b32 %p1, %r2, 3;"), "bar.sync 0;")), NOTHING, "{value}");
    }
}

#[test]
fn a_warp_may_shuffle_where_other_warps_do_not_get() {
    for condition in [
        "setp.lt.u32 %p1, %r1, 32;",
        "setp.gt.u32 %p1, %r1, 63;",
        "shr.u32 %r2, %r1, 5;\nsetp.eq.b32 %p1, %r2, 1;",
        "and.b32 %r2, %r1, -32;\nsetp.eq.b32 %p1, %r2, 64;",
        "shr.u32 %r2, %r1, 3;\nand.b32 %r3, %r2, 124;\nsetp.eq.b32 %p1, %r3, 4;",
        "bfe.u32 %r2, %r1, 5, 3;\nsetp.eq.b32 %p1, %r2, 1;",
    ] {
        for arm in
            ["shfl.sync.down.b32 %r8, %r1, 16, 31, -1;", "vote.sync.ballot.b32 %r8, %p1, -1;", "bar.warp.sync -1;"]
        {
            assert_eq!(look(&guarded(condition, arm)), NOTHING, "{condition} {arm}");
        }
        assert_eq!(look(&guarded(condition, "bar.sync 0;")), ["bar.sync"], "{condition}");
    }
}

#[test]
fn lanes_may_not_go_separate_ways_to_a_shuffle() {
    for condition in [
        "setp.lt.u32 %p1, %r1, 33;",
        "and.b32 %r2, %r1, 31;\nsetp.lt.u32 %p1, %r2, 16;",
        "mov.u32 %r2, %laneid;\nsetp.eq.b32 %p1, %r2, 0;",
        "shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\nsetp.eq.b32 %p1, %r2, 0;",
        "match.any.sync.b32 %r2, %r1, -1;\nsetp.eq.b32 %p1, %r2, 0;",
    ] {
        for (arm, name) in [
            ("shfl.sync.idx.b32 %r8, %r1, 0, 31, -1;", "shfl.sync.idx.b32"),
            ("match.any.sync.b32 %r8, %r1, -1;", "match.any.sync.b32"),
            ("redux.sync.add.u32 %r8, %r1, -1;", "redux.sync.add.u32"),
            ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r1];", "ldmatrix.sync.aligned.m8n8.x1.shared.b16"),
        ] {
            assert_eq!(look(&guarded(condition, arm)), [name], "{condition}");
        }
    }
}

#[test]
fn what_all_lanes_got_from_one_is_the_warps() {
    for condition in [
        "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nsetp.eq.b32 %p1, %r2, 0;",
        "setp.eq.b32 %p2, %r1, 4;\nvote.sync.ballot.b32 %r2, %p2, -1;\nsetp.ne.b32 %p1, %r2, 0;",
        "setp.eq.b32 %p2, %r1, 4;\nvote.sync.any.pred %p1, %p2, -1;",
        "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\nadd.s32 %r3, %r1, %r2;\nshfl.sync.bfly.b32 %r4, %r3, 8, 31, -1;\n\
         add.s32 %r5, %r4, %r3;\nshfl.sync.bfly.b32 %r6, %r5, 4, 31, -1;\nmin.u32 %r7, %r5, %r6;\n\
         shfl.sync.bfly.b32 %r8, %r7, 2, 31, -1;\nmax.u32 %r9, %r7, %r8;\nshfl.sync.bfly.b32 %r10, %r9, 1, 31, -1;\n\
         xor.b32 %r11, %r9, %r10;\nsetp.eq.b32 %p1, %r11, 0;",
    ] {
        assert_eq!(look(&guarded(condition, "bar.warp.sync -1;")), NOTHING, "{condition}");
        assert_eq!(look(&guarded(condition, "bar.sync 0;")), ["bar.sync"], "{condition}");
    }
    let four_of_five = "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\nadd.s32 %r3, %r1, %r2;\nsetp.eq.b32 %p1, %r3, 0;";
    assert_eq!(look(&guarded(four_of_five, "bar.warp.sync -1;")), ["bar.warp.sync"]);
}

#[test]
fn what_a_branch_decides_depends_on_it() {
    let chosen =
        "mov.b32 %r2, 0;\nsetp.eq.b32 %p2, %r1, 5;\n@%p2 bra $A;\nmov.b32 %r2, 1;\n$A:\nsetp.eq.b32 %p1, %r2, 1;";
    assert_eq!(look(&guarded(chosen, "bar.sync 0;")), ["bar.sync"]);
    let the_same = "mov.b32 %r2, 0;\nsetp.eq.b32 %p2, %r1, 5;\n@%p2 bra $A;\nst.global.b32 [%rd2], 1;\n$A:\nsetp.eq.b32 %p1, %r2, 1;";
    assert_eq!(look(&guarded(the_same, "bar.sync 0;")), NOTHING);
    let again = "mov.b32 %r2, %r1;\nst.global.b32 [%rd2], %r2;\nmov.b32 %r2, 7;\nsetp.eq.b32 %p1, %r2, 1;";
    assert_eq!(look(&guarded(again, "bar.sync 0;")), NOTHING, "a register holds one value after another");
}

#[test]
fn loops_that_threads_leave_in_different_turns() {
    let turns = |limit: &str, inside: &str, after: &str| {
        format!(
            "mov.b32 %r2, 0;\n$LOOP:\n{inside}\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, {limit};\n@%p1 bra $LOOP;\n{after}"
        )
    };
    assert_eq!(look(&turns("%r1", "bar.sync 0;", "")), ["bar.sync"]);
    assert_eq!(look(&turns("10", "bar.sync 0;", "")), NOTHING);
    assert_eq!(look(&turns("%r1", "", "bar.sync 0;")), NOTHING, "all meet after the loop");
    let count = guarded("setp.eq.b32 %p2, %r2, 4;\nmov.pred %p1, %p2;", "bar.sync 0;");
    assert_eq!(look(&turns("%r1", "", &count)), ["bar.sync"], "the number of turns differs");
    assert_eq!(look(&turns("10", "", &count)), NOTHING);
}

#[test]
fn arms_that_end_threads_do_not_count() {
    let panics = "setp.lt.u32 %p1, %r1, 5;\n@%p1 bra $BAD;\nbar.sync 0;\nret;\n$BAD:\nexit;";
    assert_eq!(look(panics), NOTHING);
    let for_ever =
        "setp.lt.u32 %p1, %r1, 5;\n@%p1 bra $BAD;\nbar.sync 0;\nret;\n$BAD:\nst.global.b32 [%rd1], 1;\nbra.uni $BAD;";
    assert_eq!(look(for_ever), NOTHING);
}

#[test]
fn threads_of_raw_kernels_may_return_and_meet_in_part() {
    let returns = kernel("setp.gt.u32 %p1, %r1, 5;\n@%p1 bra $OUT;\nbar.sync 0;\n$OUT:");
    assert_eq!(divergent(&returns, &[]), []);
    assert_eq!(divergent(&returns, &["k".to_owned()]).len(), 1, "no safe kernel does so");
    let some_warps = "setp.lt.u32 %p1, %r1, 64;";
    assert_eq!(look(&guarded(some_warps, "bar.sync 1, 64;")), NOTHING);
    assert_eq!(look(&guarded("setp.lt.u32 %p1, %r1, 8;", "shfl.sync.idx.b32 %r8, %r1, 0, 31, 255;")), NOTHING);
    let both = kernel("setp.gt.u32 %p1, %r1, 5;\n@%p1 bra $A;\nbar.sync 0;\nbra $B;\n$A:\nbar.sync 0;\n$B:");
    assert_eq!(divergent(&both, &[]).len(), 1);
}

#[test]
fn a_call_is_what_the_function_contains() {
    let phase = ".func phase(\n.param .b64 phase_param_0\n)\n{\nbar.sync 0;\nret;\n}\n";
    let call = "{ // callseq 0, 0\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\ncall.uni phase, (param0);\n} // callseq 0";
    let found =
        |condition: &str| divergent(&format!("{phase}{}", kernel(&guarded(condition, call))), &["k".to_owned()]);
    let instructions: Vec<_> = found("setp.eq.b32 %p1, %r1, 3;").into_iter().map(|found| found.instruction).collect();
    assert_eq!(instructions, ["call of phase"]);
    assert_eq!(found("ld.global.b32 %r2, [%rd1];\nsetp.eq.b32 %p1, %r2, 3;"), []);
    // The same by the function's address.
    let by_address = "mov.b64 %rd5, phase;\nst.param.b64 [param0], %rd1;\nprototype_0 : .callprototype ()_ (.param .b64 _);\n\
                      call %rd5, (param0), prototype_0;";
    let text = format!("{phase}{}", kernel(&guarded("setp.eq.b32 %p1, %r1, 3;", by_address)));
    assert_eq!(divergent(&text, &["k".to_owned()]).len(), 1);
}

#[test]
fn values_pass_through_parameters_results_and_local_memory() {
    let same = ".func (.param .b32 func_retval0) same(\n.param .b32 same_param_0\n)\n{\nld.param.b32 %r1, [same_param_0];\n\
                st.param.b32 [func_retval0], %r1;\nret;\n}\n";
    let called = |value: &str| {
        let condition = format!(
            "{value}\nst.param.b32 [param0], %r2;\ncall.uni (retval0), same, (param0);\nld.param.b32 %r3, [retval0];\n\
             setp.eq.b32 %p1, %r3, 3;"
        );
        divergent(&format!("{same}{}", kernel(&guarded(&condition, "bar.sync 0;"))), &["k".to_owned()]).len()
    };
    assert_eq!((called("mov.b32 %r2, %r1;"), called("mov.b32 %r2, %r9;")), (1, 0));

    // A pair, sent word by word and read at once.
    let second = ".func (.param .align 4 .b8 func_retval0[8]) pair(\n.param .align 4 .b8 pair_param_0[8]\n)\n{\n\
                  ld.param.v2.b32 {%r1, %r2}, [pair_param_0];\nst.param.v2.b32 [func_retval0], {%r1, %r2};\nret;\n}\n";
    let read = |of: &str| {
        let condition = format!(
            "mov.b32 %r2, 7;\nst.param.b32 [param0], %r2;\nst.param.b32 [param0+4], %r1;\n\
             call.uni (retval0), pair, (param0);\nld.param.v2.b32 {{%r3, %r4}}, [retval0];\nsetp.eq.b32 %p1, {of}, 3;"
        );
        divergent(&format!("{}{second}", kernel(&guarded(&condition, "bar.sync 0;"))), &["k".to_owned()]).len()
    };
    assert_eq!((read("%r3"), read("%r4")), (0, 1));

    let stored = |at: u32| {
        let condition = format!(
            "mov.b64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\nadd.u64 %rd5, %SP, 8;\nst.local.b32 [%SPL], 7;\n\
             st.b32 [%rd5], %r1;\nld.local.b32 %r3, [%SPL+{at}];\nsetp.eq.b32 %p1, %r3, 3;"
        );
        look(&guarded(&condition, "bar.sync 0;")).len()
    };
    assert_eq!((stored(0), stored(8)), (0, 1));

    // A function that writes its caller's local memory.
    let fills = ".func fills(\n.param .b64 fills_param_0\n)\n{\nld.param.b64 %rd1, [fills_param_0];\nmov.u32 %r1, %tid.x;\n\
                 st.b32 [%rd1+4], %r1;\nst.b32 [%rd1], 1;\nret;\n}\n";
    let read = |at: u32| {
        let condition = format!(
            "mov.b64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\nst.param.b64 [param0], %SP;\ncall.uni fills, (param0);\n\
             ld.local.b32 %r3, [%SPL+{at}];\nsetp.eq.b32 %p1, %r3, 3;"
        );
        divergent(&format!("{fills}{}", kernel(&guarded(&condition, "bar.sync 0;"))), &["k".to_owned()]).len()
    };
    assert_eq!((read(0), read(4)), (0, 1));
}

#[test]
fn tables_of_jumps_and_predicated_moves() {
    let table = |index: &str| {
        format!(
            "{index}\n$T: .branchtargets\n\t$A,\n\t$B;\nbrx.idx %r2, $T;\n$A:\nbar.sync 0;\n$B:\nst.global.b32 [%rd1], 0;"
        )
    };
    assert_eq!(look(&table("mov.b32 %r2, %r1;")), ["bar.sync"]);
    assert_eq!(look(&table("ld.global.b32 %r2, [%rd1];")), NOTHING);
    let moved = "mov.b32 %r2, 1;\nsetp.eq.b32 %p2, %r1, 3;\n@%p2 mov.b32 %r2, 5;\nsetp.eq.b32 %p1, %r2, 1;";
    assert_eq!(look(&guarded(moved, "bar.sync 0;")), ["bar.sync"]);
}

#[test]
fn the_places_are_those_of_the_kernels_file() {
    let lines = ".loc 1 20 5\nsetp.eq.b32 %p1, %r1, 3;\n@!%p1 bra $END;\n.loc 1 25 9\n.loc 2 100 1, function_name $L__x, inlined_at 1 25 9\n\
                 bar.sync 0;\n$END:\nst.global.b32 [%rd1], 0;";
    let text = format!(".file 1 \"src/lib.rs\"\n.file 2 \"cuda_std/src/block.rs\"\n{}", kernel(lines));
    let expected = Divergent {
        function: "k".to_owned(),
        instruction: "bar.sync".to_owned(),
        source: Some("src/lib.rs:25".to_owned()),
        branch: Some("src/lib.rs:20".to_owned()),
    };
    assert_eq!(divergent(&text, &["k".to_owned()]), [expected]);
}

#[test]
fn any_text_is_read_without_a_panic() {
    for text in [
        "",
        "{",
        ".entry k(\n)\n{\n@%p1\n}",
        ".entry k(\n)\n{\nbra $X;\n$X:\n$Y:\nbra $Y;\n}",
        ".entry k()\n{ call; ld.param.b32; }",
    ] {
        let _ = divergent(text, &[]);
    }
}
