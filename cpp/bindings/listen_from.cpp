#include "bindings/bind.hpp"

namespace parkbench {
namespace {

template <class T, class Into>
void take(const py::dict& dict, const char* key, T& value, Into into) {
  if (dict.contains(key) && !dict[key].is_none()) value = into(dict[key]);
}

}  // namespace

server::ServerOptions listen_from(const py::dict& dict) {
  server::ServerOptions options;
  const auto text = [](const py::object& value) { return value.cast<std::string>(); };
  const auto whole = [](const py::object& value) { return value.cast<int>(); };
  const auto port = [](const py::object& value) { return value.cast<std::uint16_t>(); };
  const auto time = [](const py::object& value) { return from_seconds(value.cast<double>()); };
  take(dict, "host", options.host, text);
  take(dict, "port", options.port, port);
  take(dict, "backlog", options.backlog, whole);
  take(dict, "max_connections", options.max_connections, whole);
  take(dict, "header_time_s", options.limits.header_time, time);
  take(dict, "body_time_s", options.limits.body_time, time);
  take(dict, "idle_time_s", options.limits.idle_time, time);
  take(dict, "write_time_s", options.limits.write_time, time);
  return options;
}

}  // namespace parkbench
