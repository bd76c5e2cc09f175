#!/bin/bash
# Runs the fuzz targets side by side, each in one process for some seconds, and prints for each how many inputs it has tried, how
# much code they reach, and what it has found, with the command that shows it again. Fails if anything was found.
#
#     ./run.sh [SECONDS [TARGET]...]     10 seconds of all targets if nothing is said; 0 seconds try the corpus alone
#
# Logs, what was found and the grown corpus go to $PRISM_RESULTS, or the folder `results` here; the next run goes on from there.
# As many targets as there are cores run at the same time, or $PRISM_FUZZ_JOBS; each may take $PRISM_FUZZ_MEMORY MiB (3072).
set -u
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-10}
shift
mkdir -p "${PRISM_RESULTS:=$here/results}" || exit 2
results=$(cd "$PRISM_RESULTS" && pwd)
targets=("$@")
((${#targets[@]})) || targets=($(cd "$here/bin" && ls))
# The targets themselves are what runs side by side.
export RAYON_NUM_THREADS=1
declare -A lengths=([dataset]=16384 [pdb]=8192 [mmcif]=8192 [mmcif_paths]=8192 [inflate]=8192 [bcif]=8192 [tar]=8192 [b_column]=8192)

fuzz() {
    local target=$1 folder=$results/$1 options begin=$SECONDS left=$seconds
    mkdir -p "$folder/corpus" "$folder/found"
    : >"$folder/log"
    options=(-timeout=20 -rss_limit_mb="${PRISM_FUZZ_MEMORY:-3072}" -print_final_stats=1 -max_len="${lengths[$target]:-2048}"
        -artifact_prefix="$folder/found/")
    local dictionary=$here/dictionaries/${target%_paths}.dict
    [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
    # What finds something ends there; so it begins again, a few times.
    for _ in 1 2 3 4 5; do
        if ((seconds > 0)); then
            "$here/bin/$target" "${options[@]}" -max_total_time="$left" "$folder/corpus" "$here/corpus/$target"
        else
            "$here/bin/$target" "${options[@]}" -runs=0 "$folder/corpus" "$here/corpus/$target"
        fi >>"$folder/log" 2>&1 </dev/null
        echo $? >"$folder/status"
        left=$((seconds - (SECONDS - begin)))
        (($(cat "$folder/status") != 0 && left > 5)) || break
    done
}

running=0
for target in "${targets[@]}"; do
    fuzz "$target" &
    running=$((running + 1))
    if ((running >= ${PRISM_FUZZ_JOBS:-$(nproc)})); then
        wait -n
    fi
done
wait
failed=0
for target in "${targets[@]}"; do
    folder=$results/$target
    tried=$(awk '/^stat::number_of_executed_units/ { sum += $2 } END { print sum + 0 }' "$folder/log")
    covered=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cov:" && $(i + 1) > c) c = $(i + 1) } END { print c + 0 }' "$folder/log")
    found=$(find "$folder/found" -type f | wc -l)
    status=$(cat "$folder/status")
    printf '%-12s %12s inputs %8s places reached %4s found\n' "$target" "$tried" "$covered" "$found"
    if ((status != 0 || found > 0)); then
        failed=1
        for file in "$folder"/found/*; do
            [ ! -f "$file" ] || echo "  again: bin/$target $file"
        done
        echo "  ended with $status; what $folder/log says of it:"
        grep -aE "panicked at|ERROR: |SUMMARY|^thread|assertion|left:|right:" "$folder/log" | tail -15 | cut -c-400 | sed 's/^/    /'
    fi
done
exit $failed
