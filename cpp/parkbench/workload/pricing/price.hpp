#pragma once

#include <cstdint>

namespace parkbench::workload::pricing {

/// Money is counted in integer minor units (cents), a discount in hundredths of a percent (1,234 = 12.34 %).
struct Product {
  std::int64_t id = 0;
  std::int64_t price_minor = 0;
};

inline constexpr std::int64_t kWhole = 10'000;  // 100 %

/// The discounted price, half a minor unit rounded up. Exact: no floating point.
constexpr std::int64_t final_price(std::int64_t price_minor, std::int64_t percent_hundredths) {
  return (price_minor * (kWhole - percent_hundredths) + kWhole / 2) / kWhole;
}

}  // namespace parkbench::workload::pricing
