#pragma once

#include <memory>

#include "parkbench/run/scenario.hpp"
#include "parkbench/server/options.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::run {

/// Starts the scenario's model as a server; it listens when this returns.
/// @throws Failure naming what could not be had.
std::unique_ptr<server::Server> make_server(const Scenario& scenario, server::ServerOptions listen,
                                            workload::Resources& resources);

}  // namespace parkbench::run
