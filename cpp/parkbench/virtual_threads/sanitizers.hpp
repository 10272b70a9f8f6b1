#pragma once

// Which sanitizer this is built for: PARKBENCH_ASAN and PARKBENCH_TSAN are 0 or 1 (g++ and clang tell it differently).

#if defined(__has_feature)
#define PARKBENCH_HAS_FEATURE(name) __has_feature(name)
#else
#define PARKBENCH_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || PARKBENCH_HAS_FEATURE(address_sanitizer)
#define PARKBENCH_ASAN 1
#else
#define PARKBENCH_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || PARKBENCH_HAS_FEATURE(thread_sanitizer)
#define PARKBENCH_TSAN 1
#else
#define PARKBENCH_TSAN 0
#endif
