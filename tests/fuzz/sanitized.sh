#!/usr/bin/env bash
# Tests and fuzz targets that call the kernel hard, with the sanitized one that lies in the package folder $1.
set -euo pipefail
export PYTHONPATH="$(realpath "$1")" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
# Both must be there before Python is, or exceptions of the kernel's are not seen.
libraries="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
watched() { LD_PRELOAD="$libraries" "$PYTHON" "$@"; }

watched -c "import calque._kernel as kernel; assert kernel.__file__.startswith('$PYTHONPATH'), kernel.__file__"
tenth=$(awk -v all="$FUZZ_SECONDS" 'BEGIN { print (all < 10 ? 1 : all / 10) }')
tests="tests/kernel tests/alignment tests/deduplication/test_leaders.py tests/encoder tests/neighbours
    tests/corpus/test_lines.py tests/corpus/cleaning/test_rules.py tests/training/test_loop.py"
# shellcheck disable=SC2086 (they are several)
watched -m pytest -p no:cacheprovider $tests
for target in baseline avx2 avx512; do
    export CALQUE_KERNEL=$target
    if [ "$(watched -c 'import calque._kernel as kernel; print(kernel.target())')" = "$target" ]; then
        watched tests/fuzz/run.py --seconds "$FUZZ_SECONDS" --out "build/fuzz-$target" kernel
    else
        echo "not tried, since this machine cannot: $target"
    fi
done
unset CALQUE_KERNEL
watched tests/fuzz/run.py --seconds "$tenth" --out build/fuzz-sanitized \
    tsv jsonl moses model-tensors quantised-tensors words index-manifest index-vectors index-codes index-about-codes \
    index-ids index-offsets index-deleted training-checkpoint mining-neighbours mining-vectors
