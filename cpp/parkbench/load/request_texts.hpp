#pragma once

#include <array>
#include <string>
#include <string_view>

#include "parkbench/load/http_plan.hpp"
#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// The bytes of the requests: made once, only the product's number is put in.
class RequestTexts {
 public:
  explicit RequestTexts(const HttpPlan& plan);

  /// The whole request; request.timed asks for the server's phases. Valid until the next call.
  std::string_view text(const measure::Request& request);

 private:
  struct Template {
    std::string before;
    std::string after;  // the number, if there is one in the target
    bool numbered = false;
  };
  static Template make(const HttpPlan& plan, const std::string& target, bool timed);
  /// The same requests as in the workload `mixed` of a direct run.
  bool slow(std::uint64_t number) const;

  std::array<std::array<Template, 2>, 2> templates_;  // [slow][timed]
  double slow_share_;
  std::string text_;
};

}  // namespace parkbench::load
