#include "parkbench/postgres/connection.hpp"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "parkbench/base/error.hpp"

namespace parkbench::postgres {
namespace {

void ignore_notice(void* /*unused*/, const pg_result* /*notice*/) {}

/// errno read where no compiler can move it across a switch of threads.
[[gnu::noinline]] bool nothing_to_read(int fd) {
  char byte = 0;
  const auto n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

Connection::Connection(std::shared_ptr<const Dsn> dsn, std::uint32_t number) : dsn_(std::move(dsn)), number_(number) {}

Connection::~Connection() { close(); }

void Connection::start(Ns now) {
  close();
  started_at_ = now;
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : dsn_->options()) {
    if (keyword == "application_name") continue;
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.insert(keywords.end(), {"application_name", nullptr});
  values.insert(values.end(), {"parkbench", nullptr});

  failure_ = {};
  handle_ = PQconnectStartParams(keywords.data(), values.data(), 0);
  state_ = ConnectionState::connecting;
  wanted_ = ConnectStep::done;
  if (handle_ == nullptr) return;
  PQsetNoticeReceiver(handle_, &ignore_notice, nullptr);
  PQsetErrorVerbosity(handle_, PQERRORS_VERBOSE);  // puts the SQLSTATE into the text, the only place it can be had
}

ConnectStep Connection::step() {
  if (handle_ == nullptr || PQstatus(handle_) == CONNECTION_BAD) return fail();
  auto polled = PGRES_POLLING_WRITING;  // libpq's rule: before the first poll, wait as if it had said so
  if (wanted_ != ConnectStep::done) {
    // libpq takes a call for the news that its socket is ready, and would write to one that is not connected yet.
    const bool for_read = wanted_ == ConnectStep::want_read;
    if (PQsocketPoll(watched_.get(), for_read ? 1 : 0, for_read ? 0 : 1, 0) == 0) return wanted_;
    // The poll may close the socket and try the next address: nobody may watch it meanwhile.
    source_.detach();
    watched_.reset();
    polled = PQconnectPoll(handle_);
  }
  if (polled == PGRES_POLLING_FAILED) return fail();
  watched_ = UniqueFd(fcntl(PQsocket(handle_), F_DUPFD_CLOEXEC, 0));
  if (!watched_) {
    failure_ = {
        {ErrorCode::db_connect, "no descriptor is left for a database connection (each takes two); raise `ulimit -n`"},
        false};
    mark_broken();
    return ConnectStep::failed;
  }
  source_.reset(watched_.get());
  if (polled != PGRES_POLLING_OK) {
    wanted_ = polled == PGRES_POLLING_READING ? ConnectStep::want_read : ConnectStep::want_write;
    return wanted_;
  }
  PQsetnonblocking(handle_, 1);
  has_receive_times_ = io::ask_for_receive_times(watched_.get());
  state_ = ConnectionState::ready;
  return ConnectStep::done;
}

ConnectStep Connection::fail() {
  failure_ = connect_failure(handle_, dsn_->redacted());
  mark_broken();
  return ConnectStep::failed;
}

bool Connection::looks_alive() {
  if (state_ != ConnectionState::ready) return false;
  if (nothing_to_read(watched_.get())) return true;
  // Something came by itself: a notice, a changed setting, or the server's last words.
  const bool alive = PQconsumeInput(handle_) == 1 && PQstatus(handle_) == CONNECTION_OK && PQisBusy(handle_) == 0 &&
                     nothing_to_read(watched_.get());
  if (!alive) mark_broken();
  return alive;
}

Ns Connection::arrived(Ns sent, Ns told) {
  if (!has_receive_times_) return told;
  const Ns received = io::receive_time(watched_.get());
  if (received == 0) return told;
  const Ns at = offset_.to_steady(received, told);
  return at >= sent && at < told ? at : told;  // outside: the wall clock has jumped
}

bool Connection::transaction_open() const {
  return handle_ != nullptr && state_ == ConnectionState::ready && PQtransactionStatus(handle_) != PQTRANS_IDLE;
}

void Connection::mark_broken() {
  if (state_ != ConnectionState::closed) state_ = ConnectionState::broken;
}

void Connection::close() {
  source_.reset(-1);
  watched_.reset();
  has_receive_times_ = false;
  if (handle_ != nullptr) PQfinish(handle_);
  handle_ = nullptr;
  prepared_.clear();
  state_ = ConnectionState::closed;
}

int Connection::backend_pid() const { return handle_ == nullptr ? 0 : PQbackendPID(handle_); }

bool Connection::is_prepared(const Statement& statement) const {
  return std::find(prepared_.begin(), prepared_.end(), statement.name) != prepared_.end();
}

void Connection::remember_prepared(const Statement& statement) {
  if (!statement.name.empty() && !is_prepared(statement)) prepared_.push_back(statement.name);
}

}  // namespace parkbench::postgres
