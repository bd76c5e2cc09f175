#!/bin/bash
# Runs all fuzz targets at the same time, each in one process for some seconds, and prints for each how many inputs it has tried
# and what it has found. Fails if anything was found.
#
#     ./run.sh [SECONDS [TARGET]...]     10 seconds of all targets if nothing is said; 0 seconds try the corpus alone
#
# Logs, what was found and the grown corpus go to $PRISM_RESULTS, or the folder `results` here.
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
declare -A lengths=([dataset]=16384 [pdb]=8192 [mmcif]=8192 [inflate]=8192)

fuzz() {
    local target=$1 folder=$results/$1 options
    mkdir -p "$folder/corpus" "$folder/found"
    options=(-timeout=20 -rss_limit_mb=3072 -print_final_stats=1 -max_len="${lengths[$target]:-2048}"
        -artifact_prefix="$folder/found/")
    [ ! -f "$here/dictionaries/$target.dict" ] || options+=(-dict="$here/dictionaries/$target.dict")
    if ((seconds > 0)); then
        options+=(-max_total_time="$seconds")
    else
        options+=(-runs=0)
    fi
    "$here/bin/$target" "${options[@]}" "$folder/corpus" "$here/corpus/$target" >"$folder/log" 2>&1 </dev/null
    echo $? >"$folder/status"
}

running=0
for target in "${targets[@]}"; do
    fuzz "$target" &
    running=$((running + 1))
    if ((running >= $(nproc))); then
        wait -n
    fi
done
wait
failed=0
for target in "${targets[@]}"; do
    folder=$results/$target
    tried=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$folder/log")
    covered=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cov:") c = $(i + 1) } END { print c + 0 }' "$folder/log")
    found=$(find "$folder/found" -type f | wc -l)
    status=$(cat "$folder/status")
    printf '%-12s %12s inputs %8s places reached %4s found\n' "$target" "${tried:-?}" "$covered" "$found"
    if ((status != 0 || found > 0)); then
        failed=1
        echo "  ended with $status; the end of $folder/log:"
        tail -15 "$folder/log" | cut -c-400 | sed 's/^/    /'
    fi
done
exit $failed
