#include "parkbench/run/run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "parkbench/run/database_witness.hpp"
#include "parkbench/run/make_model.hpp"

namespace parkbench::run {
namespace {

constexpr Ns kConnectWithin = 15 * kSecond;

/// Answers go from the model straight into the generator's queue.
class ToGenerator final : public models::AnswerSink {
 public:
  explicit ToGenerator(load::AnswerQueue& queue) : queue_(queue) {}
  void answer(measure::Request& request) override { queue_.push(request); }

 private:
  load::AnswerQueue& queue_;
};

/// The generator sees a model as something that takes requests.
class ToModel final : public load::Target {
 public:
  explicit ToModel(models::Model& model) : model_(model) {}
  bool submit(std::span<measure::Request* const> batch) override { return model_.submit(batch); }

 private:
  models::Model& model_;
};

}  // namespace

/// What exists while the run lasts, in the order in which it is made.
struct Run::Parts {
  Parts(const Scenario& scenario, const Clock& clock)
      : sink(answers), books(sink, scenario.limit), resources(scenario.workload, clock) {}

  load::AnswerQueue answers;
  ToGenerator sink;
  models::Books books;
  workload::Resources resources;
  std::optional<DatabaseWitness> witness;
  std::unique_ptr<models::Model> model;
  std::optional<ToModel> target;
  std::optional<load::Generator> generator;
  std::optional<Sampler> sampler;
};

Run::Run(Scenario scenario)
    : scenario_(std::move(scenario)),
      clock_(SteadyClock::instance()),
      started_(clock_.now()),
      thread_("run", [this] { execute(); }) {}

Run::~Run() {
  cancel();
  thread_.join();
}

bool Run::wait(Ns timeout) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::nanoseconds(timeout), [this] { return over_.load(); });
}

void Run::cancel() {
  cancelled_.store(true);
  const std::lock_guard lock(mutex_);
  if (!generating_.load() || over_.load()) return;
  parts_->generator->cancel();
  if (parts_->resources.pool) parts_->resources.pool->close();
}

void Run::execute() {
  std::string failure;
  try {
    set_up();
    parts_->generator->run();
    {
      const std::lock_guard lock(mutex_);
      generating_.store(false);
    }
    evaluate();
  } catch (const Failure& error) {
    failure = std::string(to_string(error.code())) + ": " + error.what();
  } catch (const std::exception& error) {
    failure = std::string("internal: ") + error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    generating_.store(false);
    if (!failure.empty()) report_.status = cancelled_.load() ? "incomplete" : "failed: " + failure;
    over_.store(true);
  }
  ended_.notify_all();
  tear_down();
}

void Run::set_up() {
  auto parts = std::make_unique<Parts>(scenario_, clock_);
  const auto& workload = scenario_.workload;
  std::vector<std::int64_t> expected;
  if (parts->resources.pool) {
    parts->witness.emplace(postgres::Dsn::parse(workload.dsn), [this] { return cancelled_.load(); });
    expected = parts->witness->expected_prices();
    if (expected.size() < workload.products) {
      throw Failure(ErrorCode::not_found, "schema parkbench holds " + std::to_string(expected.size()) + " of " +
                                              std::to_string(workload.products) + " products");
    }
    parts->resources.connect(Deadline::at(clock_.now() + kConnectWithin));
    reads_before_ = parts->witness->table_reads();
  }
  harness_threads_ = measure::read_process_usage().threads + 1;  // and the sampler
  parts->model = make_model(scenario_, parts->resources, parts->books);
  parts->target.emplace(*parts->model);
  parts->generator.emplace(scenario_.load, *parts->target, parts->answers, clock_,
                           static_cast<load::WindowObserver&>(*this), std::move(expected));
  if (scenario_.drop_answers > 0) parts->books.drop_answers(scenario_.drop_answers);
  parts_ = std::move(parts);
  parts_->sampler.emplace(clock_, [this] { return look(); });
  rss_baseline_ = measure::read_process_usage().resident_bytes;
  const std::lock_guard lock(mutex_);
  if (cancelled_.load()) throw Failure(ErrorCode::cancelled, "cancelled during set-up");
  generating_.store(true);
}

Sample Run::look() const {
  Sample sample;
  sample.model = parts_->model->counters();
  if (parts_->resources.pool) sample.pool = parts_->resources.pool->counters();
  const auto progress = parts_->generator->progress();
  sample.ok = progress.ok;
  sample.in_flight = progress.in_flight;
  return sample;
}

