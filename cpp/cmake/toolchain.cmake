# Looks for a working C++20 compiler before CMake does, so that a missing piece is named in one sentence.
# Both projects include this before they enable a language.
include_guard(GLOBAL)

if(NOT CMAKE_CXX_COMPILER)
  if(DEFINED ENV{CXX} AND NOT "$ENV{CXX}" STREQUAL "")
    separate_arguments(PARKBENCH_CXX UNIX_COMMAND "$ENV{CXX}")
    list(GET PARKBENCH_CXX 0 PARKBENCH_CXX)
    find_program(PARKBENCH_CXX_PROGRAM NAMES ${PARKBENCH_CXX} PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
  else()
    set(PARKBENCH_CXX "c++, g++ or clang++")
    find_program(PARKBENCH_CXX_PROGRAM NAMES c++ g++ clang++ PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
  endif()
  if(NOT PARKBENCH_CXX_PROGRAM)
    message(FATAL_ERROR "parkbench: the C++ compiler (${PARKBENCH_CXX}) is missing. Run: apt-get install g++ "
                        "(or name one in the environment variable CXX).")
  endif()

  # The newest pieces of C++20 and of the system's headers that the core uses.
  set(PARKBENCH_PROBE ${CMAKE_BINARY_DIR}/parkbench_probe.cpp)
  file(WRITE ${PARKBENCH_PROBE}
    "#include <pthread.h>\n#include <sys/epoll.h>\n#include <concepts>\n#include <latch>\n#include <semaphore>\n"
    "#include <source_location>\n#include <span>\n#include <stop_token>\n"
    "template <class T> concept Small = sizeof(T) <= 8;\n"
    "int main() { std::counting_semaphore<2> s{1}; s.acquire(); return Small<int> ? 0 : 1; }\n")
  execute_process(COMMAND ${PARKBENCH_CXX_PROGRAM} -std=c++20 -pthread ${PARKBENCH_PROBE} -o ${PARKBENCH_PROBE}.out
                  RESULT_VARIABLE PARKBENCH_FAILED ERROR_VARIABLE PARKBENCH_ERROR OUTPUT_QUIET)
  if(NOT PARKBENCH_FAILED STREQUAL "0")
    string(REGEX MATCH "[^\n]*(error|unrecognized|fatal|cannot)[^\n]*" PARKBENCH_ERROR "${PARKBENCH_ERROR}")
    message(FATAL_ERROR "parkbench: ${PARKBENCH_CXX_PROGRAM} cannot build a C++20 program (${PARKBENCH_ERROR}). "
                        "Install g++ 12 or later with its libraries (apt-get install g++) or name another compiler in CXX.")
  endif()
endif()
