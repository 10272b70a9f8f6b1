#pragma once

#include "parkbench/load/http_plan.hpp"
#include "parkbench/run/scenario.hpp"

namespace parkbench::run {

/// What the generator asks the scenario's server for.
load::HttpPlan request_plan(const Scenario& scenario, const std::string& host, std::uint16_t port);

}  // namespace parkbench::run
