#pragma once

#include "parkbench/load/answer_queue.hpp"
#include "parkbench/load/exchange.hpp"
#include "parkbench/load/target.hpp"

namespace parkbench::load {

/// Hands requests to a target in the same process and takes the answers from a queue.
class DirectExchange final : public Exchange {
 public:
  /// @param all_timed every answer tells its phases; else those that were asked to, because it costs the target
  /// something.
  DirectExchange(Target& target, AnswerQueue& answers, bool all_timed = true)
      : target_(target), answers_(answers), all_timed_(all_timed) {}

  bool submit(std::span<measure::Request* const> batch) override { return target_.submit(batch); }
  std::size_t batch() const override { return 64; }
  measure::Request* take_all() override {
    measure::Request* const first = answers_.take_all();
    for (measure::Request* r = first; all_timed_ && r != nullptr; r = r->next) r->timed = true;
    return first;
  }
  bool empty() const override { return answers_.empty(); }
  bool stamps_answers() const override { return false; }
  void wait(const Clock& clock, Deadline deadline) override { answers_.wait(clock, deadline); }
  void poke() override { answers_.poke(); }
  bool abandon(measure::Request& /*request*/) override { return false; }  // the target still has it

 private:
  Target& target_;
  AnswerQueue& answers_;
  const bool all_timed_;
};

}  // namespace parkbench::load
