#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <cmath>

#include "parkbench/run/report.hpp"
#include "parkbench/run/scenario.hpp"
#include "parkbench/server/options.hpp"

namespace parkbench {

namespace py = pybind11;

/// Shown as typing.Any in signatures and the stub.
class Any : public py::object {
 public:
  using py::object::object;
};
using AnyDict = py::typing::Dict<py::str, Any>;

inline Ns from_seconds(double seconds) { return std::llround(seconds * static_cast<double>(kSecond)); }

/// Destroys with the GIL released: joining threads may take as long as a request.
struct JoinWithoutGil {
  template <class T>
  void operator()(T* object) const {
    const py::gil_scoped_release release;
    delete object;
  }
};

void bind_errors(py::module_& module);
void bind_build_info(py::module_& module);
void bind_machine(py::module_& module);
void bind_session(py::module_& module);
void bind_run(py::module_& module);
void bind_http(py::module_& module);
void bind_servers(py::module_& module);

/// @throws KeyError / ValueError for a dict that the Python side should not have let through.
run::Scenario scenario_from(const py::dict& dict);
/// Where a server listens; keys that are missing keep their defaults.
server::ServerOptions listen_from(const py::dict& dict);
py::dict report_to_dict(const run::Report& report);

}  // namespace parkbench

namespace pybind11::detail {
template <>
struct handle_type_name<parkbench::Any> {
  static constexpr auto name = const_name("typing.Any");
};
}  // namespace pybind11::detail
