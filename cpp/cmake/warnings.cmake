# Warnings for our own code only; third-party headers come in as SYSTEM.
add_library(parkbench_warnings INTERFACE)
target_compile_options(parkbench_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor;-Woverloaded-virtual>
  $<$<AND:$<BOOL:${PARKBENCH_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
