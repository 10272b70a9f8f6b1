#include "parkbench/client/connection.hpp"

#include <cerrno>
#include <string>

#include "parkbench/client/connect.hpp"
#include "parkbench/io/connect_error.hpp"
#include "parkbench/io/socket_calls.hpp"

namespace parkbench::client {

Step Connection::fail(ErrorCode code, int system_error) {
  std::string text = "cannot connect to " + address_.text() + ": " + system_error_text(system_error);
  close();
  error_ = {code, std::move(text)};
  return Step::done;
}

Step Connection::connect() {
  error_ = {};
  int outcome = 0;
  if (state_ == State::closed) {
    outcome = begin_connect(address_, fd_);
    source_.reset(fd_.get());
    state_ = State::connecting;
  } else if (state_ == State::connecting) {
    outcome = end_connect(fd_.get());
  }
  if (outcome == EINPROGRESS) return Step::want_write;
  if (outcome != 0) return fail(io::connect_error(outcome), outcome);
  state_ = State::open;
  return Step::done;
}

Step Connection::send(std::string_view request) {
  error_ = {};
  session_.start(request);
  return step();
}

// An answer cannot be there right after the request: the first read is left to the first wake-up. Behind an answer that
// is not whole it reads until there is nothing, since the edge of an end may have come together with the data.
Step Connection::step() {
  using SessionState = http::ClientSession::State;
  if (session_.state() == SessionState::sending) {
    const Step step = flush();
    if (step != Step::done) return step;
    if (session_.state() == SessionState::reading) return Step::want_read;
  }
  while (session_.state() == SessionState::reading) {
    const io::Moved received = io::receive(fd_.get(), session_.space());
    if (received.not_now()) return Step::want_read;
    if (received.error != 0) {
      session_.broken();
    } else if (received.bytes == 0) {
      session_.ended();
    } else {
      session_.received(received.bytes);
    }
  }
  if (session_.state() == SessionState::failed) {
    error_ = session_.error();
    close();
  }
  return Step::done;
}

Step Connection::flush() {
  while (session_.state() == http::ClientSession::State::sending) {
    const io::Moved sent = io::send(fd_.get(), session_.pending());
    if (sent.not_now()) return Step::want_write;
    if (sent.error != 0) {
      session_.broken();
    } else {
      session_.written(sent.bytes);
    }
  }
  return Step::done;
}

void Connection::recycle() {
  using SessionState = http::ClientSession::State;
  if (state_ != State::open || session_.state() == SessionState::idle) return;
  if (session_.state() != SessionState::done || !session_.keep_alive()) return close();
  session_.reset();
}

void Connection::close() {
  if (state_ == State::closed) return;
  source_.detach();
  fd_.reset();
  session_ = http::ClientSession();
  state_ = State::closed;
}

}  // namespace parkbench::client
