#pragma once

#include <memory>
#include <optional>

#include "parkbench/measure/request.hpp"
#include "parkbench/postgres/acquire_mono.hpp"
#include "parkbench/postgres/query_mono.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/app_wait_mono.hpp"
#include "parkbench/workload/pricing/price.hpp"
#include "parkbench/workload/resources.hpp"

/// The pricing request as a pipeline: product, discount, final price. The same steps as blocking.hpp, in the form
/// that the reactive model asks for.
namespace parkbench::workload::pricing {

class ReactivePricing : public std::enable_shared_from_this<ReactivePricing> {
 public:
  ReactivePricing(Resources& resources, measure::Request& request, reactive::EventLoop& loop)
      : resources_(resources), options_(resources.options), request_(request), loop_(loop) {}

  /// To be subscribed to on the loop's thread.
  reactive::Mono<Quote> quote() {
    const auto self = shared_from_this();
    memory_ = resources_.plants.memory(options_.alloc_kib);
    if (auto known = resources_.plants.cached(request_.product)) {
      count_reads(resources_, 2, 2);
      return Mono<Quote>::just(*known);
    }
    return find_product()
        .flat_map([self](Product product) { return self->wait(AppWaitAt::between, product); })
        .flat_map([self](Product product) { return self->find_quote(product); })
        .flat_map([self](Quote quote) { return self->commit(quote); })
        .flat_map([self](Quote quote) { return self->wait(AppWaitAt::after, quote); })
        .map([self](Quote quote) {
          self->resources_.burner.burn();
          self->give_back();
          return self->resources_.plants.planted(self->request_.product, quote);
        })
        .on_error_resume([self](const Error& error) {
          self->give_back();
          return Mono<Quote>::error(error);
        });
  }

 private:
  template <class T>
  using Mono = reactive::Mono<T>;

  /// What the request held goes with the reply, not when its chain is taken down a moment later.
  void give_back() {
    lease_.release();
    memory_.release();
  }

  Mono<Product> find_product() {
    const auto self = shared_from_this();
    return begin_transaction()
        .flat_map([self](bool) { return self->read(self->resources_.queries.product); })
        .map([](postgres::Rows rows) { return Product{rows[0].int64(0), rows[0].int64(2)}; })
        .flat_map([self](Product product) { return self->plant_gap(product); });
  }

  Mono<Quote> find_quote(Product product) {
    return read(resources_.queries.discount).map([product](postgres::Rows rows) {
      return quote_of(product, rows[0].int32(0));
    });
  }

  Mono<postgres::Rows> read(const postgres::Statement& statement) {
    const auto self = shared_from_this();
    return execute(statement, parameters(options_, request_.product)).map([self](postgres::Rows rows) {
      count_reads(self->resources_, 1, static_cast<std::uint64_t>(rows.size()));
      if (rows.empty()) throw Failure(ErrorCode::not_found, missing_product(self->request_.product));
      return rows;
    });
  }

  /// Takes a connection unless one is held, and gives it back unless it is to be held.
  Mono<postgres::Rows> execute(const postgres::Statement& statement, const postgres::Params& params) {
    const auto self = shared_from_this();
    return connection()
        .flat_map([self, &statement, params](bool) {
          return postgres::query_mono(*self->lease_, statement, params, self->loop_, self->request_.deadline,
                                      self->request_.trace);
        })
        .map([self](postgres::Rows rows) {
          if (self->options_.connection_hold == ConnectionHold::statement) self->lease_.release();
          return rows;
        });
  }

  Mono<bool> connection() {
    if (lease_) return Mono<bool>::just(true);
    const auto self = shared_from_this();
    const Deadline patience = acquire_deadline(options_, request_, loop_.clock().now());
    return postgres::acquire_mono(*resources_.pool, loop_, patience, request_.trace).map([self](postgres::Lease lease) {
      self->lease_ = std::move(lease);
      return true;
    });
  }

  Mono<bool> begin_transaction() {
    if (options_.connection_hold != ConnectionHold::transaction) return Mono<bool>::just(true);
    return execute(resources_.queries.begin, {}).map([](postgres::Rows) { return true; });
  }

  Mono<Quote> commit(Quote quote) {
    if (options_.connection_hold != ConnectionHold::transaction) return Mono<Quote>::just(quote);
    const auto self = shared_from_this();
    return execute(resources_.queries.commit, {}).map([self, quote](postgres::Rows) {
      self->lease_.release();
      return quote;
    });
  }

  template <class T>
  Mono<T> wait(AppWaitAt here, T value) {
    if (options_.app_wait <= 0 || options_.app_wait_at != here) return Mono<T>::just(value);
    return app_wait_mono(loop_, options_.app_wait, request_.trace, value);
  }

  /// Tests only: time between two phases, which must come out as `unexplained`.
  Mono<Product> plant_gap(Product product) {
    if (options_.plant.gap <= 0) return Mono<Product>::just(product);
    const auto self = shared_from_this();
    const Ns begin = loop_.clock().now();
    request_.trace.end(begin);
    return reactive::timer(begin + options_.plant.gap, loop_.timers()).map([self, product](Ns due) {
      const Ns running = self->loop_.clock().now();
      self->request_.trace.add(measure::Phase::wakeup, due, running);
      self->request_.trace.begin(measure::Phase::cpu, running);
      return product;
    });
  }

  Resources& resources_;
  const Options& options_;
  measure::Request& request_;
  reactive::EventLoop& loop_;
  postgres::Lease lease_;
  RequestMemory memory_;
};

inline reactive::Mono<Quote> quote_reactive(Resources& resources, measure::Request& request,
                                            reactive::EventLoop& loop) {
  return std::make_shared<ReactivePricing>(resources, request, loop)->quote();
}

/// The final price in minor units.
inline reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request,
                                                 reactive::EventLoop& loop) {
  return quote_reactive(resources, request, loop).map([](Quote quote) { return quote.final_minor; });
}

}  // namespace parkbench::workload::pricing
