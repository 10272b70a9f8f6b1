#include "bindings/bind.hpp"
#include "parkbench/run/machine.hpp"

namespace parkbench {

void bind_machine(py::module_& module) {
  module.def("clock_cost_ns", &run::clock_cost_ns, py::call_guard<py::gil_scoped_release>(),
             "Nanoseconds that one read of the clock costs here (median of 51 x 1,000 reads).");
  module.def("clock_resolution_ns", &run::clock_resolution_ns, py::call_guard<py::gil_scoped_release>(),
             "The smallest step, in nanoseconds, that the clock was seen to make between two reads.");
  module.def(
      "wake_up_cost_us",
      [] {
        run::WakeUpCost cost;
        {
          const py::gil_scoped_release release;  // two threads measure for about 20 ms
          cost = run::wake_up_cost();
        }
        py::typing::Dict<py::str, py::typing::Optional<py::float_>> result;
        result["same_core"] = cost.same_core_us;
        result["cross_core"] = cost.cross_core_us;
        return result;
      },
      "Microseconds from waking a thread until it runs: 'same_core', and 'cross_core' (None with one CPU).");
  module.def("stack_guard_mode", &run::stack_guard_mode, py::call_guard<py::gil_scoped_release>(),
             "How stacks of virtual threads are guarded on this machine.");
}

}  // namespace parkbench
