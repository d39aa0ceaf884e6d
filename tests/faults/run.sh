#!/usr/bin/env bash
# Plants each fault in turn and expects a test to turn red that is green without it: the other
# entries of the suite run the same programs without a fault.
#   run.sh BIN_DIR
set -u
bin=$1
passed=0 failed=0

# fault, program, test case
expect_red() {
    local fault=$1 program=$2 filter=$3
    if SINTER_TEST_FAULT=$fault "$bin/$program" --abort-after=1 -tc="$filter" >/dev/null 2>&1; then
        echo "$fault: '$filter' of $program did not see it"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

export SINTER_CACHE_DIR=
expect_red hazard test_graph "*has captured"
expect_red donate-viewed test_graph "*donated while*"
expect_red swap-strides test_graph "*transpose in one*"
expect_red stale-version test_graph "*values of its line*"
expect_red merge-zeros test_graph "*both signs*"
expect_red key-hash-only test_cache "memory cache*"
if [ -f "$bin/sinter_llvm.so" ]; then
    expect_red no-apart test_plan "*measured in turns*"
    expect_red tail-mask test_llvm "*every memory form*"
    expect_red lane-order test_llvm "*every reduction*"
    expect_red contract test_llvm "*rounded before*"
else
    echo "SKIPPED: no-apart, tail-mask, lane-order, contract need the LLVM plugin"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
