#pragma once

#include <vector>

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/server/connection_loop.hpp"
#include "parkbench/server/pages.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/thread_pool/thread_pool.hpp"

namespace parkbench::server {

/// The thread pool as a service, built as Tomcat is: one I/O thread takes connections, reads and parses; a complete
/// request is a task of the pool, whose worker waits, computes and writes the answer. A connection without a complete
/// request holds no worker.
///
/// A full queue: reject answers 503; block and caller_runs hold up the I/O thread, and with it every connection, until
/// there is room or the request is done. A stream is written by its worker, which waits for a slow reader.
class ThreadPoolServer final : public Server {
 public:
  /// @param resources must outlive the server.
  /// @throws Failure as Listener and ThreadPool.
  ThreadPoolServer(const ServerOptions& options, thread_pool::ThreadPoolOptions pool, workload::Resources& resources);
  ~ThreadPoolServer() override;

  std::uint16_t port() const override { return place_.port(); }
  ServerCounters server_counters() const override;
  std::int64_t accept_queue() const override { return place_.waiting(); }
  /// The I/O thread is counted with the workers, as idle or on_cpu.
  models::Counters counters() const override;
  /// The I/O thread first, then the workers.
  std::vector<int> thread_ids() const override;
  void stop() override;

 private:
  class Connection;
  /// Gives the requests of one turn of the loop to the pool, under one lock and with one wake-up.
  class Submission final : public reactive::Task {
   public:
    explicit Submission(ThreadPoolServer& server) : server_(server) {}
    void add(Connection& connection);
    void run() override;

   private:
    ThreadPoolServer& server_;
    std::vector<thread_pool::Task> tasks_;
    std::vector<thread_pool::Task> submitted_;
  };

  const ServerOptions options_;
  NoSink sink_;
  models::Books books_;
  ConnectionTable table_;
  RequestTally tally_;
  ServerPages pages_;
  Shared shared_;
  mutable reactive::EventLoop loop_;
  Submission submission_;
  ConnectionLoop place_;
  thread_pool::ThreadPool pool_;
};

}  // namespace parkbench::server
