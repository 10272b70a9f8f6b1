#pragma once

#include <string>

namespace parkbench::service {

/// What a server says of itself.
class Pages {
 public:
  virtual ~Pages() = default;
  /// Prometheus' text format.
  virtual std::string metrics() const = 0;
  /// What is in flight: JSON.
  virtual std::string dump() const = 0;
};

}  // namespace parkbench::service
