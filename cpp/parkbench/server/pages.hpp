#pragma once

#include <string>
#include <string_view>

#include "parkbench/server/connection_table.hpp"
#include "parkbench/server/request_tally.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/service/pages.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::server {

/// /metrics and /dump of any of the three servers, made of what the server counts anyway.
class ServerPages final : public service::Pages {
 public:
  /// @param model `thread_pool`, `virtual_threads` or `reactive`; of static storage. All others must outlive the pages.
  ServerPages(std::string_view model, const Server& server, const ConnectionTable& table, const RequestTally& tally,
              const workload::Resources& resources)
      : model_(model), server_(server), table_(table), tally_(tally), resources_(resources) {}

  std::string metrics() const override;
  std::string dump() const override { return table_.dump(resources_.clock.now()); }

 private:
  std::string_view model_;
  const Server& server_;
  const ConnectionTable& table_;
  const RequestTally& tally_;
  const workload::Resources& resources_;
};

}  // namespace parkbench::server
