#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/postgres/connection.hpp"

namespace parkbench::postgres {

/// Values as text, as the server writes them; nothing for a null.
using TextRow = std::vector<std::optional<std::string>>;

/// One blocking connection for setting up and checking: create a schema, copy data in, read counters. Never for
/// measuring. One thread at a time.
class Session {
 public:
  /// Called every 50 ms while the session waits; what it throws ends the wait and passes through (Ctrl-C).
  using Check = UniqueFunction<void()>;
  static constexpr Ns kConnectWithin = 5 * kSecond;
  static constexpr Ns kCheckEvery = 50 * kMillisecond;

  /// Connects; waits for a server that is just starting, refuses at once what cannot succeed later.
  /// @throws Failure(db_connect) with the SQLSTATE where the server gave one, never with the password.
  explicit Session(const Dsn& dsn, Ns connect_within = kConnectWithin, Check check = {});
  ~Session();

  /// Runs SQL, one statement or several; gives the rows of the last.
  /// @throws Failure: db_error ("SQLSTATE 42P01: ..."), db_connection_lost.
  std::vector<TextRow> execute(const std::string& sql);
  /// Runs `COPY ... FROM STDIN` over data.
  /// @return rows copied.
  /// @throws as execute; also db_error when sql is no such COPY.
  std::int64_t copy_in(const std::string& sql, std::string_view data);
  /// Closes; a second call does nothing, later statements throw db_connection_lost.
  void close();

 private:
  void connect(const std::string& where, Deadline deadline);
  void send(const std::string& sql);
  void flush();
  void wait_for(io::Interest interest);
  pg_result* next_result();
  void finish_copy(const char* problem);
  [[noreturn]] void lose();

  const Clock& clock_;
  Check check_;
  io::ThreadStateCell cell_;
  io::WaitGauge gauge_;
  io::BlockingWaiter waiter_;
  Connection connection_;
};

}  // namespace parkbench::postgres
