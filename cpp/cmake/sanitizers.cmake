# Options that every layer shares, sanitizers included.
find_package(Threads REQUIRED)
add_library(parkbench_options INTERFACE)
target_link_libraries(parkbench_options INTERFACE Threads::Threads)
# A frame larger than the guard would step over it; probing each page makes it hit the guard. Debian's g++ has it off.
target_compile_options(parkbench_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fstack-clash-protection>)
if(PARKBENCH_SANITIZER STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(PARKBENCH_SANITIZER STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT PARKBENCH_SANITIZER STREQUAL "")
  message(FATAL_ERROR "PARKBENCH_SANITIZER is '${PARKBENCH_SANITIZER}'; known are: address, thread")
endif()
if(flags)
  # With their own code inserted GCC takes Boost's optional for unset; a build without them has that warning on.
  list(APPEND flags $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_compile_options(parkbench_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${flags}>)
  target_link_options(parkbench_options INTERFACE ${flags})
endif()
