#include "parkbench/run/run.hpp"

#include <chrono>
#include <exception>

#include "parkbench/run/direct_run.hpp"
#include "parkbench/run/http_run.hpp"

namespace parkbench::run {
namespace {

std::unique_ptr<Execution> make_execution(const Scenario& scenario, const std::atomic<bool>& cancelled) {
  if (scenario.transport == Transport::http) return std::make_unique<HttpRun>(scenario, cancelled);
  return std::make_unique<DirectRun>(scenario, cancelled);
}

}  // namespace

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
  execution_->generator().cancel();
  execution_->fail_waiting();
}

void Run::execute() {
  std::unique_ptr<Execution> execution;
  std::string failure;
  try {
    execution = make_execution(scenario_, cancelled_);
    execution->set_up();
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_.load()) throw Failure(ErrorCode::cancelled, "cancelled during set-up");
      execution_ = std::move(execution);
      generating_.store(true);
    }
    execution_->generator().run();
    {
      const std::lock_guard lock(mutex_);
      generating_.store(false);
    }
    report_ = execution_->evaluate();
  } catch (const Failure& error) {
    const bool named = error.code() == ErrorCode::none;  // the text says it all
    failure = (named ? "" : std::string(to_string(error.code())) + ": ") + error.what();
  } catch (const std::exception& error) {
    failure = std::string("internal: ") + error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    generating_.store(false);
    if (!failure.empty()) report_.status = cancelled_.load() ? "incomplete" : "failed: " + failure;
    if (execution_) execution = std::move(execution_);
    over_.store(true);
  }
  ended_.notify_all();
  execution.reset();  // may take as long as the longest request
}

Run::Progress Run::progress() const {
  Progress progress;
  progress.elapsed_s = static_cast<double>(clock_.now() - started_) / static_cast<double>(kSecond);
  const std::lock_guard lock(mutex_);
  if (over_.load()) {
    progress.stage = Stage::done;
  } else if (generating_.load()) {
    const auto p = execution_->generator().progress();
    progress.stage = static_cast<Stage>(static_cast<std::uint8_t>(p.stage) + 1);
    progress.ok = p.ok;
    progress.failed = p.failed;
    progress.in_flight = p.in_flight;
  }
  return progress;
}

}  // namespace parkbench::run
