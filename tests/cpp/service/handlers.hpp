#pragma once

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>

#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/service/handle_blocking.hpp"
#include "parkbench/service/handle_reactive.hpp"

namespace parkbench::service::testing {

inline workload::Options without_database() {
  workload::Options options;
  options.kind = workload::Kind::noop;
  return options;
}

/// Runs one request through a handler, with the account that a server would keep.
struct Handled {
  explicit Handled(workload::Options options = without_database())
      : resources(std::move(options), SteadyClock::instance()) {
    resources.connect(Deadline::at(resources.clock.now() + 20 * kSecond));
    http.path = "/test";
    loop.start();
  }
  ~Handled() { resources.close(); }  // the loop's poller knows of its connections

  http::Response blocking(const Route& route) {
    account = {};
    account.accepted = resources.clock.now();
    account.deadline = deadline;
    io::ThreadStateCell cell;
    io::WaitGauge gauge;
    io::BlockingWaiter waiter(resources.clock, cell, gauge);
    Reply reply = handle_blocking(resources, route, {http, account}, waiter);
    rows.clear();
    for (std::string piece; reply.rows && (*reply.rows)(piece, waiter);) rows += piece;
    return reply.response;
  }

  http::Response reactive(const Route& route) {
    account = {};
    account.accepted = resources.clock.now();
    account.deadline = deadline;
    rows.clear();
    http::Response response;
    const auto over = std::make_shared<std::latch>(1);
    loop.post([&, over] {
      handle_reactive(resources, route, {http, account}, loop)
          .subscribe(
              [&, over](ReactiveReply reply) {
                response = std::move(reply.response);
                if (!reply.rows) return over->count_down();
                reply.rows->subscribe([&](std::string piece) { rows += piece; },
                                      [over](const Error&) { over->count_down(); }, [over] { over->count_down(); });
              },
              [&, over](const Error& error) {
                ADD_FAILURE() << "the handler failed: " << error.message;
                over->count_down();
              });
    });
    over->wait();
    const auto let_go = std::make_shared<std::latch>(1);  // the turn is over that had the account
    loop.post([let_go] { let_go->count_down(); });
    let_go->wait();
    return response;
  }

  workload::Resources resources;
  reactive::EventLoop loop;
  http::Request http;
  measure::Request account;
  Deadline deadline = Deadline::never();
  std::string rows;  // of a stream
};

}  // namespace parkbench::service::testing
