#include "parkbench/io/poller.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <ctime>

#include "parkbench/base/error.hpp"

namespace parkbench::io {
namespace {

constexpr std::uint64_t kWakeTag = ~std::uint64_t{0};
constexpr int kEventsPerPoll = 128;

std::uint64_t tag(std::uint32_t slot, std::uint32_t generation) { return (std::uint64_t{generation} << 32) | slot; }

int wait_events(int epoll, epoll_event* events, Ns timeout) {
  if (timeout < 0) return epoll_wait(epoll, events, kEventsPerPoll, -1);
  if (timeout == 0) return epoll_wait(epoll, events, kEventsPerPoll, 0);
  // epoll_wait counts in milliseconds, which would round a sleep up by half of one on average.
  const timespec wait{static_cast<time_t>(timeout / kSecond), static_cast<long>(timeout % kSecond)};
  return epoll_pwait2(epoll, events, kEventsPerPoll, &wait, nullptr);
}

}  // namespace

bool Watch::wait(Interest interest, ReadyWaiter& waiter) {
  auto& state = state_[static_cast<std::size_t>(interest)];
  std::uintptr_t seen = kIdle;
  if (state.compare_exchange_strong(seen, reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_acq_rel)) {
    return false;
  }
  // Only an edge can have been there: there is one waiter per direction.
  state.store(kIdle, std::memory_order_release);
  return true;
}

bool Watch::cancel(Interest interest, ReadyWaiter& waiter) {
  auto seen = reinterpret_cast<std::uintptr_t>(&waiter);
  return state_[static_cast<std::size_t>(interest)].compare_exchange_strong(seen, kIdle, std::memory_order_acq_rel);
}

void Watch::deliver(Interest interest, Ns told) {
  auto& state = state_[static_cast<std::size_t>(interest)];
  std::uintptr_t seen = state.load(std::memory_order_acquire);
  for (;;) {
    const bool waiting = seen != kIdle && seen != kReady;
    if (state.compare_exchange_weak(seen, waiting ? kIdle : kReady, std::memory_order_acq_rel)) {
      if (waiting) reinterpret_cast<ReadyWaiter*>(seen)->on_ready(told);
      return;
    }
  }
}

Poller::Poller(const Clock& clock)
    : clock_(clock), epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!epoll_ || !wake_) {
    throw Failure(ErrorCode::out_of_memory,
                  "cannot create an epoll descriptor: " + system_error_text(errno) + "; raise `ulimit -n`");
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeTag;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

Watch& Poller::add(int fd) {
  std::uint32_t slot = 0;
  Watch* watch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    watch = &slots_[slot];
    watch->slot_ = slot;
    watch->fd_ = fd;
    watch->hung_up_.store(false, std::memory_order_relaxed);
    for (auto& state : watch->state_) state.store(Watch::kIdle, std::memory_order_relaxed);
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = tag(slot, watch->generation_.load(std::memory_order_relaxed));
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    const int error = errno;
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
    throw Failure(ErrorCode::internal, "epoll_ctl: " + system_error_text(error));
  }
  return *watch;
}

void Poller::remove(Watch& watch) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watch.fd_, nullptr);
  watch.generation_.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex_);
  free_.push_back(watch.slot_);
}

int Poller::poll(Ns timeout) {
  std::array<epoll_event, kEventsPerPoll> events;
  const int count = wait_events(epoll_.get(), events.data(), timeout);
  if (count <= 0) return 0;
  const Ns told = clock_.now();
  int handled = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.u64 == kWakeTag) {
      std::uint64_t drained = 0;
      [[maybe_unused]] const auto n = read(wake_.get(), &drained, sizeof drained);
      continue;
    }
    Watch* watch = nullptr;
    {
      const std::lock_guard lock(mutex_);
      watch = &slots_[static_cast<std::uint32_t>(event.data.u64)];
    }
    if (watch->generation_.load(std::memory_order_acquire) != static_cast<std::uint32_t>(event.data.u64 >> 32))
      continue;
    ++handled;
    const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    if (broken || (event.events & EPOLLRDHUP) != 0) watch->hung_up_.store(true, std::memory_order_release);
    if (broken || (event.events & (EPOLLIN | EPOLLRDHUP)) != 0) watch->deliver(Interest::read, told);
    if (broken || (event.events & EPOLLOUT) != 0) watch->deliver(Interest::write, told);
  }
  return handled;
}

void Poller::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_.get(), &one, sizeof one);
}

void IoSource::reset(int fd) {
  detach();
  fd_ = fd;
}

Watch& IoSource::watch_at(Poller& poller) {
  if (poller_ != &poller) {
    detach();
    watch_ = &poller.add(fd_);
    poller_ = &poller;
  }
  return *watch_;
}

void IoSource::detach() {
  if (watch_ != nullptr) poller_->remove(*watch_);
  watch_ = nullptr;
  poller_ = nullptr;
}

}  // namespace parkbench::io
