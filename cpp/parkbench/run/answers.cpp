#include "parkbench/run/answers.hpp"

#include <algorithm>

#include "parkbench/load/answer_queue.hpp"
#include "parkbench/run/make_model.hpp"

namespace parkbench::run {
namespace {

class ToQueue final : public models::AnswerSink {
 public:
  void answer(measure::Request& request) override { queue.push(request); }
  load::AnswerQueue queue;
};

constexpr std::size_t kAtOnce = 200;

}  // namespace

std::vector<std::int64_t> answers(const Scenario& scenario) {
  const Clock& clock = SteadyClock::instance();
  workload::Resources resources(scenario.workload, clock);
  resources.connect(Deadline::at(clock.now() + 15 * kSecond));
  ToQueue sink;
  models::Books books(sink, scenario.limit);
  const auto model = make_model(scenario, resources, books);

  std::vector<measure::Request> requests(scenario.workload.products);
  for (std::size_t first = 0; first < requests.size(); first += kAtOnce) {
    std::vector<measure::Request*> batch;
    for (std::size_t i = first; i < std::min(first + kAtOnce, requests.size()); ++i) {
      requests[i].product = static_cast<std::uint32_t>(i + 1);
      requests[i].deadline = Deadline::at(clock.now() + scenario.load.timeout);
      batch.push_back(&requests[i]);
    }
    model->submit(batch);
    for (std::size_t got = 0; got < batch.size();) {
      sink.queue.wait(clock, Deadline::never());
      for (auto* answered = sink.queue.take_all(); answered != nullptr; answered = answered->next) ++got;
    }
  }
  resources.close();
  model->stop();

  std::vector<std::int64_t> prices;
  for (const auto& request : requests) {
    if (request.outcome != measure::Outcome::ok) {
      throw Failure(request.error, "product " + std::to_string(request.product) + ": " +
                                       std::string(to_string(request.error)) + " " +
                                       resources.errors.text(request.error));
    }
    prices.push_back(request.answer);
  }
  return prices;
}

}  // namespace parkbench::run
