#!/usr/bin/env bash
# Checks the recorder and the verifier on a machine with a GPU: builds them and
# a few small CUDA programs, and compares what bankstripe-verify says of pairs
# of them with what is known of these programs.
#
# Usage: tests/runtime/gpu_check.sh [BUILD_DIR]
# Needs nvcc, a C++ compiler, CMake, CLI11, nlohmann-json and fmt. Environment:
#   ARCH        GPU architecture to compile for (default: native)
#   CMAKE_ARGS  further arguments for CMake
#   VERBOSE     1: print the output of every check, not only of failed ones
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$source_dir/build-runtime}
programs=$source_dir/tests/runtime/programs
arch=${ARCH:-native}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin"

# shellcheck disable=SC2086
if ! { cmake -S "$source_dir" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBANKSTRIPE_BUILD_REWRITER=OFF \
         -DBANKSTRIPE_BUILD_TESTS=OFF ${CMAKE_ARGS:-} && cmake --build "$build" --parallel; } \
  >"$work/cmake.log" 2>&1; then
  cat "$work/cmake.log"
  echo "FAILED: the build"
  exit 1
fi
verify=$build/bin/bankstripe-verify
[ -x "$verify" ] || { cat "$work/cmake.log"; echo "FAILED: no bankstripe-verify was built"; exit 1; }

# compile NAME SOURCE ARGS...: an executable, in the background
compile() {
  local name=$1 source=$2
  shift 2
  nvcc -std=c++17 -arch="$arch" -o "$work/bin/$name" "$programs/$source" "$@" \
    >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; echo "FAILED: compiling $name"; } &
}
compile pair pair.cu
compile pair-shared-runtime pair.cu -cudart shared
compile rewritten pair.cu -DREWRITTEN
compile rewritten-shared-runtime pair.cu -DREWRITTEN -cudart shared
for variant in WRONG EXTRA BLOCK LARGER OUTPUT CRASH_HOST CRASH_DEVICE HANG TOO_LARGE; do
  compile "pair-$variant" pair.cu -DREWRITTEN -D$variant
done
compile uninitialised uninitialised.cu
compile uninitialised-again uninitialised.cu --fmad=false
compile reset reset.cu
compile reset-last reset.cu -DRESET_LAST
compile driver driver.cpp -lcuda
compile launches launches.cu -lcuda
compile launches-wrong launches.cu -lcuda -DWRONG
compile threads threads.cu
compile large large.cu
for name in atomics streams graph; do
  compile $name $name.cu
  compile $name-wrong $name.cu -DWRONG
  compile $name-rdc $name.cu -rdc=true
done
wait

passed=0 failed=0
# expect NAME STATUS PATTERN... -- VERIFY-ARGS...: every PATTERN (an extended
# regular expression) must match the output; `!PATTERN` must not.
expect() {
  local name=$1 status=$2 patterns=() problem=
  shift 2
  while [ "$1" != -- ]; do patterns+=("$1"); shift; done
  shift
  local log=$work/$name.out
  (cd "$work/bin" && timeout 120 "$verify" "$@" >"$log" 2>&1)
  local got=$?
  [ $got -eq "$status" ] || problem="exit status $got, expected $status"
  for pattern in "${patterns[@]}"; do
    case $pattern in
    !*) grep -qE -- "${pattern#!}" "$log" && problem="$problem; has '${pattern#!}'" ;;
    *) grep -qE -- "$pattern" "$log" || problem="$problem; lacks '$pattern'" ;;
    esac
  done
  if [ -z "$problem" ]; then
    passed=$((passed + 1)); echo "passed  $name"
  else
    failed=$((failed + 1)); echo "FAILED  $name: $problem"
  fi
  if [ -n "$problem" ] || [ "${VERBOSE:-0}" = 1 ]; then sed 's/^/    /' "$log"; fi
}

expect identical-pair 0 '^identical: 4 launches, 2 allocations' '128 > 0' '0 > 16384' 'count_digits +4 ' \
  '!not deterministic' '!note:' -- --runs=3 ./pair ./rewritten
expect shared-runtime 0 '^identical: 4 launches, 2 allocations' '128 > 0' -- --runs=2 ./pair-shared-runtime \
  ./rewritten-shared-runtime
expect static-against-shared-runtime 0 '^identical' -- --runs=1 ./pair ./rewritten-shared-runtime
expect one-element 1 '^differs: launch 2 of 4, count_digits' \
  'allocation 1 \(1048576 bytes\): the first difference is in the bytes 49152 to 53247' \
  'first differing byte: 49380; [1-4] of the bytes' 'the word at byte 49380' '!launches differ' \
  '!output differs' -- --runs=1 ./pair ./pair-WRONG
expect extra-launch 1 'launch 4 of 4' 'the original program has 4 launches, the rewritten one 5' -- --runs=0 \
  ./pair ./pair-EXTRA
expect other-block 1 'launch 0 of 4' 'the grid is 2048 x 1 x 1 in the original and 4096 x 1 x 1' -- --runs=0 \
  ./pair ./pair-BLOCK
expect larger-allocation 1 'allocation 1 has 1048576 bytes in the original and 1049600 bytes' -- --runs=0 \
  ./pair ./pair-LARGER
