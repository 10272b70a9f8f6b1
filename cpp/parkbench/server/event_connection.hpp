#pragma once

#include <optional>

#include "parkbench/base/timer_queue.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/http/server_session.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/reactive/task.hpp"
#include "parkbench/server/connection_table.hpp"
#include "parkbench/service/route.hpp"

namespace parkbench::server {

class ConnectionLoop;

/// An accepted socket between a loop's poller and an HTTP session: reads, has complete requests handled, writes.
///
/// It waits by itself (io::ReadyWaiter), once registered and edge-triggered, so that a request costs one recv and one
/// send: after a short read the socket is empty, unless the peer has hung up.
///
/// Who may touch it: the loop's thread; while a request is handled elsewhere, that thread instead. Whoever gives it
/// back does so by one atomic step, a wait or a task posted to the loop, and looks at it no more. That somebody waits
/// is therefore the sign that the loop may take it (time limits, the end of the server).
class EventConnection : private io::ReadyWaiter, private TimerNode, private reactive::Task {
 public:
  EventConnection(ConnectionLoop& home, UniqueFd fd, Ns now);
  EventConnection(const EventConnection&) = delete;
  EventConnection& operator=(const EventConnection&) = delete;

 protected:
  virtual ~EventConnection();

  /// A request is complete: answer it here, or later and then resume(). On the loop's thread; another one may have the
  /// connection only when this call's turn is over, so by way of a task posted to the loop.
  virtual void handle() = 0;
  /// The socket has taken all of a stream so far: give more, or later and then resume(). On the loop's thread.
  virtual void feed() = 0;
  /// The socket is closed, the loop has forgotten the connection; it ends itself.
  virtual void closed() = 0;

  /// Goes on with whatever the session wants. On the loop's thread, at any time.
  void resume(Ns now);
  /// The same from another thread, which gives the connection back to the loop.
  void give_back();
  /// Gives an idle connection back without a task for the loop, which hears of it with the next request. False: it
  /// must be given back.
  bool give_back_idle();

  enum class Sent : unsigned char { all, blocked, broken };
  /// Writes what the socket takes of pending().
  Sent send_pending(Ns now);
  /// Takes the complete request into the model's books, under a clean account. Nothing when it is answered already: it
  /// needs no model, leads nowhere, or the admission limit is reached. On the loop's thread.
  std::optional<service::Route> admit(measure::Request& account);
  /// Answers the request, or begins to, and counts it. On the thread that has the connection, as all below.
  void respond(const http::Response& response, Ns now);
  void begin_stream(const http::Response& head, Ns now);
  /// Says what is being done, for /dump.
  void set_state(ConnectionEntry::State state, Ns since);

  ConnectionLoop& home_;
  http::ServerSession session_;
  ConnectionEntry entry_;
  Ns now_;  // the latest stamp at hand; reading the clock again for each step would cost more than it tells
  bool broken_ = false;  // the peer is gone: nothing more can be sent

 private:
  friend class ConnectionLoop;

  void on_ready(Ns told) override;
  void run() override;
  void drive();
  bool receive();
  bool transmit();
  bool wait(io::Interest interest);
  bool take_back();
  bool gone() const;
  void time_is_up(Ns now);
  void wind_down(Ns now);
  void count(int status, Ns now);
  void close();

  UniqueFd fd_;
  io::Watch* watch_;
  bool readable_ = false;  // a recv may find something
  bool driving_ = false;
  bool refused_ = false;  // by the protocol, and counted
  // The loop's list of its connections.
  EventConnection* next_ = nullptr;
  EventConnection* previous_ = nullptr;
};

}  // namespace parkbench::server
