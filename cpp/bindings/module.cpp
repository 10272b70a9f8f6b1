#include "bindings/bind.hpp"

/// The compiled core's table of contents.
PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled core of parkbench: runs, the set-up session, facts of the build and the machine.";
  parkbench::bind_errors(module);
  parkbench::bind_build_info(module);
  parkbench::bind_machine(module);
  parkbench::bind_session(module);
  parkbench::bind_run(module);
  parkbench::bind_http(module);
  parkbench::bind_servers(module);
}
