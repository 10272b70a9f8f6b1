#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/io/receive_time.hpp"
#include "parkbench/postgres/dsn.hpp"
#include "parkbench/postgres/pg_error.hpp"
#include "parkbench/postgres/statement.hpp"

namespace parkbench::postgres {

enum class ConnectionState : std::uint8_t {
  closed,      // no socket
  connecting,  // start() was called, step() is to be called until done or failed
  ready,       // one query at a time
  broken,      // lost, or it holds an answer nobody read: only start() and close() are left
};

enum class ConnectStep : std::uint8_t { want_read, want_write, done, failed };

/// One connection to the server, never waiting: who uses it waits for source() and calls again. One thread at a time.
class Connection {
 public:
  /// @param dsn resolved, so that connecting asks no name server.
  explicit Connection(std::shared_ptr<const Dsn> dsn, std::uint32_t number = 0);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Begins to connect; closes what was there.
  void start(Ns now);
  /// When the attempt under way was begun.
  Ns started_at() const { return started_at_; }
  /// Goes on connecting. After want_read or want_write: wait for source(), then call again. A call too early does
  /// nothing and says the same again.
  ConnectStep step();
  /// Why step() said failed.
  const ConnectFailure& failure() const { return failure_; }

  ConnectionState state() const { return state_; }
  bool ready() const { return state_ == ConnectionState::ready; }
  /// Ready and the server has not hung up meanwhile; one system call, for connections that lay idle.
  bool looks_alive();
  /// A transaction is open (or failed): whoever takes the connection next must not get it so.
  bool transaction_open() const;
  void mark_broken();
  void close();

  io::IoSource& source() { return source_; }
  /// Number within its pool.
  std::uint32_t number() const { return number_; }
  /// The server's process, 0 when not connected.
  int backend_pid() const;

  bool is_prepared(const Statement& statement) const;
  void remember_prepared(const Statement& statement);
  /// For this layer only.
  pg_conn* handle() const { return handle_; }

  /// When the kernel had what the socket holds now, on the steady clock: at the end of a wait that was told at `told`,
  /// before anything is read. `told` itself where the kernel does not say: a unix socket, or nothing is there.
  /// @param sent when the wait had begun; what the kernel says is between the two.
  Ns arrived(Ns sent, Ns told);
  bool has_receive_times() const { return has_receive_times_; }
  /// A statement is answered; counted in the pool's figures. @param at as arrived() said, told as the waiter did.
  void count_result(Ns at, Ns told) { ++(at < told ? stamped_ : told_); }

 private:
  friend class ConnectionPool;
  ConnectStep fail();

  const std::shared_ptr<const Dsn> dsn_;
  const std::uint32_t number_;
  pg_conn* handle_ = nullptr;
  // libpq closes its descriptor by itself when the server hangs up, and the number may be another socket's before we
  // hear of it. The poller therefore knows a duplicate that only we close.
  UniqueFd watched_;
  io::IoSource source_;
  ConnectionState state_ = ConnectionState::closed;
  ConnectStep wanted_ = ConnectStep::done;  // what step() said last; done before its first call
  Ns started_at_ = 0;
  ConnectFailure failure_;
  std::vector<std::string> prepared_;
  bool has_receive_times_ = false;
  io::SteadyOffset offset_;
  // The pool's, kept here because who holds the connection has it alone.
  Ns taken_at_ = 0;
  std::uint64_t stamped_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace parkbench::postgres
