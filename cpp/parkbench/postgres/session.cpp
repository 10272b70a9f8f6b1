#include "parkbench/postgres/session.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>

#include "parkbench/base/error.hpp"
#include "parkbench/postgres/reconnect.hpp"

namespace parkbench::postgres {
namespace {

constexpr std::size_t kCopyChunk = 256 * 1024;

struct ClearResult {
  void operator()(pg_result* result) const { PQclear(result); }
};
using Result = std::unique_ptr<pg_result, ClearResult>;

std::vector<TextRow> text_rows(const pg_result* result) {
  std::vector<TextRow> rows(static_cast<std::size_t>(PQntuples(result)));
  for (int r = 0; r < PQntuples(result); ++r) {
    for (int c = 0; c < PQnfields(result); ++c) {
      auto& row = rows[static_cast<std::size_t>(r)];
      if (PQgetisnull(result, r, c) == 1) {
        row.emplace_back();
      } else {
        row.emplace_back(std::string(PQgetvalue(result, r, c), static_cast<std::size_t>(PQgetlength(result, r, c))));
      }
    }
  }
  return rows;
}

}  // namespace

Session::Session(const Dsn& dsn, Ns connect_within, Check check)
    : clock_(SteadyClock::instance()),
      check_(std::move(check)),
      waiter_(clock_, cell_, gauge_),
      connection_(std::make_shared<const Dsn>(dsn.resolved())) {
  connect(dsn.redacted(), Deadline::at(clock_.now() + connect_within));
}

Session::~Session() = default;

void Session::connect(const std::string& where, Deadline deadline) {
  std::uint32_t attempts = 0;
  for (connection_.start(clock_.now());;) {
    const ConnectStep step = connection_.step();
    if (step == ConnectStep::done) return;
    const Ns now = clock_.now();
    if (step == ConnectStep::failed) {
      // 57P03: the server is there and starting. Nobody there at all is said at once: a wrong address stays wrong.
      const ConnectFailure failure = connection_.failure();
      const Ns again = now + Reconnect::pause_after(++attempts, 0);
      if (sqlstate_of(failure.error.message) != "57P03" || deadline.passed(again)) throw Failure(failure.error);
      waiter_.sleep_until(again, io::WaitReason::connection);
      if (check_) check_();
      connection_.start(clock_.now());
      continue;
    }
    if (deadline.passed(now)) {
      connection_.close();
      throw Failure(ErrorCode::db_connect, "cannot connect to the database (" + where + "): no answer in time");
    }
    const auto interest = step == ConnectStep::want_read ? io::Interest::read : io::Interest::write;
    waiter_.wait_ready(connection_.source(), interest, deadline.earlier(Deadline::at(now + kCheckEvery)));
    if (check_) check_();
  }
}

std::vector<TextRow> Session::execute(const std::string& sql) {
  send(sql);
  std::vector<TextRow> rows;
  std::optional<Error> error;
  while (const Result result{next_result()}) {
    switch (PQresultStatus(result.get())) {
      case PGRES_TUPLES_OK:
        rows = text_rows(result.get());
        break;
      case PGRES_COMMAND_OK:
        rows.clear();
        break;
      case PGRES_EMPTY_QUERY:
        break;
      case PGRES_FATAL_ERROR:
        if (!error) error = result_error(result.get());
        if (error->code == ErrorCode::db_connection_lost) lose();
        break;
      case PGRES_COPY_IN:
        finish_copy("use copy_in");
        break;
      default:
        connection_.close();
        throw Failure(ErrorCode::db_error, "this statement is of a kind that a session does not read");
    }
  }
  if (error) throw Failure(*error);
  return rows;
}

std::int64_t Session::copy_in(const std::string& sql, std::string_view data) {
  send(sql);
  std::optional<Error> error;
  std::int64_t copied = -1;
  while (const Result result{next_result()}) {
    switch (PQresultStatus(result.get())) {
      case PGRES_COPY_IN:
        while (!data.empty()) {
          const auto chunk = data.substr(0, kCopyChunk);
          const int taken = PQputCopyData(connection_.handle(), chunk.data(), static_cast<int>(chunk.size()));
          if (taken < 0) lose();
          if (taken > 0) data.remove_prefix(chunk.size());
          flush();
        }
        finish_copy(nullptr);
        break;
      case PGRES_COMMAND_OK: {
        const std::string_view text = PQcmdTuples(result.get());
        if (copied == -1 && data.empty()) copied = 0;
        std::from_chars(text.data(), text.data() + text.size(), copied);
        break;
      }
      case PGRES_FATAL_ERROR:
        if (!error) error = result_error(result.get());
        if (error->code == ErrorCode::db_connection_lost) lose();
        break;
      default:
        break;
    }
  }
  if (error) throw Failure(*error);
  if (copied < 0) throw Failure(ErrorCode::db_error, "copy_in takes one statement of the form COPY ... FROM STDIN");
  return copied;
}

void Session::close() { connection_.close(); }

void Session::send(const std::string& sql) {
  if (!connection_.ready()) throw Failure(ErrorCode::db_connection_lost, "the session is closed");
  if (PQsendQuery(connection_.handle(), sql.c_str()) == 0) lose();
  flush();
}

void Session::flush() {
  for (;;) {
    const int pending = PQflush(connection_.handle());
    if (pending == 0) return;
    if (pending < 0) lose();
    wait_for(io::Interest::write);
    // The server may be stuck in a write of its own until we read.
    if (PQconsumeInput(connection_.handle()) == 0) lose();
  }
}

void Session::wait_for(io::Interest interest) {
  try {
    for (;;) {
      const Deadline slice = Deadline::at(clock_.now() + kCheckEvery);
      const io::Woken woken = waiter_.wait_ready(connection_.source(), interest, slice);
      if (check_) check_();
      if (!woken.timed_out) return;
    }
  } catch (...) {
    connection_.close();  // an answer is under way that nobody will read
    throw;
  }
}

pg_result* Session::next_result() {
  while (PQisBusy(connection_.handle()) == 1) {
    wait_for(io::Interest::read);
    if (PQconsumeInput(connection_.handle()) == 0) lose();
  }
  return PQgetResult(connection_.handle());
}

void Session::finish_copy(const char* problem) {
  int ended = 0;
  while ((ended = PQputCopyEnd(connection_.handle(), problem)) == 0) wait_for(io::Interest::write);
  if (ended < 0) lose();
  flush();
}

void Session::lose() {
  const Error error = lost_error(connection_.handle());
  connection_.close();
  throw Failure(error);
}

}  // namespace parkbench::postgres
