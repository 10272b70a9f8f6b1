#include "parkbench/load/http_exchange.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <ctime>
#include <new>

#include "parkbench/load/answer_check.hpp"

namespace parkbench::load {

using measure::Phase;
using measure::Request;

HttpExchange::HttpExchange(const HttpPlan& plan, std::uint32_t users, const Clock& clock)
    : plan_(plan),
      address_(socket_address(plan.host, plan.port)),
      clock_(clock),
      texts_(plan),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      users_(users) {
  if (!epoll_ || !wake_) {
    throw Failure(ErrorCode::out_of_memory, "cannot create an epoll descriptor: " + system_error_text(errno));
  }
  for (std::uint32_t user = 0; user < users; ++user) lines_.emplace_back(plan_.keeps_body());
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWake;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

void HttpExchange::watch_peer(int fd, UniqueFunction<void()> gone) {
  epoll_event event{};
  event.events = EPOLLRDHUP;
  event.data.u64 = (std::uint64_t{kPeer} << 32) | peers_.size();
  peers_.emplace_back(fd, std::move(gone));
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    throw Failure(ErrorCode::internal, "epoll_ctl: " + system_error_text(errno));
  }
}

bool HttpExchange::submit(std::span<Request* const> batch) {
  for (Request* request : batch) {
    const std::uint32_t index = line_for(*request);
    Line& line = lines_[index];
    line.request = request;
    if (line.connection.state() == HttpConnection::State::open) {
      send(index);
    } else if (!line.queued) {
      line.queued = true;
      to_connect_.push_back(index);
      connect_queued();
    }
  }
  return false;
}

std::uint32_t HttpExchange::line_for(Request& request) {
  std::uint32_t index = request.user;
  if (lines_[index].request != nullptr) {
    if (spare_.empty()) {
      spare_.push_back(static_cast<std::uint32_t>(lines_.size()));
      lines_.emplace_back(plan_.keeps_body());
    }
    index = spare_.back();
    spare_.pop_back();
  }
  new (request.model_record.data()) std::uint32_t(index);
  return index;
}

void HttpExchange::connect_queued() {
  while (connecting_ < kConnectingAtOnce && !to_connect_.empty()) {
    const std::uint32_t index = to_connect_.front();
    to_connect_.pop_front();
    lines_[index].queued = false;
    if (lines_[index].request != nullptr) connect(index);  // else it was given up in the queue
  }
}

void HttpExchange::connect(std::uint32_t index) {
  Line& line = lines_[index];
  ++line.generation;
  ++connecting_;
  ++counters_.connects;
  if (line.connected_before) ++counters_.reconnects;
  const auto step = line.connection.connect(address_, epoll_.get(), (std::uint64_t{line.generation} << 32) | index);
  if (step == HttpConnection::Step::failed) --connecting_;
  after(index, step);
}

void HttpExchange::send(std::uint32_t index) {
  Line& line = lines_[index];
  after(index, line.connection.send(texts_.text(*line.request)));
}

void HttpExchange::after(std::uint32_t index, HttpConnection::Step step) {
  Line& line = lines_[index];
  switch (step) {
    case HttpConnection::Step::waiting:
      return;
    case HttpConnection::Step::connected: {
      --connecting_;
      line.connected_before = true;
      if (Request* request = line.request) {
        // The user could not send before: the connection was not there.
        const Ns now = clock_.now();
        request->trace.add(Phase::client_wait, request->sent, now);
        request->sent = now;
        send(index);
      }
      return;
    }
    case HttpConnection::Step::answered:
      answered(index);
      return;
    case HttpConnection::Step::failed:
      failed(index);
      return;
  }
}

void HttpExchange::answered(std::uint32_t index) {
  Line& line = lines_[index];
  Request& request = *line.request;
  request.answer_ready = clock_.now();
  ++counters_.responses;
  const http::ClientSession& session = line.connection.session();
  check_answer(plan_, session, request);
  if (request.outcome != measure::Outcome::ok) {
    auto& text = error_texts_[static_cast<std::size_t>(request.error)];
    if (text.empty()) {
      text = "status " + std::to_string(session.status()) + " " + std::string(session.body().substr(0, 200));
    }
  }
  if (request.timed) take_server_timing(session.header("Server-Timing"), request);
  line.connection.next();
  give_back(release(index));
}

void HttpExchange::failed(std::uint32_t index) {
  Line& line = lines_[index];
  const Error& error = line.connection.error();
  auto& text = error_texts_[static_cast<std::size_t>(error.code)];
  if (text.empty()) text = error.message;
  if (Request* request = line.request) {
    request->answer_ready = clock_.now();
    request->fail(error.code);
    request->timed = false;
    give_back(release(index));
  }
}

Request& HttpExchange::release(std::uint32_t index) {
  if (index >= users_) spare_.push_back(index);
  return *std::exchange(lines_[index].request, nullptr);
}

void HttpExchange::give_back(Request& request) {
  request.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &request;
  last_ = &request;
}

Request* HttpExchange::take_all() {
  for (int handled = 0; handled < kEventsAtOnce && next_event_ < events_.size(); ++handled) {
    on_event(events_[next_event_++]);
  }
  if (next_event_ == events_.size()) {
    events_.clear();
    next_event_ = 0;
  }
  connect_queued();
  Request* const taken = first_;
  first_ = last_ = nullptr;
  return taken;
}

void HttpExchange::on_event(const epoll_event& event) {
  if (event.data.u64 == kWake) {
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto n = read(wake_.get(), &drained, sizeof drained);
    return;
  }
  const auto generation = static_cast<std::uint32_t>(event.data.u64 >> 32);
  const auto index = static_cast<std::uint32_t>(event.data.u64);
  if (generation == kPeer) {
    auto& [fd, gone] = peers_[index];
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    gone();
    return;
  }
  Line& line = lines_[index];
  if (line.generation != generation) return;
  const bool connecting = line.connection.state() == HttpConnection::State::connecting;
  const bool whole = line.connection.sent_whole();
  const auto step = line.connection.on_events(event.events);
  if (step == HttpConnection::Step::failed) {
    if (connecting) --connecting_;
    if (whole) ++counters_.unanswered;
  }
  after(index, step);
}

void HttpExchange::wait(const Clock& clock, Deadline deadline) {
  if (!empty()) return;
  events_.resize(kEventsPerWait);
  const Ns left = deadline.left(clock.now());
  const timespec wait{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
  // epoll_wait counts in milliseconds: too coarse for requests that are due.
  const int count = epoll_pwait2(epoll_.get(), events_.data(), static_cast<int>(kEventsPerWait),
                                 deadline.is_never() ? nullptr : &wait, nullptr);
  events_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  next_event_ = 0;
}

void HttpExchange::poke() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_.get(), &one, sizeof one);
}

bool HttpExchange::abandon(Request& request) {
  const std::uint32_t index = *std::launder(reinterpret_cast<std::uint32_t*>(request.model_record.data()));
  Line& line = lines_[index];
  const bool connecting = line.connection.state() == HttpConnection::State::connecting;
  if (connecting) --connecting_;
  if (line.connection.sent_whole()) ++counters_.unanswered;
  // The server was never reached, which is another cause than an answer that did not come.
  request.error =
      line.connection.state() == HttpConnection::State::open ? ErrorCode::timeout : ErrorCode::connect_timeout;
  line.connection.close();
  release(index);
  return true;
}

std::vector<std::pair<ErrorCode, std::string>> HttpExchange::error_texts() const {
  std::vector<std::pair<ErrorCode, std::string>> texts;
  for (std::size_t i = 0; i < error_texts_.size(); ++i) {
    if (!error_texts_[i].empty()) texts.emplace_back(static_cast<ErrorCode>(i), error_texts_[i]);
  }
  return texts;
}

}  // namespace parkbench::load
