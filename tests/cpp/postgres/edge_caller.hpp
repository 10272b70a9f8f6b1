#pragma once

#include <gtest/gtest.h>

#include "parkbench/io/poller.hpp"
#include "parkbench/postgres/query.hpp"

namespace parkbench::postgres::testing {

/// Notes that it was called.
struct Told final : io::ReadyWaiter {
  void on_ready(Ns /*told*/) override { called = true; }
  bool called = false;
};

/// Waits on the poller as virtual threads and loops do: one edge per arrival. Fails the test after 20 s of silence.
inline bool wait_for_edge(io::IoSource& source, io::Interest interest, io::Poller& poller) {
  Told told;
  io::Watch& watch = source.watch_at(poller);
  if (watch.wait(interest, told)) return true;
  for (int i = 0; i < 20 && !told.called; ++i) poller.poll(kSecond);
  if (!told.called) watch.cancel(interest, told);
  return told.called;
}

inline void finish_on_edges(Query& query, io::Poller& poller) {
  for (Step step = query.step(); step != Step::done; step = query.step()) {
    const auto interest = step == Step::want_read ? io::Interest::read : io::Interest::write;
    ASSERT_TRUE(wait_for_edge(query.connection().source(), interest, poller)) << "no edge: bytes were left unread";
  }
}

}  // namespace parkbench::postgres::testing