Edge Run::edge() const {
  Edge edge;
  edge.at = clock_.now();
  edge.process = measure::read_process_usage();
  edge.generator = measure::read_thread_usage();
  edge.sampler = parts_->sampler->own_usage();
  edge.host = measure::read_host_cpu();
  edge.sample = look();
  edge.sample.at = edge.at;
  edge.sample.process = edge.process;
  return edge;
}

void Run::window_opened() { opened_ = edge(); }

void Run::window_closed() {
  closed_ = edge();
  if (opened_.at == 0) opened_ = closed_;  // cancelled during the warm-up
}

void Run::evaluate() {
  Parts& p = *parts_;
  p.sampler->stop();
  const models::Counters at_end = p.model->counters();
  load::LoadResult result = p.generator->result();
  // The model's own count of what it still holds, without what the generator has written off as timed out.
  const std::int64_t held = at_end.accepted_counted - at_end.answered_counted;
  result.ledger.in_flight_at_end =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, held - static_cast<std::int64_t>(result.abandoned)));
  const auto looks = p.sampler->looks();
  const auto full = p.sampler->full();
  Report report = make_report({.load = result,
                               .opened = opened_,
                               .closed = closed_,
                               .looks = looks,
                               .full = full,
                               .model_at_end = at_end,
                               .harness_threads = harness_threads_,
                               .rss_baseline = rss_baseline_});
  report.guard_mode = std::string(p.model->guard_mode());
  for (std::size_t cause = 0; cause < kErrorCodes; ++cause) {
    const auto text = p.resources.errors.text(static_cast<ErrorCode>(cause));
    if (!text.empty()) report.error_texts.emplace_back(to_string(static_cast<ErrorCode>(cause)), text);
  }
  if (p.resources.pool) {
    p.resources.pool->close();
    report.database_reads_expected = p.resources.table_reads.load();
    if (reads_before_ && !cancelled_.load()) {
      try {
        const auto expected = *reads_before_ + static_cast<std::int64_t>(report.database_reads_expected);
        const auto reads = p.witness->table_reads_at_least(expected);
        if (reads) report.database_reads = *reads - *reads_before_;
      } catch (const Failure&) {
        // A database that is gone by now has failed requests to show; its counters stay "not available".
        report.database_reads.reset();
      }
    }
  }
  report_ = std::move(report);
  report_.status = result.cancelled ? "incomplete" : result.too_short ? "too_short" : "ok";
  if (const std::string why = failed_because(); !why.empty()) report_.status = "failed: " + why;
}

std::string Run::failed_because() const {
  const auto& ledger = report_.ledger;
  const auto text_of = [this](ErrorCode code) {
    for (const auto& [cause, text] : report_.error_texts) {
      if (cause == to_string(code)) return text;
    }
    return std::string();
  };
  for (const ErrorCode lost : {ErrorCode::db_connection_lost, ErrorCode::db_connect}) {
    // Seen in the warm-up it is told as well: the window that follows is not a clean one.
    const auto count = ledger.failures[static_cast<std::size_t>(lost)];
    const std::string text = text_of(lost);
    if (text.empty() || report_.status == "incomplete") continue;
    return std::string(to_string(lost)) + " (" + std::to_string(count) + " requests of the window): " + text;
  }
  if (ledger.ok == 0 && report_.status != "incomplete") {
    std::string why = "no request succeeded";
    for (const auto& [cause, text] : report_.error_texts) why += "; " + cause + ": " + text;
    return why;
  }
  return {};
}

void Run::tear_down() {
  if (!parts_ || !parts_->model) return;
  if (parts_->sampler) parts_->sampler->stop();
  if (parts_->resources.pool) parts_->resources.pool->close();
  parts_->model->stop();
  const std::lock_guard lock(mutex_);
  parts_.reset();
}

Run::Progress Run::progress() const {
  Progress progress;
  progress.elapsed_s = static_cast<double>(clock_.now() - started_) / static_cast<double>(kSecond);
  const std::lock_guard lock(mutex_);
  if (over_.load()) {
    progress.stage = Stage::done;
  } else if (generating_.load()) {
    const auto p = parts_->generator->progress();
    progress.stage = static_cast<Stage>(static_cast<std::uint8_t>(p.stage) + 1);
    progress.ok = p.ok;
    progress.failed = p.failed;
    progress.in_flight = p.in_flight;
  }
  return progress;
}

}  // namespace parkbench::run
