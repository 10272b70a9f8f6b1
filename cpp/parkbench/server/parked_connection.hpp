#pragma once

#include <memory>

#include "parkbench/base/unique_fd.hpp"
#include "parkbench/http/server_session.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/server/connection_table.hpp"
#include "parkbench/service/call.hpp"

namespace parkbench::server {

class VirtualThreadsServer;

/// One connection and the virtual thread that serves it: straight-line code that parks when the socket has nothing.
///
/// A request costs one recv and one send. After a short read the socket is empty, and since its edges are remembered
/// (io::Watch) the thread waits without asking the kernel again, unless the peer has hung up. No timer is armed either:
/// the reaper nudges a connection whose time is up, and the thread then looks at the clock itself.
class ParkedConnection final : public ConnectionEntry {
 public:
  /// Enters itself into the server's table. @throws Failure when the socket cannot be watched; it is closed then.
  ParkedConnection(VirtualThreadsServer& server, UniqueFd fd);
  ~ParkedConnection();
  ParkedConnection(const ParkedConnection&) = delete;
  ParkedConnection& operator=(const ParkedConnection&) = delete;

  /// The virtual thread: serves the connection to its end and destroys it.
  static void run(void* connection);

  /// Ends a wait: its time is up, or the server stops. From any thread, under the table's lock.
  void nudge(io::Interest interest, Ns now) { watch_.nudge(interest, now); }
  bool time_is_up(Ns now) const;

 private:
  void serve();
  void look_for_the_end();
  void read();
  void write();
  void handle();
  void handle_with_model(const service::Route& place);
  void respond(const http::Response& response, service::Route::Kind kind, Ns accepted);
  void stream(service::Reply& reply, bool head);
  bool flush();
  void wait(io::Waiter& waiter, io::Interest interest, State what);

  VirtualThreadsServer& server_;
  UniqueFd socket_;
  io::IoSource source_;
  io::Watch& watch_;
  http::ServerSession session_;
  Ns now_;               // the latest stamp; reading the clock for each step would cost more than it tells
  Ns told_;              // when the bytes that are read next were known to be there
  bool drained_ = true;  // a recv would find nothing, unless the watch says otherwise
  bool winds_down_ = false;
  bool broken_ = false;
};

}  // namespace parkbench::server
