#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include "parkbench/run/report.hpp"
#include "parkbench/run/scenario.hpp"

namespace parkbench {

namespace py = pybind11;

/// Shown as typing.Any in signatures and the stub.
class Any : public py::object {
 public:
  using py::object::object;
};
using AnyDict = py::typing::Dict<py::str, Any>;

void bind_errors(py::module_& module);
void bind_build_info(py::module_& module);
void bind_machine(py::module_& module);
void bind_session(py::module_& module);
void bind_run(py::module_& module);
void bind_http(py::module_& module);

/// @throws KeyError / ValueError for a dict that the Python side should not have let through.
run::Scenario scenario_from(const py::dict& dict);
py::dict report_to_dict(const run::Report& report);

}  // namespace parkbench

namespace pybind11::detail {
template <>
struct handle_type_name<parkbench::Any> {
  static constexpr auto name = const_name("typing.Any");
};
}  // namespace pybind11::detail
