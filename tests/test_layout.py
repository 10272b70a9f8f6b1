"""The shape of the project, read from its files: who may include whom, what may be named where, how long files are."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "cpp" / "parkbench"
MAX_LINES = 400

TOP_LEVEL = {
    "pyproject.toml", "CMakeLists.txt", "cpp", "python", "notebooks", "tests", "README.md",
    "dev", "LICENSE", "CHANGELOG.md", "CITATION.cff",
}  # fmt: skip
MODELS = {"thread_pool", "virtual_threads", "reactive", "models"}
# Sources that another file of tests/ covers, because they only make sense together with what that one tests.
TESTED_ELSEWHERE: dict[str, str] = {
    "postgres/pg_error.cpp": "cpp/postgres/query_test.cpp",
    "postgres/row.cpp": "cpp/postgres/query_test.cpp",
    "reactive/callback.cpp": "cpp/reactive/subscriber_rules_test.cpp",
    "virtual_threads/carrier.cpp": "cpp/virtual_threads/stealing_test.cpp",
    "virtual_threads/context.cpp": "cpp/virtual_threads/seam_test.cpp",
    "virtual_threads/handoff.cpp": "cpp/virtual_threads/parking_waiter_test.cpp",
    "virtual_threads/idle_set.cpp": "cpp/virtual_threads/stealing_test.cpp",
    "virtual_threads/run_queue.cpp": "cpp/virtual_threads/stealing_test.cpp",
    "virtual_threads/signal.cpp": "cpp/virtual_threads/parking_waiter_test.cpp",
    "virtual_threads/thread_store.cpp": "cpp/virtual_threads/scheduler_test.cpp",
    "virtual_threads/timers.cpp": "cpp/virtual_threads/parking_waiter_test.cpp",
    "virtual_threads/virtual_thread.cpp": "cpp/virtual_threads/park_test.cpp",
    "models/reactive_model.cpp": "cpp/models/every_model_test.cpp",
    "models/thread_pool_model.cpp": "cpp/models/every_model_test.cpp",
    "models/virtual_threads_model.cpp": "cpp/models/every_model_test.cpp",
    "run/control.cpp": "cpp/run/server_run_test.cpp",
    "run/database_account.cpp": "cpp/run/run_test.cpp",
    "run/direct_run.cpp": "cpp/run/run_test.cpp",
    "run/downstream_run.cpp": "cpp/run/http_run_test.cpp",
    "run/peer.cpp": "cpp/run/server_run_test.cpp",
    "server/parked_connection.cpp": "cpp/server/virtual_threads_server_test.cpp",
    "workload/resources.cpp": "cpp/models/every_model_test.cpp",
    "workload/run_blocking.cpp": "cpp/models/every_model_test.cpp",
    "workload/run_reactive.cpp": "cpp/models/every_model_test.cpp",
}
# What reaches past the seams for clock, threads, randomness and names; only base/ and io/ may.
RAW = {
    "a raw clock": r"\bsteady_clock\b|\bsystem_clock\b|\bhigh_resolution_clock\b|\bclock_gettime\b|\bgettimeofday\b",
    "a raw thread": r"\bstd::j?thread\b|\bpthread_create\b|\bstd::async\b",
    "raw sleeping": r"\bsleep_for\b|\bnanosleep\b|\busleep\b|\bclock_nanosleep\b",
    "raw randomness": r"\bs?rand\(|\brandom\(\)|\brandom_device\b|\barc4random\b|\bgetrandom\(",
    "raw name resolution": r"\bgetaddrinfo\b|\bgethostbyname\b",
}
# Folders of one person's machine; no file may lean on them.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:" + "work|root" + r")/")


@cache
def tracked() -> list[Path]:
    """Every file that belongs to the project: what git holds or would add, or all files of an unpacked archive."""
    try:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        files = [ROOT / name for name in listing.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        hidden = {".git", ".venv", ".build", "__pycache__", "parkbench-results"}
        files = [path for path in ROOT.rglob("*") if not hidden & set(path.relative_to(ROOT).parts)]
    return [path for path in files if path.is_file()]


def sources(folder: Path, *endings: str) -> list[Path]:
    return [path for path in tracked() if path.is_relative_to(folder) and path.suffix in endings]


def cpp_sources(folder: Path = CORE) -> list[Path]:
    return sources(folder, ".cpp", ".hpp", ".S")


def layer_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0]


def code_of(path: Path) -> str:
    """The file without its comments and the contents of its strings (line structure kept)."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', path.read_text())
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def includes(path: Path) -> list[tuple[int, str]]:
    """Line number and name of every file that `path` includes."""
    found = enumerate(path.read_text().splitlines(), 1)
    matches = ((number, re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)) for number, line in found)
    return [(number, match.group(1)) for number, match in matches if match]


