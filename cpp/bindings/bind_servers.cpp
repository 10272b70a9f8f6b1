#include <memory>

#include "bindings/bind.hpp"
#include "parkbench/run/downstream_run.hpp"
#include "parkbench/run/server_run.hpp"

namespace parkbench {
namespace {

template <class T>
void bind_server(py::module_& module, const char* name, const char* what) {
  using Held = std::unique_ptr<T, JoinWithoutGil>;
  py::class_<T, Held>(module, name, what)
      .def(py::init([](const AnyDict& dict, std::optional<int> control_fd, const AnyDict& listen) {
             const run::Scenario scenario = scenario_from(dict);
             const server::ServerOptions options = listen_from(listen);
             const py::gil_scoped_release release;  // connects to the database
             return Held(new T(scenario, options, control_fd.value_or(-1)));
           }),
           py::arg("scenario"), py::arg("control_fd"), py::arg("listen"),
           "Listens when this returns. control_fd is the inherited end of a SOCK_SEQPACKET pair whose other end a Run "
           "has, and is owned from now on; None: by hand. listen may hold host, port, backlog, max_connections, "
           "header_time_s, body_time_s, idle_time_s, write_time_s. Raises CoreError with one sentence.")
      .def_property_readonly("port", &T::port, "The port it listens on.")
      .def(
          "wait", [](T& self, double timeout_s) { return self.wait(from_seconds(timeout_s)); }, py::arg("timeout_s"),
          py::call_guard<py::gil_scoped_release>(),  // waits up to timeout_s
          "Waits at most timeout_s seconds; True when it is over: the run is done or gone, or it has stopped.")
      .def("stop", &T::stop, py::call_guard<py::gil_scoped_release>(),
           "Begins to stop: nothing new is taken, what is in flight is answered; wait() tells when that is done.")
      .def("cancel", &T::cancel, py::call_guard<py::gil_scoped_release>(),
           "It is over at once; what is in flight gets no answer if the process ends now.");
}

}  // namespace

void bind_servers(py::module_& module) {
  bind_server<run::ServerRun>(module, "Server",
                              "The scenario's model as an HTTP/1.1 server; no thread of it ever takes the GIL.");
  bind_server<run::DownstreamRun>(module, "Downstream",
                                  "What stands behind a gateway: answers after the scenario's delay.");
}

}  // namespace parkbench
