#include "parkbench/models/reactive_model.hpp"

#include <new>

#include "parkbench/models/thread_counts.hpp"
#include "parkbench/reactive/callback.hpp"
#include "parkbench/workload/run_reactive.hpp"

namespace parkbench::models {

using measure::Phase;
using measure::Request;

/// A request on its way to a loop; lives in the request's model_record.
struct ReactiveModel::Start final : reactive::Task {
  Start(ReactiveModel& m, Request& r) : model(m), request(r) {}
  void run() override { model.subscribe(request); }
  ReactiveModel& model;
  Request& request;
};

ReactiveModel::ReactiveModel(int loops, workload::Resources& resources, Books& books)
    : resources_(resources), books_(books), loops_(static_cast<std::size_t>(loops), {.clock = &resources.clock}) {
  loops_.start();
  for (std::size_t i = 0; i < loops_.size(); ++i) loops_.loop(i).lag().start();
}

bool ReactiveModel::submit(std::span<Request* const> batch) {
  static_assert(sizeof(Start) <= sizeof(Request::model_record));
  const Ns now = resources_.clock.now();
  tasks_.clear();
  for (Request* request : batch) {
    if (books_.accept(*request, now)) {
      tasks_.push_back(new (request->model_record.data()) Start(*this, *request));
    } else {
      books_.refuse(*request, now);
    }
  }
  // In shares as equal as can be; the loop that takes the odd one changes from batch to batch.
  std::span<reactive::Task* const> left(tasks_);
  for (std::size_t shares = loops_.size(); shares > 0 && !left.empty(); --shares) {
    const std::size_t share = (left.size() + shares - 1) / shares;
    loops_.next().post_all(left.first(share));
    left = left.subspan(share);
  }
  return false;
}

void ReactiveModel::subscribe(Request& request) {
  books_.begin();
  const Ns begin = resources_.clock.now();
  request.trace.add(Phase::queue, request.accepted, begin);
  request.trace.begin(Phase::cpu, begin);
  if (request.deadline.passed(begin)) {
    request.fail(ErrorCode::timeout);
    finish(request);
    return;
  }
  if (resources_.plants.any()) resources_.plants.begin(resources_, request, nullptr);
  try {
    workload::run_reactive(resources_, request, *reactive::EventLoop::current())
        .subscribe(
            [this, &request](std::int64_t price) {
              request.succeed(price);
              finish(request);
            },
            [this, &request](const Error& error) { fail(request, error); });
  } catch (...) {
    fail(request, reactive::error_of_exception());  // of assembling the chain: there was no memory for the request
  }
}

void ReactiveModel::fail(Request& request, const Error& error) {
  request.fail(error.code);
  resources_.errors.keep(error);
  finish(request);
}

void ReactiveModel::finish(Request& request) {
  request.answer_ready = resources_.clock.now();
  request.trace.end(request.answer_ready);
  books_.answer(request);
}

Counters ReactiveModel::counters() const {
  Counters counters;
  add_loops(counters, loops_);
  add_pins(counters, resources_);
  books_.report(counters);
  return counters;
}

void ReactiveModel::begin_window() {
  for (std::size_t i = 0; i < loops_.size(); ++i) loops_.loop(i).lag().begin_window();
}

std::vector<int> ReactiveModel::thread_ids() const {
  std::vector<int> ids;
  for (std::size_t i = 0; i < loops_.size(); ++i) ids.push_back(loops_.loop(i).cell().thread_id.load());
  return ids;
}

void ReactiveModel::stop() {
  books_.wait_until_empty(resources_.clock);
  loops_.stop();
}

}  // namespace parkbench::models
