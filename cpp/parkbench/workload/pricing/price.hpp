#pragma once

#include <cstdint>

namespace parkbench::workload::pricing {

/// Money is counted in integer minor units (cents), a discount in hundredths of a percent (1,234 = 12.34 %).
struct Product {
  std::int64_t id = 0;
  std::int64_t price_minor = 0;
};

/// The answer to "what does it cost?".
struct Quote {
  std::int64_t product = 0;
  std::int64_t price_minor = 0;
  std::int64_t percent_hundredths = 0;
  std::int64_t final_minor = 0;
};

inline constexpr std::int64_t kWhole = 10'000;  // 100 %

/// The discounted price, half a minor unit rounded up. Exact: no floating point.
constexpr std::int64_t final_price(std::int64_t price_minor, std::int64_t percent_hundredths) {
  return (price_minor * (kWhole - percent_hundredths) + kWhole / 2) / kWhole;
}

constexpr Quote quote_of(Product product, std::int64_t percent_hundredths) {
  return {product.id, product.price_minor, percent_hundredths, final_price(product.price_minor, percent_hundredths)};
}

}  // namespace parkbench::workload::pricing