expect other-output 1 'the output differs in line 2' '!launch . of' -- --runs=0 ./pair ./pair-OUTPUT
expect crash-on-the-host 1 'the rewritten program: killed by signal 11' -- --runs=0 ./pair ./pair-CRASH_HOST
expect crash-on-the-device 1 'the rewritten program: exit status 9' 'illegal memory access|misaligned' -- --runs=0 \
  ./pair ./pair-CRASH_DEVICE
expect crash-of-the-original 3 'not verified: the original program: killed by signal 11' -- --runs=0 \
  ./pair-CRASH_HOST ./pair
expect failing-device-of-both 0 'itself ends with exit status 9' '^identical' -- --runs=0 \
  ./pair-CRASH_DEVICE ./pair-CRASH_DEVICE
expect hang 1 'ran past the time limit' -- --runs=0 --timeout=8 ./pair ./pair-HANG
expect failing-launch 1 'launch 2 of 4' 'the block is 128 x 1 x 1 in the original and 256 x 1 x 1|grid' -- --runs=0 \
  ./pair ./pair-TOO_LARGE
expect uninitialised 0 '^identical' '!not deterministic' -- --runs=1 ./uninitialised ./uninitialised-again
expect atomics 0 '^identical' 'not deterministic: 2 launches in two runs of the original \(0, 2\)' \
  'output not deterministic' -- --runs=1 ./atomics ./atomics
expect atomics-and-a-difference 1 '^differs: launch 1 of 3' 'allocation 1 \(262144 bytes\)' \
  'first differing byte: 3108;' -- --runs=0 ./atomics ./atomics-wrong
expect atomics-expected-output 1 'output of the original program is not deterministic' -- --runs=0 --expect-output \
  ./atomics ./atomics
expect streams 0 '^identical: 7 launches, 5 allocations, 2 variables' '\(anonymous namespace\)::fill' 'scale<float>' \
  -- --runs=2 ./streams ./streams
expect streams-rdc 0 '^identical: 7 launches, 5 allocations, 2 variables' 'scale<unsigned int> +2 ' -- --runs=1 \
  ./streams ./streams-rdc
expect streams-variable 1 '^differs: launch 5 of 7, keep' 'variable table \(400 bytes\)' \
  'first differing byte: 168' 'original 0x0000002f \(int 47' -- --runs=0 ./streams ./streams-wrong
expect reset 0 '^identical: 3 launches, 3 allocations' 'fill +3 +[0-9.]+ us' -- --runs=2 ./reset ./reset
expect reset-last 0 '^identical: 3 launches, 3 allocations' 'fill +3 +[0-9.]+ us' -- --runs=2 ./reset-last ./reset-last
expect graph 0 '^identical: 3 launches, 2 allocations' 'graph launches, each recorded as one launch \(2 times\)' \
  'kernel launches captured into a graph \(2 times\)' -- --runs=2 ./graph ./graph
expect graph-difference 1 '^differs: launch 0 of 3, graph' 'first differing byte: 4000;' -- --runs=0 \
  ./graph ./graph-wrong
expect driver-api 0 '^identical: 4 launches, 1 allocation, 1 variable' 'square +4 ' 'left no durations' -- --runs=1 ./driver ./driver
expect launches 0 '^identical: 4 launches, 1 allocation' 'pinned host memory \(cuMemHostAlloc|cuMemAllocHost' \
  'registered host memory' 'CUDA arrays' 'virtual memory \(cuMemCreate' 'together +1 ' 'clustered +2 ' -- --runs=1 \
  ./launches ./launches
expect cooperative-difference 1 '^differs: launch 1 of 4, together' 'first differing byte: 4092;' -- --runs=0 \
  ./launches ./launches-wrong
expect threads 0 '^identical as far as' '8 host threads launch kernels, in another order' 'step +800' -- --runs=1 ./threads ./threads
expect large 0 '^identical: 200 launches, 501 allocations' -- --runs=1 ./large ./large
expect no-kernel 3 'not verified: .*no recording|launches no kernel' -- --runs=0 /bin/true /bin/true

# The program itself must see the pattern, and must not notice the recorder.
uninitialised=$(cd "$work/bin" && CUDA_INJECTION64_PATH=$build/lib/libbankstripe-recorder.so \
  BANKSTRIPE_RECORD=$work/record BANKSTRIPE_MODE=digest ./uninitialised)
plain=$(cd "$work/bin" && ./pair)
recorded=$(cd "$work/bin" && CUDA_INJECTION64_PATH=$build/lib/libbankstripe-recorder.so \
  BANKSTRIPE_RECORD=$work/record2 ./pair)
inactive=$(cd "$work/bin" && CUDA_INJECTION64_PATH=$build/lib/libbankstripe-recorder.so ./pair)
for check in "fill-pattern|$uninitialised|filled with 0xA5: yes" "output-unchanged|$recorded|$plain" \
  "inactive-without-a-path|$inactive|$plain"; do
  name=${check%%|*} rest=${check#*|}
  if [ "${rest%%|*}" = "${rest#*|}" ]; then
    passed=$((passed + 1)); echo "passed  $name"
  else
    failed=$((failed + 1)); echo "FAILED  $name: '${rest%%|*}' is not '${rest#*|}'"
  fi
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
