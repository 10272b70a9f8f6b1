#include "bindings/bind.hpp"
#include "parkbench/base/error.hpp"

namespace parkbench {

/// One exception type for the core; the Python side turns it into the package's own family.
void bind_errors(py::module_& module) {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> type;
  type.call_once_and_store_result([&] { return py::exception<Failure>(module, "CoreError", PyExc_RuntimeError); });
  type.get_stored().attr("__doc__") =
      "A failure of the core: args are the message and the cause (a key of `failures`).";
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Failure& failure) {
      const py::object arguments = py::make_tuple(std::string(failure.what()), std::string(to_string(failure.code())));
      PyErr_SetObject(type.get_stored().ptr(), arguments.ptr());
    }
  });
}

}  // namespace parkbench
