#pragma once

#include <cstdint>
#include <vector>

#include "parkbench/run/scenario.hpp"

namespace parkbench::run {

/// The price of each product from 1 to scenario.workload.products, asked of the scenario's model, one request each.
/// @throws Failure when a request fails, with its cause and product.
std::vector<std::int64_t> answers(const Scenario& scenario);

}  // namespace parkbench::run
