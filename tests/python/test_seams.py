"""Code that runs on virtual threads must not touch errno or thread-locals itself.

A virtual thread may park on one OS thread and go on on another, while the compiler keeps the address of ``errno`` or of
a ``thread_local`` in a register. So such accesses live in ``virtual_threads/seam.cpp`` alone.
"""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "cpp" / "parkbench"
LAYERS = ("virtual_threads", "workload")
SEAMS = {"virtual_threads/seam.cpp"}
# pthread_self is declared const, so even the thread's identity may be kept across a park.
STRAY = re.compile(
    r"\b(thread_local|__thread|errno|__errno_location|pthread_self|this_thread::get_id|__cxa_get_globals)\b"
)
ALLOWED_CALLS = {
    "virtual_threads/context.cpp": {"pthread_self"},  # a carrier's own start, before any switch
    "workload/file/temporary_file.cpp": {"errno"},  # set-up, and a read that is a seam of its own: it is not inlined
}


def without_comments(source: str) -> str:
    """Return C++ source with comments and string literals blanked; line numbers stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def strays(name: str, source: str) -> list[str]:
    """Return ``name:line: word`` for each access that does not go through the seam."""
    allowed = ALLOWED_CALLS.get(name, set())
    found = []
    for number, line in enumerate(without_comments(source).splitlines(), start=1):
        found += [f"{name}:{number}: {word}" for word in STRAY.findall(line) if word not in allowed]
    return found


def test_no_stray_thread_state_in_code_of_virtual_threads() -> None:
    found: list[str] = []
    for layer in LAYERS:
        for path in sorted((CORE / layer).rglob("*")):
            name = path.relative_to(CORE).as_posix()
            if path.suffix in {".hpp", ".cpp"} and name not in SEAMS:
                found += strays(name, path.read_text(encoding="utf-8"))
    assert not found, "go through virtual_threads/seam.hpp instead:\n" + "\n".join(found)


def test_the_seam_is_where_the_list_says() -> None:
    for name in SEAMS:
        assert STRAY.search(without_comments((CORE / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("int e = errno;", ["errno"]),
        ("thread_local int x;", ["thread_local"]),
        ("auto id = std::this_thread::get_id();", ["this_thread::get_id"]),
        ("// errno is read by last_error()\nint last_errno_text;", []),
        ('log("errno");  /* thread_local */', []),
        ('#include <cerrno>\nauto s = "a\\"b"; f(errno);', ["errno"]),
    ],
)
def test_the_search_finds_accesses_and_only_these(source: str, words: list[str]) -> None:
    assert [found.split(": ")[1] for found in strays("x.cpp", source)] == words
