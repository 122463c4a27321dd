#!/usr/bin/env bash
# Checks the recorder and the verifier on a machine with a GPU: builds them and
# a few small CUDA programs, and compares what bankstripe-verify says of pairs
# of them with what is known of these programs. Also, what launches of kernels
# with rows run (runtime/device).
#
# Usage: tests/runtime/gpu_check.sh [BUILD_DIR]
# Needs nvcc, a C++ compiler, CMake, CLI11, nlohmann-json and fmt. Environment:
#   ARCH        GPU architecture to compile for (default: native)
#   PREBUILT    1: take what is in BUILD_DIR, build nothing but the programs
#   CMAKE_ARGS  further arguments for CMake
#   JOBS        checks at a time (default: 4)
#   ONLY        run only pairs whose check's name matches this expression
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
if [ "${PREBUILT:-0}" = 0 ] && ! { cmake -S "$source_dir" -B "$build" -DCMAKE_BUILD_TYPE=Release -DBANKSTRIPE_BUILD_REWRITER=OFF \
         -DBANKSTRIPE_BUILD_TESTS=OFF ${CMAKE_ARGS:-} && cmake --build "$build" --parallel; } \
  >"$work/cmake.log" 2>&1; then
  cat "$work/cmake.log"
  echo "FAILED: the build"
  exit 1
