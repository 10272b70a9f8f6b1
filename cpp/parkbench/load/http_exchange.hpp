#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "parkbench/base/unique_fd.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/load/exchange.hpp"
#include "parkbench/load/http_connection.hpp"
#include "parkbench/load/http_plan.hpp"
#include "parkbench/load/request_texts.hpp"

namespace parkbench::load {

/// What the connections of a run went through.
struct HttpCounters {
  std::uint64_t connects = 0;
  std::uint64_t reconnects = 0;  // of a user who had been connected before
  std::uint64_t responses = 0;   // whole answers
  std::uint64_t unanswered = 0;  // requests that went out whole and got none
};

/// Sends requests over HTTP/1.1, one keep-alive connection per user, all on the generator's own thread.
///
/// A request goes out at once on its user's connection (with overlapping rounds a user can have two under way: then on
/// a spare one). Where there is none yet, connecting is the request's `client_wait`. A request that is given up takes
/// its connection with it, so that its answer can never be taken for the next one's. Nothing is sent twice.
class HttpExchange final : public Exchange {
 public:
  HttpExchange(const HttpPlan& plan, std::uint32_t users, const Clock& clock);

  bool submit(std::span<measure::Request* const> batch) override;
  /// One, so that each is stamped when it goes out.
  std::size_t batch() const override { return 1; }
  measure::Request* take_all() override;
  bool empty() const override { return next_event_ == events_.size() && first_ == nullptr; }
  bool stamps_answers() const override { return true; }
  void wait(const Clock& clock, Deadline deadline) override;
  void poke() override;
  bool abandon(measure::Request& request) override;

  /// Calls gone once, on the generator's thread, when the other end of a connected socket is closed.
  void watch_peer(int fd, UniqueFunction<void()> gone);

  const HttpCounters& counters() const { return counters_; }
  /// The first text of each kind of error.
  std::vector<std::pair<ErrorCode, std::string>> error_texts() const;

 private:
  struct Line {
    explicit Line(bool keep_body) : connection(keep_body) {}
    HttpConnection connection;
    measure::Request* request = nullptr;
    std::uint32_t generation = 0;  // of the connection: an event of an earlier one is dropped
    bool queued = false;           // in to_connect_
    bool connected_before = false;
  };

  std::uint32_t line_for(measure::Request& request);
  void connect(std::uint32_t index);
  void connect_queued();
  void send(std::uint32_t index);
  void on_event(const epoll_event& event);
  void after(std::uint32_t index, HttpConnection::Step step);
  void answered(std::uint32_t index);
  void failed(std::uint32_t index);
  void give_back(measure::Request& request);
  measure::Request& release(std::uint32_t index);

  // Few, so that an answer's successor goes out before much else is read: 4 reads are about 10 us.
  static constexpr int kEventsAtOnce = 4;
  static constexpr std::size_t kEventsPerWait = 64;
  // Below any listen backlog: a connect too many is dropped by the kernel and tried again only after a second.
  static constexpr int kConnectingAtOnce = 256;
  static constexpr std::uint32_t kPeer = 0xFFFF'FFFF;  // a generation that no connection reaches
  static constexpr std::uint64_t kWake = ~std::uint64_t{0};

  const HttpPlan plan_;
  const SocketAddress address_;
  const Clock& clock_;
  RequestTexts texts_;
  UniqueFd epoll_;
  UniqueFd wake_;
  const std::uint32_t users_;
  std::deque<Line> lines_;  // by user, then spare ones
  std::vector<std::uint32_t> spare_;
  std::deque<std::uint32_t> to_connect_;
  int connecting_ = 0;
  std::vector<epoll_event> events_;
  std::size_t next_event_ = 0;
  measure::Request* first_ = nullptr;  // answered, not taken yet
  measure::Request* last_ = nullptr;
  std::vector<std::pair<int, UniqueFunction<void()>>> peers_;
  HttpCounters counters_;
  std::array<std::string, kErrorCodes> error_texts_;
};

}  // namespace parkbench::load