@cache
def table() -> dict[str, set[str]]:
    """Layer -> layers it may include: the table of parkbench_layer lines in cpp/CMakeLists.txt, followed through."""
    text = (ROOT / "cpp" / "CMakeLists.txt").read_text()
    lines = re.findall(r"^parkbench_layer\((\w+)(?:\s+DEPENDS\s+([\w\s]+))?\)", text, flags=re.MULTILINE)
    direct = {name: set(depends.split()) for name, depends in lines}
    return {name: {name, *depends} for name, depends in direct.items()}


def forbidden_arrows(layer: str, names: list[str]) -> list[str]:
    """Those of the included `names` that `layer` may not include."""
    layers = [match.group(1) for name in names if (match := re.match(r"parkbench/(\w+)/", name))]
    return [other for other in layers if other not in table()[layer]]


def where(path: Path, line: int, what: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {what}"


def lines_matching(paths: list[Path], pattern: str) -> list[str]:
    """`file:line: text` of every line of code that matches."""
    return [
        where(path, number, line.strip())
        for path in paths
        for number, line in enumerate(code_of(path).splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_every_layer_is_in_the_table() -> None:
    folders = {layer_of(path) for path in cpp_sources()}
    assert folders == set(table()), "folders of cpp/parkbench and parkbench_layer lines of cpp/CMakeLists.txt differ"


def test_table_has_no_cycle() -> None:
    order: list[str] = []
    for name, depends in table().items():
        assert depends - {name} <= set(order), f"{name} depends on a layer that stands below it"
        order.append(name)


def test_include_arrows() -> None:
    wrong = [
        where(path, number, f"{layer_of(path)} may not include {name}")
        for path in cpp_sources()
        for number, name in includes(path)
        if forbidden_arrows(layer_of(path), [name])
    ]
    assert not wrong, "\n".join(wrong)


def test_a_forbidden_arrow_would_be_seen() -> None:
    assert forbidden_arrows("load", ["parkbench/models/model.hpp"]) == ["models"]
    assert forbidden_arrows("models", ["parkbench/io/waiter.hpp", "vector"]) == []


def test_the_load_side_never_sees_a_model() -> None:
    assert not table()["load"] & (MODELS | {"workload", "postgres", "run"})


def test_models_never_see_each_other() -> None:
    folders = MODELS - {"models"}
    crossing = {name: table()[name] & folders - {name} for name in folders}
    assert not any(crossing.values()), crossing


def test_own_includes_are_written_from_the_root() -> None:
    core = [(path, includes(path)) for path in cpp_sources()]
    wrong = [
        where(path, number, name)
        for path, names in core
        for number, name in names
        if "/" not in name and (path.parent / name).exists()
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("library", "pattern", "home", "endings"),
    [
        ("pybind11", r"^pybind11/|^Python\.h$", ROOT / "cpp" / "bindings", (".cpp", ".hpp")),
        ("libpq", r"^libpq|^postgres_ext|^pg_config", CORE / "postgres", (".cpp", ".hpp")),
        ("asio", r"^boost/asio|^asio", CORE / "reactive", (".cpp",)),
    ],
)
def test_a_library_stays_at_home(library: str, pattern: str, home: Path, endings: tuple[str, ...]) -> None:
    uses = [
        (path, n, name) for path in cpp_sources(ROOT / "cpp") for n, name in includes(path) if re.search(pattern, name)
    ]
    assert uses, f"nobody includes {library}: the pattern of this test is wrong"
    wrong = [where(p, n, name) for p, n, name in uses if not p.is_relative_to(home) or p.suffix not in endings]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("what", RAW)
def test_seams_are_kept(what: str) -> None:
    outside = [path for path in cpp_sources(ROOT / "cpp") if not {"base", "io"} & set(path.relative_to(ROOT).parts)]
    found = lines_matching(outside, RAW[what])
    assert not found, f"{what} outside base/ and io/:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a raw clock", "auto t = std::chrono::steady_clock::now();"),
        ("a raw thread", "std::thread t(f);"),
        ("raw sleeping", "std::this_thread::sleep_for(1s);"),
        ("raw randomness", "int r = rand();"),
        ("raw name resolution", "getaddrinfo(host, 0, 0, &out);"),
    ],
)
def test_a_raw_call_would_be_seen(what: str, line: str) -> None:
    assert re.search(RAW[what], line)


