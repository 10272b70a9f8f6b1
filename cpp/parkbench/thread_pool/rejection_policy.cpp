#include "parkbench/thread_pool/rejection_policy.hpp"

namespace parkbench::thread_pool {

std::optional<RejectionPolicy> rejection_policy(std::string_view name) {
  if (name == "reject") return RejectionPolicy::reject;
  if (name == "caller_runs") return RejectionPolicy::caller_runs;
  if (name == "block") return RejectionPolicy::block;
  return std::nullopt;
}

}  // namespace parkbench::thread_pool
