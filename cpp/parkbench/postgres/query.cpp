#include "parkbench/postgres/query.hpp"

#include <libpq-fe.h>
#include <sys/socket.h>

#include <array>

namespace parkbench::postgres {
namespace {

[[gnu::noinline]] bool more_to_read(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;  // 0 is the end of the stream: libpq must see it
}

}  // namespace

Query::Query(Connection& connection, const Statement& statement, const Params& params)
    : connection_(connection), statement_(statement), params_(params), execute_(true) {
  begin();
}

Query::Query(Connection& connection, const Statement& statement, PrepareOnly /*unused*/)
    : connection_(connection), statement_(statement), execute_(false) {
  begin();
}

void Query::begin() {
  if (!connection_.ready()) {
    error_ = {ErrorCode::db_connection_lost, "the connection is not open"};
  } else if (!connection_.is_prepared(statement_)) {
    send_prepare();
  } else if (execute_) {
    send_execute();
  }
}

void Query::send_prepare() {
  stage_ = Stage::preparing;
  just_sent_ = true;
  const auto& types = statement_.parameter_types;
  if (PQsendPrepare(connection_.handle(), statement_.name.c_str(), statement_.sql.c_str(),
                    static_cast<int>(types.size()), types.data()) == 0) {
    lose();
  }
}

void Query::send_execute() {
  stage_ = Stage::executing;
  just_sent_ = true;
  std::array<const char*, Params::kMost> values{};
  std::array<int, Params::kMost> lengths{};
  std::array<int, Params::kMost> formats{};
  for (int i = 0; i < params_.size(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    values[n] = params_.value(i);
    lengths[n] = Params::kBytesEach;
    formats[n] = 1;
  }
  if (PQsendQueryPrepared(connection_.handle(), statement_.name.c_str(), params_.size(), values.data(), lengths.data(),
                          formats.data(), 1) == 0) {
    lose();
  }
}

Step Query::step() {
  while (stage_ != Stage::finished) {
    pg_conn* const handle = connection_.handle();
    const int flushed = PQflush(handle);
    if (flushed < 0) {
      lose();
      break;
    }
    if (flushed > 0) return Step::want_write;
    // No answer can be there yet: a read now would only cost a system call to learn that.
    if (std::exchange(just_sent_, false)) return Step::want_read;
    if (PQconsumeInput(handle) == 0) {
      lose();
      break;
    }
    read_results();
    if (stage_ == Stage::finished || just_sent_) continue;
    if (!more_to_read(connection_.source().fd())) return Step::want_read;
  }
  return Step::done;
}

void Query::read_results() {
  pg_conn* const handle = connection_.handle();
  while (stage_ != Stage::finished && PQisBusy(handle) == 0) {
    pg_result* const result = PQgetResult(handle);
    if (result == nullptr) {
      stage_over();
      return;
    }
    take(result);
  }
}

void Query::take(pg_result* result) {
  Rows owner(result);
  switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
      rows_ = std::move(owner);
      return;
    case PGRES_FATAL_ERROR:
      if (failed()) return;
      error_ = result_error(result);
      if (error_.code != ErrorCode::db_connection_lost) return;
      break;
    default:  // COPY and the like: nobody here could end it
      error_ = {ErrorCode::db_error, "a prepared statement must not copy"};
      break;
  }
  connection_.mark_broken();
  stage_ = Stage::finished;
}

void Query::stage_over() {
  const bool prepared = stage_ == Stage::preparing && !failed();
  stage_ = Stage::finished;
  if (!prepared) return;
  connection_.remember_prepared(statement_);
  rows_ = Rows();
  if (execute_) send_execute();
}

void Query::lose() {
  error_ = lost_error(connection_.handle());
  connection_.mark_broken();
  stage_ = Stage::finished;
}

void Query::abandon() {
  if (stage_ == Stage::finished) return;
  connection_.mark_broken();
  stage_ = Stage::finished;
}

}  // namespace parkbench::postgres