def test_no_file_is_too_long() -> None:
    endings = {".cpp", ".hpp", ".S", ".py", ".pyi", ".sh", ".cmake", ".txt", ""}
    counts = {path: len(path.read_bytes().splitlines()) for path in tracked() if path.suffix in endings}
    generated = ROOT / "python" / "parkbench" / "_core.pyi"
    long = [f"{p.relative_to(ROOT)}: {n}" for p, n in counts.items() if n > MAX_LINES and p != generated]
    assert not long, "\n".join(long)


def test_top_level_names() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} == TOP_LEVEL


def test_cpp_tests_mirror_the_core() -> None:
    """Every source of the core has a test file of its name in the mirrored layer."""
    tests = {
        (path.relative_to(ROOT / "tests" / "cpp").parts[0], path.stem)
        for path in sources(ROOT / "tests" / "cpp", ".cpp")
    }
    assert {layer for layer, _ in tests} <= set(table()), "a test folder has no layer"
    missing = [
        str(path.relative_to(CORE))
        for path in sources(CORE, ".cpp")
        if (layer_of(path), f"{path.stem}_test") not in tests and str(path.relative_to(CORE)) not in TESTED_ELSEWHERE
    ]
    assert not missing, f"sources without a test file: {missing}"


def test_tested_elsewhere_is_up_to_date() -> None:
    for source, test in TESTED_ELSEWHERE.items():
        assert (CORE / source).exists(), f"{source} is gone"
        assert (ROOT / "tests" / test).exists(), f"{test}, which tests {source}, is gone"


def test_names_in_the_map_exist() -> None:
    """Every `path` in cpp/README.md is a file or folder of the core, of cpp/ or of the project."""
    text = (ROOT / "cpp" / "README.md").read_text()
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    names = {name for name in re.findall(r"`([\w./<>-]+)`", prose) if "/" in name[1:] and name[0] not in ".<"}
    names = {name for name in names if "<" not in name}
    assert len(names) > 20, "the map names hardly anything"
    missing = sorted(name for name in names if not exists_somewhere(name))
    assert not missing, f"named in cpp/README.md, not found: {missing}"


def exists_somewhere(name: str) -> bool:
    places = (ROOT, ROOT / "cpp", CORE, ROOT / "python" / "parkbench")
    return any((place / name).exists() or list(place.glob(f"{name}.[hcS]*")) for place in places)


def test_no_machine_paths() -> None:
    found = [
        where(path, number, line.strip())
        for path in tracked()
        if path.suffix not in {".png", ".svg"}
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATHS.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("sanitizer", ["asan", "tsan"])
def test_sanitizer_exclusions_name_real_tests_with_a_reason(sanitizer: str) -> None:
    listing = (ROOT / "tests" / "cpp" / "sanitizer_exclusions.txt").read_text().splitlines()
    entries = [line.split(maxsplit=2) for line in listing if line.strip() and not line.startswith("#")]
    assert all(entry[0] in {"asan", "tsan"} for entry in entries)
    code = "\n".join(path.read_text() for path in sources(ROOT / "tests" / "cpp", ".cpp"))
    for _, pattern, *reason in (entry for entry in entries if entry[0] == sanitizer):
        assert reason, f"{pattern}: no reason given"
        assert len(reason[0]) > 20, f"{pattern}: the reason says too little"
        suite, _, case = pattern.partition(".")
        known = rf"TEST(?:_F|_P)?\(\s*{suite.replace('*', r'[^,]*')}\s*,\s*{case.replace('*', '[^)]*')}\s*\)"
        assert re.search(known, code), f"{pattern}: there is no such test"


def test_scripts_can_be_run() -> None:
    for name in ("dev", ".ci/run", "tests/clean_machine.sh"):
        assert (ROOT / name).stat().st_mode & 0o111, f"{name} is not executable"
