#pragma once

#include <cstdint>
#include <memory>

#include "parkbench/base/error.hpp"
#include "parkbench/postgres/connection.hpp"
#include "parkbench/postgres/row.hpp"
#include "parkbench/postgres/statement.hpp"

namespace parkbench::postgres {

enum class Step : std::uint8_t { want_read, want_write, done };

/// One execution of a prepared statement, without waiting: the constructor sends, step() goes on, and says what to
/// wait for. A connection that has not prepared the statement yet does so first. Who waits, and how, is the caller's.
///
/// The connection is used by this query alone until step() said done; a query given up before that leaves an answer
/// nobody read, so its connection must be marked broken (abandon()).
class Query {
 public:
  /// @param statement and connection outlive the query.
  Query(Connection& connection, const Statement& statement, const Params& params);
  Query(Connection& connection, const Statement&& statement, const Params& params) = delete;  // it would dangle
  /// Only prepares the statement; done at once where the connection has it.
  struct PrepareOnly {};
  Query(Connection& connection, const Statement& statement, PrepareOnly);

  /// Goes on as far as it can. Drains the socket before it says want_read, as edge-triggered readiness needs.
  Step step();

  /// After done. Errors: db_error (SQLSTATE in the text; the connection stays usable), db_connection_lost.
  bool failed() const { return error_.code != ErrorCode::none; }
  const Error& error() const { return error_; }
  Rows take_rows() { return std::move(rows_); }
  /// Gives up before done; the connection is broken from here.
  void abandon();

  Connection& connection() { return connection_; }

 private:
  enum class Stage : std::uint8_t { preparing, executing, finished };
  void begin();
  void send_prepare();
  void send_execute();
  void read_results();
  void take(pg_result* result);
  void stage_over();
  void lose();

  Connection& connection_;
  const Statement& statement_;
  const Params params_;
  const bool execute_;
  Stage stage_ = Stage::finished;
  bool just_sent_ = false;
  Error error_;
  Rows rows_;
};

}  // namespace parkbench::postgres
