#include "parkbench/base/thread.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <utility>

#include "parkbench/base/error.hpp"

namespace parkbench {
namespace {

struct Start {
  std::string name;
  UniqueFunction<void()> body;
};

void* enter(void* argument) {
  std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name.c_str());
  // The kernel may delay a timed wait by 50 us to batch wake-ups; a benchmark would report that as ours.
  prctl(PR_SET_TIMERSLACK, 1UL);
  start->body();
  return nullptr;
}

}  // namespace

Thread::Thread(const std::string& name, UniqueFunction<void()> body, std::size_t stack_bytes) {
  auto start = std::make_unique<Start>(Start{name.substr(0, 15), std::move(body)});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  // Signals belong to the main thread: a worker interrupted by SIGINT would see EINTR for nothing.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);  // a stack overflow must reach the handler on the thread that overflowed
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&id_, &attributes, enter, start.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    throw Failure(ErrorCode::out_of_memory, "cannot start thread '" + name + "': " + system_error_text(failed) +
                                                "; raise `ulimit -u` or kernel.pid_max, or use fewer threads");
  }
  start.release();  // NOLINT(bugprone-unused-return-value): enter() owns it now
  joinable_ = true;
}

Thread::Thread(Thread&& other) noexcept : id_(other.id_), joinable_(std::exchange(other.joinable_, false)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    join();
    id_ = other.id_;
    joinable_ = std::exchange(other.joinable_, false);
  }
  return *this;
}

Thread::~Thread() { join(); }

void Thread::join() {
  if (std::exchange(joinable_, false)) pthread_join(id_, nullptr);
}

int current_thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

int usable_cpus() { return static_cast<int>(usable_cpu_numbers().size()); }

std::vector<int> usable_cpu_numbers() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

void pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace parkbench
