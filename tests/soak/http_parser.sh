#!/bin/sh
# Fuzzes both sides of the HTTP session: http_parser.sh DIR SECONDS
# Builds into DIR, starts from the requests and answers of tests/cpp/http/corpus, keeps what it finds in DIR.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: http_parser.sh DIR SECONDS" >&2
  exit 2
fi
dir=$1
seconds=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$dir/seeds" "$dir/found"

python=
for candidate in "$root/.venv/bin/python" python3; do
  if command -v "$candidate" >/dev/null 2>&1; then python=$candidate && break; fi
done
compiler=
for candidate in clang++-16 clang++-19 clang++; do
  if command -v "$candidate" >/dev/null 2>&1; then compiler=$candidate && break; fi
done
if [ -z "$compiler" ]; then
  echo "Fuzzing needs clang++ with libFuzzer, which is missing: apt-get install clang-16 libclang-rt-16-dev" >&2
  exit 2
fi
boost=${PARKBENCH_BOOST_INCLUDE:-$("$python" -c 'import boost_headers; print(boost_headers.get_include())' 2>/dev/null || echo /usr/include)}

echo 'int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' >"$dir/probe.c"
if ! "$compiler" -x c -fsanitize=fuzzer,address "$dir/probe.c" -o "$dir/probe" 2>/dev/null; then
  echo "$compiler has no libFuzzer, which fuzzing needs: apt-get install libclang-rt-16-dev (or that of its version)" >&2
  exit 2
fi
"$compiler" -std=c++20 -O1 -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
  -I"$root/cpp" -isystem "$boost" "$root"/cpp/parkbench/http/*.cpp "$root/cpp/parkbench/base/clock.cpp" \
  "$root/cpp/parkbench/base/error.cpp" "$root/tests/fuzz/http_session_fuzz.cpp" -o "$dir/http_session_fuzz"
"$python" "$root/tests/python/http_corpus.py" "$dir/seeds"

status=0
"$dir/http_session_fuzz" -max_total_time="$seconds" -max_len=20000 -timeout=10 -rss_limit_mb=1024 \
  -dict="$root/tests/fuzz/http.dict" -artifact_prefix="$dir/" -print_final_stats=1 "$dir/found" "$dir/seeds" \
  >"$dir/log" 2>&1 || status=$?
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log")
if [ "$status" -ne 0 ]; then
  tail -n 40 "$dir/log" >&2
fi
echo "http_parser: ${executions:-0} executions in ${seconds} s, exit code $status"
exit "$status"
