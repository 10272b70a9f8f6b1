#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "parkbench/measure/request.hpp"
#include "parkbench/models/model.hpp"

namespace parkbench::models {

/// What a model has accepted, begun and answered: its own account, kept apart from the generator's, so that the two
/// can be held against each other. Counts are spread over cache lines by thread; two carriers that count on one line
/// cost each other 40 ns a request.
class Books {
 public:
  /// @param limit admission limit, nothing: none.
  Books(AnswerSink& sink, std::optional<std::int64_t> limit) : sink_(sink), limit_(limit) {}

  /// Takes the request in; false when the limit is reached (then refuse() it). One thread at a time: the generator's.
  bool accept(measure::Request& request, Ns at);
  /// The same from any thread: a server's.
  bool accept_from_any(measure::Request& request, Ns at);
  void begin() { mine().begun.fetch_add(1, std::memory_order_relaxed); }
  /// Hands an executed request back. The request belongs to the generator afterwards.
  void answer(measure::Request& request);
  /// Answers a request that was not taken in, or could not be kept.
  void refuse(measure::Request& request, Ns at);

  /// Fills in queued, held, accepted_counted, answered_counted.
  void report(Counters& counters) const;
  std::int64_t held() const;
  /// Blocks the calling thread until everything accepted is answered; looks every millisecond, for the end of a run.
  void wait_until_empty(const Clock& clock) const;

  /// Tests only: the next n answers vanish between the model and the generator.
  void drop_answers(int n) { to_drop_.store(n, std::memory_order_relaxed); }

 private:
  struct alignas(64) Shard {
    std::atomic<std::int64_t> accepted{0};  // by accept_from_any
    std::atomic<std::int64_t> begun{0};
    std::atomic<std::int64_t> answered{0};
    std::atomic<std::int64_t> answered_counted{0};
  };
  static constexpr std::size_t kShards = 16;
  Shard& mine();
  std::int64_t accepted() const;

  AnswerSink& sink_;
  const std::optional<std::int64_t> limit_;
  std::atomic<std::int64_t> admitted_{0};  // only with a limit, by accept_from_any: taken in, not answered
  std::atomic<std::int64_t> accepted_{0};
  std::atomic<std::int64_t> accepted_counted_{0};
  std::atomic<int> to_drop_{0};
  std::array<Shard, kShards> shards_;
};

}  // namespace parkbench::models
