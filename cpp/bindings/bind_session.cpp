#include <optional>

#include "bindings/bind.hpp"
#include "parkbench/postgres/session.hpp"

namespace parkbench {
namespace {

/// Waits with the GIL released, and looks every 50 ms whether Ctrl-C was pressed.
class PySession {
 public:
  PySession(const std::string& dsn, double timeout_s) {
    const py::gil_scoped_release release;
    session_.emplace(postgres::Dsn::parse(dsn), static_cast<Ns>(timeout_s * static_cast<double>(kSecond)), [] {
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
  }
  auto execute(const std::string& sql) {
    const py::gil_scoped_release release;
    return session_->execute(sql);
  }
  auto copy_in(const std::string& sql, const py::bytes& data) {
    const std::string_view view(data);
    const py::gil_scoped_release release;
    return session_->copy_in(sql, view);
  }
  void close() { session_->close(); }

 private:
  std::optional<postgres::Session> session_;
};

}  // namespace

void bind_session(py::module_& module) {
  py::class_<PySession>(module, "Session", "One connection to PostgreSQL for set-up and checks. One thread at a time.")
      .def(py::init<const std::string&, double>(), py::arg("dsn"), py::arg("timeout_s") = 5.0,
           "Connects within timeout_s seconds. Raises CoreError, never with the password in its text.")
      .def(
          "execute",
          [](PySession& self, const std::string& sql) {
            py::typing::List<py::typing::Tuple<py::typing::Optional<py::str>, py::ellipsis>> rows;
            for (const auto& row : self.execute(sql)) {
              py::tuple columns(row.size());
              for (std::size_t i = 0; i < row.size(); ++i) columns[i] = py::cast(row[i]);
              rows.append(columns);
            }
            return rows;
          },
          py::arg("sql"),
          "Runs one or several statements; rows of the last as tuples of text or None. Raises CoreError.")
      .def("copy_in", &PySession::copy_in, py::arg("sql"), py::arg("data"),
           "Runs COPY ... FROM STDIN over data; returns the number of rows. Raises CoreError.")
      .def("close", &PySession::close, "Closes the connection; may be called again.");
}

}  // namespace parkbench
