#!/bin/bash
# Runs the tests, then the benchmarks, on this machine's first GPU, and fails if any of them fails. Needs NVIDIA's driver. With nvcc,
# the benchmarks also time kernels in CUDA C++. With compute-sanitizer, its four tools check one batch and the kernels of the
# programming model, and memcheck checks all tests.
#
#     ./run.sh [unpack|tests|sanitizer|memcheck|benches]...     all but `unpack` if none is named; `unpack` only fills bin/
#
# Logs and CSV go to $PRISM_RESULTS, or the folder `results` here. PRISM_WIDE=1, PRISM_CORPUS=DIR and PRISM_REFERENCE=DIR make
# the tests wider. The files tests.list and benches.list name what runs: each line has an executable in bin/ and its package's folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${PRISM_RESULTS:=$here/results}" || exit 2
results=$(cd "$PRISM_RESULTS" && pwd)
# Each test runs in its own folder.
for name in PRISM_CORPUS PRISM_REFERENCE; do
    if [ -n "${!name:-}" ]; then
        export "$name=$(realpath -e "${!name}")" || exit 2
    fi
done
export PRISM_TEST_ROOT=$here CUDA_REQUIRE_GPU=1 CUDA_WIDE=${PRISM_WIDE:-}
parts=" $* "
[ $# -gt 0 ] || parts=" tests sanitizer memcheck benches "
failed=()
run() { # name of the log, folder of the package, then what to run there
    local name=$1 folder=$2 begin=$SECONDS
    shift 2
    if (cd "$here/$folder" && "$@") >"$results/$name.log" 2>&1 </dev/null; then
        echo "ok      $name ($((SECONDS - begin)) s) $(grep '^test result' "$results/$name.log" | tail -1)"
        grep '^skipped' "$results/$name.log" | sort | uniq -c
    else
        echo "FAILED  $name ($((SECONDS - begin)) s), the end of $results/$name.log:"
        tail -40 "$results/$name.log"
        failed+=("$name")
    fi
}
wanted() { [[ $parts == *" $1 "* ]]; }
has_sanitizer() {
    command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer: $1" && false; }
}
if [ -e "$here/bin.tar.xz" ]; then
    # Copies of the bundle may lack an empty folder.
    mkdir -p "$here/bin" && tar -xJf "$here/bin.tar.xz" -C "$here/bin" && rm "$here/bin.tar.xz" || exit 2
fi

if wanted tests; then
    while read -r name folder; do
        # The output of a test that passes shows whether it was skipped.
        run "$name" "$folder" "$here/bin/$name" --show-output
    done <"$here/tests.list"
fi
if wanted sanitizer && has_sanitizer "its tools check nothing"; then
    for tool in memcheck racecheck synccheck initcheck; do
        checked=(compute-sanitizer --tool $tool --error-exitcode 9)
        run "sanitizer-$tool-batch" tests "${checked[@]}" "$here/bin/tests-fused_gpu" --exact mixed_batch
        # This leaves out the test that causes a panic, because other threads read its flag at any time.
        run "sanitizer-$tool-model" toolkit/tests "${checked[@]}" "$here/bin/toolkit-tests-model" \
            atomics:: outputs:: scans:: warps:: --skip a_warp_does_not_wait_for_a_dead_lane
        run "sanitizer-$tool-compat" toolkit/tests "${checked[@]}" "$here/bin/toolkit-tests-compat_gpu"
    done
fi
if wanted memcheck && has_sanitizer "memcheck does not check the tests"; then
    # Tests make failing calls on purpose; some executables make no calls unless PRISM_WIDE=1.
    checked=(compute-sanitizer --tool memcheck --error-exitcode 9 --report-api-errors no --require-cuda-init no)
    # This leaves out tests whose kernels cause memcheck's reports on purpose, and tests that leave it no device memory. One
    # test at a time: the tool waits for the device, which makes the record of a graph in another thread fail.
    skipped=(--skip an_illegal_access_is_told --skip errors_explained --skip full:: --skip a_run_allocates_nothing
        --test-threads=1)
    while read -r name folder; do
        run "memcheck-$name" "$folder" "${checked[@]}" "$here/bin/$name" "${skipped[@]}"
    done <"$here/tests.list"
fi
if wanted benches; then
    nvcc=$(command -v nvcc) || echo "no nvcc: nothing is compared with CUDA C++"
    while read -r name folder; do
        source=$here/$folder/baselines/${name##*-}.cu cubin=$results/$name.cubin baselines=()
        if [ -n "$nvcc" ] && [ -f "$source" ]; then
            if nvcc -O3 -arch=native -cubin -Xptxas -v -o "$cubin" "$source" >"$results/$name.nvcc.log" 2>&1; then
                baselines=(--baselines "$cubin")
            else
                echo "FAILED  $source does not compile:"
                cat "$results/$name.nvcc.log"
                failed+=("nvcc-$name")
            fi
        fi
        run "$name" "$folder" "$here/bin/$name" --csv "$results/$name.csv" "${baselines[@]}"
        cat "$results/$name.log"
    done <"$here/benches.list"
fi
if ((${#failed[@]})); then
    echo "failed: ${failed[*]}"
    exit 1
fi
echo "all passed"
