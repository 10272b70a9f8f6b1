#include <memory>

#include "bindings/bind.hpp"
#include "parkbench/run/answers.hpp"
#include "parkbench/run/run.hpp"

namespace parkbench {
namespace {

const char* to_string(run::Run::Stage stage) {
  switch (stage) {
    case run::Run::Stage::setup:
      return "setup";
    case run::Run::Stage::warm_up:
      return "warm_up";
    case run::Run::Stage::measure:
      return "measure";
    case run::Run::Stage::drain:
      return "drain";
    case run::Run::Stage::done:
      return "done";
  }
  return "done";
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<run::Run, std::unique_ptr<run::Run, JoinWithoutGil>>(
      module, "Run", "One scenario, executed once on threads of its own; no thread of it ever takes the GIL.")
      .def(py::init([](const AnyDict& scenario) {
             return std::unique_ptr<run::Run, JoinWithoutGil>(new run::Run(scenario_from(scenario)));
           }),
           py::arg("scenario"),
           "Starts at once. With transport http, server_fd is the control socket of a Server and downstream_fd that of "
           "a "
           "Downstream, if there is one; the run owns both. Raises KeyError or ValueError for an incomplete scenario.")
      .def(
          "wait", [](run::Run& self, double timeout_s) { return self.wait(from_seconds(timeout_s)); },
          py::arg("timeout_s"), py::call_guard<py::gil_scoped_release>(),  // waits up to timeout_s
          "Waits at most timeout_s seconds; True when the run is over.")
      .def("cancel", &run::Run::cancel, py::call_guard<py::gil_scoped_release>(),
           "Sends nothing more; the run ends within about a second and says incomplete.")
      .def(
          "progress",
          [](const run::Run& self) {
            const auto progress = self.progress();
            AnyDict dict;
            dict["phase"] = to_string(progress.stage);
            dict["elapsed_s"] = progress.elapsed_s;
            dict["ok"] = progress.ok;
            dict["failed"] = progress.failed;
            dict["in_flight"] = progress.in_flight;
            return dict;
          },
          "phase (setup, warm_up, measure, drain, done), elapsed_s, and counts ok, failed, in_flight.")
      .def(
          "report",
          [](run::Run& self) {
            if (!self.wait(0)) throw py::value_error("the run is not over: wait() first");
            return AnyDict(report_to_dict(self.report()));
          },
          "The figures of the run. Raises ValueError before it is over.");
  module.def(
      "answers",
      [](const AnyDict& scenario) {
        const run::Scenario s = scenario_from(scenario);
        const py::gil_scoped_release release;  // as many requests as there are products
        return run::answers(s);
      },
      py::arg("scenario"),
      "The price of every product, asked of the scenario's model; a list in the order of the ids.");
}

}  // namespace parkbench