fi
verify=$build/bin/bankstripe-verify
[ -x "$verify" ] || { cat "$work"/*.log; echo "FAILED: no bankstripe-verify was built"; exit 1; }
# In a build folder, or where a package installs it.
for recorder in "$build"/lib/{,bankstripe/}libbankstripe-recorder.so; do
  [ ! -e "$recorder" ] || break
done
[ -e "$recorder" ] || { echo "FAILED: there is no recorder in $build/lib"; exit 1; }

# compile NAME SOURCE ARGS...: an executable, in the background
compile() {
  local name=$1 source=$2
  shift 2
  nvcc -std=c++17 -arch="$arch" -o "$work/bin/$name" "$programs/$source" "$@" \
    >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; echo "FAILED: compiling $name"; } &
}
runtime=$source_dir/runtime
compile choose choose.cu -I "$runtime/device"
compile pair pair.cu
compile pair-shared-runtime pair.cu -cudart shared
compile rewritten pair.cu -DREWRITTEN
compile rewritten-shared-runtime pair.cu -DREWRITTEN -cudart shared
for variant in WRONG EXTRA BLOCK LARGER OUTPUT CRASH_HOST CRASH_DEVICE HANG TOO_LARGE; do
  compile "pair-$variant" pair.cu -DREWRITTEN -D$variant
done
compile pair-OCCUPANCY pair.cu -DOCCUPANCY
compile rewritten-OCCUPANCY pair.cu -DREWRITTEN -DOCCUPANCY
compile uninitialised uninitialised.cu
compile uninitialised-again uninitialised.cu --fmad=false
compile reset reset.cu
compile reset-last reset.cu -DRESET_LAST
compile driver driver.cpp -lcuda
compile launches launches.cu -lcuda
compile launches-wrong launches.cu -lcuda -DWRONG
compile threads threads.cu
compile large large.cu
compile search search.cu
compile search-wrong search.cu -DWRONG
compile memory memory.cu -lcuda
for number in 0 1 2 3 4; do compile memory-wrong-$number memory.cu -lcuda -DWRONG=$number; done
compile many many.cu
compile many-wrong many.cu -DWRONG
compile contexts contexts.cu -lcuda
compile contexts-wrong contexts.cu -lcuda -DWRONG
compile unseen unseen.cu
compile modules modules.cu "$programs/modules_other.cu"
compile captured captured.cu -lcuda
compile captured-failing captured.cu -lcuda -DFAIL
compile captured.cubin captured.cu -cubin
compile captured-wrong.cubin captured.cu -cubin -DWRONG
compile captured-failing.cubin captured.cu -cubin -DFAIL
compile replay replay.cu
compile replay-rewritten.cubin replay.cu -cubin -DREWRITTEN
for launch in 0 1 2 3 4 5; do compile replay-wrong-$launch.cubin replay.cu -cubin -DREWRITTEN -DWRONG=$launch; done
compile devices devices.cu
compile devices-wrong devices.cu -DWRONG
compile devices-wrong-peer devices.cu -DWRONG_PEER
compile plugin plugin.cu
compile plugin.so plugin.cu -DPLUGIN -shared -Xcompiler -fPIC
compile plugin-wrong plugin.cu -DWRONG
compile plugin-wrong.so plugin.cu -DPLUGIN -DWRONG -shared -Xcompiler -fPIC
nvcc -std=c++20 -O2 -I "$source_dir" -I "$runtime" -o "$work/bin/digests" "$programs/digests.cpp" "$runtime/recorder/DigestEngine.cpp" \
  "$runtime/recorder/LiveMemory.cpp" "$build/runtime/recorder/DigestImage.cpp" -lcuda >"$work/digests.log" 2>&1 ||
  { cat "$work/digests.log"; echo "FAILED: compiling digests"; } &
for name in captures print_recording; do
  "${CXX:-c++}" -std=c++20 -O2 -I "$source_dir" -I "$runtime" -o "$work/bin/$name" "$programs/$name.cpp" \
    "$build/runtime/recording/libbankstripe_recording.a" "$build/contract/libbankstripe_contract.a" \
    >"$work/$name.log" 2>&1 ||
    { cat "$work/$name.log"; echo "FAILED: compiling $name"; } &
done
for name in atomics streams graph; do
  compile $name $name.cu
  compile $name-wrong $name.cu -DWRONG
  compile $name-rdc $name.cu -rdc=true
done
wait

# result NAME PROBLEM: an empty problem is none
result() {
  if [ -z "$2" ]; then echo "passed  $1"; else echo "FAILED  $1: $2"; fi | tee -a "$work/results"
}
# judge NAME LOG PROBLEM PATTERN...: every PATTERN (an extended regular expression)
# must match the file; `!PATTERN` must not. PROBLEM is what is wrong already.
judge() {
  local name=$1 log=$2 problem=$3 pattern
  shift 3
  for pattern in "$@"; do
    case $pattern in
    !*) grep -qE -- "${pattern#!}" "$log" && problem="$problem; has '${pattern#!}'" ;;
    *) grep -qE -- "$pattern" "$log" || problem="$problem; lacks '$pattern'" ;;
    esac
  done
  result "$name" "$problem"
  if [ -n "$problem" ] || [ "${VERBOSE:-0}" = 1 ]; then sed 's/^/    /' "$log"; fi
}
# expect NAME STATUS PATTERN... -- VERIFY-ARGS...: of what the verifier prints.
expect_now() {
  local name=$1 status=$2 patterns=() problem=
  shift 2
  while [ "$1" != -- ]; do patterns+=("$1"); shift; done
  shift
  # After every launch, unless fewer are asked for.
  case " $* " in *" --first="*) ;; *) set -- --all "$@" ;; esac
  local log=$work/$name.out
  (cd "$work/bin" && timeout 120 "$verify" "$@" >"$log" 2>&1)
  local got=$?
  [ $got -eq "$status" ] || problem="exit status $got, expected $status"
  judge "$name" "$log" "$problem" "${patterns[@]}"
}
expect() {
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-4}" ]; do wait -n; done
  expect_now "$@" &
}

# survey NAME KERNEL... -- COMMAND...: captures launches of the kernels into the folder NAME. SURVEY_OPTIONS
# are further options.
survey() {
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  local name=$1 kernels=() problem=
  shift
  while [ "$1" != -- ]; do kernels+=("--kernel=$1"); shift; done
  shift
  mkdir -p "$work/$name"
  local log=$work/$name.survey
  # shellcheck disable=SC2086
  (cd "$work/bin" && timeout 120 "$verify" --survey="$work/$name" "${kernels[@]}" ${SURVEY_OPTIONS:-} -- "$@" >"$log" 2>&1)
  # A program that leaves through _exit has no times, but captures.
  compgen -G "$work/$name/[0-9]*-[0-9]*" >/dev/null || problem="nothing is captured"
  judge "$name-surveyed" "$log" "$problem"
}

# capture NAME/KERNEL-NUMBER PATTERN...: of what is in that capture
capture() {
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  local name=${1//\//-} file=$work/$1 problem=
  local log=$work/$name.contents
  shift
  "$work/bin/captures" "$file" >"$log" 2>&1 || problem="it cannot be read"
  judge "$name-contents" "$log" "$problem" "$@"
}

# replay NAME/KERNEL-NUMBER STATUS PATTERN... -- OPTIONS...: launches what is in it again
replay() {
  [[ $1 =~ ${ONLY:-.} ]] || return 0
  local name=${1//\//-} file=$work/$1 status=$2 problem='' patterns=()
  shift 2
  while [ "$1" != -- ]; do
    patterns+=("$1")
    shift
  done
  shift
  local log=$work/$name.replay
  (cd "$work/bin" && timeout 120 "$build/bin/bankstripe-replay" "$@" "$file" >"$log" 2>&1)
  local got=$?
  [ $got -eq "$status" ] || problem="exit status $got, expected $status"
  judge "$name-replayed" "$log" "$problem" "${patterns[@]}"
}

expect identical-pair 0 '^identical: 4 launches, 2 allocations' '128 -> 0' '0 -> 16384' 'count_digits +4 ' \
  '!not deterministic' '!note:' -- --runs=3 ./pair ./rewritten
expect shared-runtime 0 '^identical: 4 launches, 2 allocations' '128 -> 0' -- --runs=2 ./pair-shared-runtime \
  ./rewritten-shared-runtime
expect static-against-shared-runtime 0 '^identical' -- --runs=1 ./pair ./rewritten-shared-runtime
expect one-element 1 '^differs: launch 2 of 4, count_digits' \
  'allocation 1 \(1048576 bytes\): the first difference is in the bytes 49152 to 53247' \
  'first differing byte: 49380; [1-4] of the bytes' 'element 12345 \(i32\)' '!launches differ' \
  '!output differs' -- --runs=1 ./pair ./pair-WRONG
expect extra-launch 1 'launch 4 of 4' 'the original program has 4 launches, the rewritten one 5' -- --runs=0 \
  ./pair ./pair-EXTRA
expect other-block 1 'launch 0 of 4' 'the grid is 2048 x 1 x 1 in the original and 4096 x 1 x 1' -- --runs=0 \
  ./pair ./pair-BLOCK
expect larger-allocation 1 'allocation 1 has 1048576 bytes in the original and 1049600 bytes' -- --runs=0 \
  ./pair ./pair-LARGER
expect occupancy-decides-the-grid 0 '^identical where it was compared' 'from launch 0 on, where the grid is' \
  -- --runs=1 ./pair-OCCUPANCY ./rewritten-OCCUPANCY
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
expect streams 0 '^identical: 7 launches, 5 allocations, 2 variables' '\(anonymous namespace\)::fill' 'scale<float>' \
  -- --runs=2 ./streams ./streams
expect streams-rdc 0 '^identical: 7 launches, 5 allocations, 2 variables' 'scale<unsigned int> +2 ' -- --runs=1 \
  ./streams ./streams-rdc
expect streams-variable 1 '^differs: launch 5 of 7, keep' 'variable table \(400 bytes\)' \
  'first differing byte: 168' 'element 42 \(i32\): original 47' -- --runs=0 ./streams ./streams-wrong
expect reset 0 '^identical: 3 launches, 3 allocations' 'fill +3 +[0-9.]+ us' -- --runs=2 ./reset ./reset
expect reset-last 0 '^identical: 3 launches, 3 allocations' 'fill +3 +[0-9.]+ us' -- --runs=2 ./reset-last ./reset-last
expect graph 0 '^identical: 3 launches, 2 allocations' 'graph launches, each recorded as one launch \(2 times\)' \
  'kernel launches captured into a graph \(2 times\)' -- --runs=2 ./graph ./graph
expect graph-difference 1 '^differs: launch 0 of 3, graph' 'first differing byte: 4000;' -- --runs=0 \
  ./graph ./graph-wrong
expect driver-api 0 '^identical: 4 launches, 1 allocation, 1 variable' 'square +4 ' 'left no durations' -- --runs=1 ./driver ./driver
expect launches 0 '^identical: 4 launches, 3 allocations' 'CUDA arrays' 'together +1 ' 'clustered +2 ' -- --runs=1 \
  ./launches ./launches
expect cooperative-difference 1 '^differs: launch 1 of 4, together' 'first differing byte: 4092;' -- --runs=0 \
  ./launches ./launches-wrong
expect threads 0 '^identical as far as' '8 host threads launch kernels, in another order' 'step +800' -- --runs=1 ./threads ./threads
expect large 0 '^identical: 200 launches, 501 allocations' -- --runs=1 ./large ./large
expect no-kernel 3 'not verified: .*no recording|launches no kernel' -- --runs=0 /bin/true /bin/true

expect memory 0 '^identical: 5 launches, 5 allocations' '!not deterministic' '!note:' -- --runs=0 ./memory ./memory
for number in 0 1 2 3 4; do
  expect memory-wrong-$number 1 "^differs: launch $number of 5, write" "allocation $number \\(" \
    'first differing byte: 2000;' -- --runs=0 ./memory ./memory-wrong-$number
done
expect plugin 0 '^identical: 4 launches, 1 allocation, 1 variable' '!further processes' -- --runs=1 ./plugin ./plugin
expect plugin-difference 1 '^differs: launch 1 of 4, count_up' 'variable counters \(256 bytes\)' \
  'first differing byte: 28;' -- --runs=0 ./plugin ./plugin-wrong
expect contexts 0 '^identical: 6 launches, 3 allocations, 2 variables' '!note:' -- --runs=0 ./contexts ./contexts
expect contexts-difference 1 '^differs: launch 3 of 6, step' 'allocation 1 \(4096 bytes\)' 'first differing byte: 400;' \
  -- --runs=0 ./contexts ./contexts-wrong
expect unseen 0 '^identical' 'host functions in streams' 'allocations inside graphs|allocations captured into a graph' \
  'mipmapped arrays' 'memory that other processes may write' -- --runs=0 ./unseen ./unseen
expect memory-that-was-freed 1 '^differs: launch 6059 of 6060, scratch' \
  'first differing byte: 308;' -- --runs=0 -- ./many 6000 640 --vs ./many-wrong 6000 640

# Any two commands, and a difference between digests that lie far apart.
expect search 1 '^differs: launch 2345 of 4000, step' 'element 77 \(f32\): original' 'found by running both programs' \
  'memory was compared after [0-9]+ of 4000 launches.*; left out: [0-9]+ by --first' \
  -- --first=100 --runs=0 -- ./search 4000 --vs ./search-wrong 4000
expect search-everything 1 '^differs: launch 2345 of 2400, step' 'element 77 \(i32\)' '!found by running' '!left out' \
  -- --runs=0 -- ./search 2400 --vs ./search-wrong 2400
expect search-few-launches 0 '^identical: 50 launches' '!left out' -- --first=100 --runs=0 -- ./search 50 --vs ./search 50
expect search-powers-of-two 1 '^differs: launch 2345 of 4000, step' 'memory was compared after 13 of 4000 launches' \
  'left out: 3987 by --first=1\.' -- --first=1 --runs=0 -- ./search 4000 --vs ./search-wrong 4000
expect few-launches-leave-freed-memory-out 0 '^identical where it was compared: 1010 launches' \
  'allocations were freed before what was left in them was compared' -- --first=1 --runs=0 ./many ./many-wrong
expect command-of-a-script 0 '^identical: 50 launches' -- --runs=0 -- sh -c './search 50' --vs ./search 50
expect command-of-two-processes 0 '^identical: 50 launches' '2 processes of the original command use the GPU' \
  'made 10 launches' -- --runs=0 -- sh -c './search 10; ./search 50' --vs \
  sh -c './search 10; ./search 50'
expect repeats 0 '^identical as far' 'in 3 runs of the original' -- --repeats=3 --runs=0 ./atomics ./atomics

wait

# Launches in files of their own. By place of the kernel in the list and number of its launch; the launches that
# are kept are the first of each size of grid and block, the second and the fourth.
survey captured 'fill(unsigned int*)' 'step(unsigned int*, char, Amounts, unsigned int const*)' \
  'lookup(unsigned long long, unsigned int*)' -- ./captured
survey beside-a-graph 'step(unsigned int*, unsigned int)' -- ./graph
survey a-cluster 'clustered(unsigned int*, unsigned int)' -- ./launches
survey a-driver-module square -- ./driver
survey two-contexts 'step(unsigned int*, unsigned int, bool)' -- ./contexts
survey two-modules 'void both<unsigned int>(unsigned int*, unsigned int)' -- ./modules
survey virtual-memory 'write(unsigned int*, unsigned int, bool)' -- ./memory
survey the-second-process 'step(float*, float*, unsigned int)' -- sh -c './search 10; ./search 50'
survey replayed 'followPointers(Arguments, char)' 'useVariables(unsigned int*, unsigned int*)' \
  'useSharedMemory(unsigned int*, unsigned int)' 'waitForAll(unsigned int*)' 'useCluster(unsigned int*)' \
  'allocateHere(unsigned int*)' -- ./replay
# It would last for hours, and is ended in the midst of its launches.
SURVEY_OPTIONS=--end-after=3 survey ended 'step(float*, float*, unsigned int)' -- ./search 1000000000
[[ ! ended =~ ${ONLY:-.} ]] || judge ended-run "$work/ended.survey" "" '"endedAfter": *[3-9]\.' '"digest": *"[0-9a-f]{16}"'
survey for-later 'step(float*, float*, unsigned int)' -- ./search 4000
expect recorded 0 '^identical: [0-9]+ launches' 'step +[0-9]+ +.* us' \
  'all launches of a run .* (0\.[6-9]|1\.[0-6])[0-9]x' -- --recorded="$work/captured" --runs=0 ./captured ./captured
expect recorded-difference 1 '^differs: launch 2345 of 4000, step' -- --recorded="$work/for-later" --runs=0 -- \
  ./search 4000 --vs ./search-wrong 4000
wait
capture captured/0-0 'device 0: 41943040 bytes, 640 of 640 pages changed, 2779096485 .* became 0 ... 10485759'
capture captured/1-0 'device 0: 41943040 bytes, 2 of 640 pages changed, 0 \.\.\. 10485759 became 9 \.\.\. 107' \
  'pinned 1: 32 bytes, 0 of 1 pages changed, 0 \.\.\. 7000' 'variable counter: 4 bytes, 1 of 1 .*, 100 .* became 101' \
  'variable launches: 12 bytes, 1 of 1 .*, 0 \.\.\. 0 became 1 \.\.\. 0' \
  'constant table: 16 bytes, 0 of 1 pages changed, 1 \.\.\. 4000' '!lacks' '!cooperative'
capture captured/1-1 '^launch 2 on ' '^original step\(' 'original parameter of 32 bytes at 16' \
  'device 0: 41943040 bytes, 2 of 640 pages changed'
capture captured/1-2 'cooperative' 'variable launches: .* 1 \.\.\. 0 became 1 \.\.\. 3'
capture captured/2-0 '^original lookup' 'lacks texture objects' 'lacks CUDA arrays'
capture a-cluster/0-0 'cluster 2 '
capture a-driver-module/0-3 'variable launches: 4 bytes, 1 of 1 pages changed, 256 .* became 512'
capture two-contexts/0-3 'device 0: 4096 bytes, 0 of 1 pages' 'device 1: 4096 bytes, 1 of 1 pages' \
  'variable rounds: 4 bytes, 1 of 1 pages changed, 1 .* became 2' 'lacks variables of other modules or contexts: rounds'
capture two-modules/0-1 'variable there: 4 bytes, 0 of 1 pages changed, 41 ' '!variable here'
capture virtual-memory/0-3 'virtual [0-9]+: '
last_ended=$(cd "$work" && compgen -G "ended/0-*" | tail -n 1)
for file in captured/0-0 captured/1-0 captured/1-2 beside-a-graph/0-0 a-cluster/0-0 a-driver-module/0-3 two-contexts/0-3 \
  two-modules/0-1 virtual-memory/0-3 "${last_ended:-ended/0-0}"; do
  replay $file 0 '^reproduced' 'original: leaves what was captured' -- --runs=0
done
replay captured/1-1 0 '^identical: launch 2, step' '15 timed launches of each: ' -- --module=captured.cubin
replay captured/1-1 1 '^differs: launch 2, step' 'original: leaves what was captured' 'element 77 ' -- --runs=0 \
  --module=captured-wrong.cubin
replay captured/1-2 1 'rewritten: fails with CUDA_ERROR_ILLEGAL_ADDRESS' -- --runs=0 --module=captured-failing.cubin
for launch in 0 1 2 3 4 5; do
  # What the rewritten kernels need for the 256 threads of a block.
  for name in rewritten wrong-$launch; do
    echo "[{\"module\": \"replay-$name.cubin\", \"warpBytes\": 128}]" >"$work/bin/replay-$name.list"
  done
  replay replayed/$launch-0 0 '^identical' 'timed launches of each: ' -- --candidates=replay-rewritten.list
  replay replayed/$launch-0 1 '^differs' 'original: leaves what was captured' '(element 77|variable counters)' \
    -- --runs=0 --candidates=replay-wrong-$launch.list
done
if [ "$(nvidia-smi -L | wc -l)" -gt 1 ]; then
  expect two-devices 0 '^identical' -- --runs=0 ./devices ./devices
  expect two-devices-difference 1 '^differs: launch 5 of' 'allocation 1 ' 'element 77 ' -- --runs=0 \
    ./devices ./devices-wrong
  expect memory-of-the-other-device 1 '^differs: launch [34] of' 'allocation 0 ' 'element 77 ' -- --runs=0 \
    ./devices ./devices-wrong-peer
fi

wait
# Alone on the GPU, as is what follows. Rewritten programs: launches of kernels that have rows.
for case in room waiting faster cost capture streams threads reset errors child grids; do
  [[ choose-$case =~ ${ONLY:-.} ]] || continue
  (cd "$work/bin" && timeout 120 ./choose "$case") >"$work/choose-$case.out" 2>&1
  judge "choose-$case" "$work/choose-$case.out" "" "^$case: passed"
done

# By design one in twenty of the second is not told to be equal.
expect faster 0 'count_digits.* faster ' '!no intervals' -- --runs=9 ./pair ./rewritten
wait
expect equal 0 'count_digits.* equal ' -- --runs=9 ./pair ./pair
wait

# finish: the counts, and the exit status
finish() {
  local failed
  failed=$(grep -c ^FAILED "$work/results")
  echo "$(grep -c ^passed "$work/results") passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
[ -z "${ONLY:-}" ] || finish

# check NAME GOT WANTED
check() {
  if [ "$2" = "$3" ]; then result "$1" ""; else result "$1" "'$2' is not '$3'"; fi
}
# record FILE DIGESTS-AND-MORE PROGRAM ARGS...: prints the output and exit status. The second
# argument is what stands in the request (runtime/recording/Request.h) beside the recording.
record() {
  local file=$work/$1 request=$2
  shift 2
  echo "{\"Recording\":\"$file\"${request:+,$request}}" >"$file.request"
  (cd "$work/bin" && env CUDA_INJECTION64_PATH="$recorder" BANKSTRIPE_REQUEST="$file.request" \
    timeout 120 "$@" 2>&1; echo "status $?")
}
# digests FILE: the launches, with their digests
digests_of() { "$work/bin/print_recording" "$work/$1" | grep -E '"type":"(launch|allocation|variable)"'; }

check fill-pattern "$(record fill "" ./uninitialised)" $'filled with 0xA5: yes\nstatus 0'
# The program must not notice the recorder.
for program in pair reset reset-last streams graph driver launches threads memory contexts unseen plugin many captured captured-failing; do
  plain=$(cd "$work/bin" && timeout 120 ./$program 2>&1; echo "status $?")
  check "$program-is-unchanged" "$(record "$program.recording" "" ./$program)" "$plain"
  check "$program-is-unchanged-by-few-digests" \
    "$(record "$program.few" '"Digests":{"First":1,"FirstFrees":1}' ./$program)" "$plain"
done
surveyed='"step(unsigned int*, char, Amounts, unsigned int const*)", "step(unsigned int*, unsigned int)",
  "clustered(unsigned int*, unsigned int)", "write(unsigned int*, unsigned int, bool)"'
for program in captured captured-failing graph launches memory; do
  plain=$(cd "$work/bin" && timeout 120 ./$program 2>&1; echo "status $?")
  mkdir -p "$work/$program.captures"
  check "$program-is-unchanged-by-a-survey" \
    "$(record "$program.with-captures" "\"Mode\":\"survey\",\"Digests\":{\"First\":4,\"FirstFrees\":4},
      \"Survey\":{\"Folder\":\"$work/$program.captures\",\"MostBytes\":16000000000,\"Kernels\":[$surveyed]}" \
      ./$program)" "$plain"
done
kernels_of() { "$work/bin/print_recording" "$work/captured.with-captures" | grep "\"type\":\"$1\"" |
  grep -o '"kernel":"[^"]*"'; }
check executions-are-the-programs "$(kernels_of execution)" "$(kernels_of launch)"
check executions-are-there "$(kernels_of execution | wc -l)" 5
plain=$(cd "$work/bin" && ./pair)
check inactive-without-a-request "$(cd "$work/bin" &&
  CUDA_INJECTION64_PATH=$recorder ./pair)" "$plain"

# A rule chooses the same launches in every run.
for copy in 1 2; do
  record repeated$copy '"Digests":{"First":8,"FirstFrees":4}' ./many 3000 >"$work/repeated.out"
done
check rule-repeats-the-digests "$(digests_of repeated2 | md5sum)" "$(digests_of repeated1 | md5sum)"
check last-launches-are-digested "$(digests_of repeated1 | grep -c '"digestedAtEnd":true')" 1
check bad-request-is-no-harm "$(record bad '"Digests":{"First":"x"}' ./pair)" "$plain"$'\nstatus 0'
check bad-request-is-named "$("$work/bin/print_recording" "$work/bad" | grep -c 'the request cannot be read: ')" 1
check digest-kernel "$("$work/bin/digests" | sed 's/.*pieces of memory: \([0-9]*\) of.*/\1/')" 0

finish
