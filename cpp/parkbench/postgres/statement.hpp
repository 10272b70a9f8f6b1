#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace parkbench::postgres {

/// PostgreSQL's number of a type.
using Oid = std::uint32_t;
inline constexpr Oid kInt8 = 20;
inline constexpr Oid kInt4 = 23;
inline constexpr Oid kFloat8 = 701;

/// A statement that each connection prepares once, under its name.
struct Statement {
  std::string name;
  std::string sql;
  std::vector<Oid> parameter_types;
};

/// The values of one execution, in binary, without allocation.
class Params {
 public:
  static constexpr int kMost = 4;

  Params() = default;
  template <class... Values>
    requires(sizeof...(Values) >= 1 && sizeof...(Values) <= kMost)
  explicit Params(Values... values) {
    (add(values), ...);
  }

  int size() const { return size_; }
  const char* value(int n) const { return reinterpret_cast<const char*>(&values_[static_cast<std::size_t>(n)]); }
  static constexpr int kBytesEach = 8;

 private:
  void add(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void add(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(std::uint64_t bits) {
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    values_[static_cast<std::size_t>(size_++)] = bits;
  }

  std::array<std::uint64_t, kMost> values_{};
  int size_ = 0;
};

}  // namespace parkbench::postgres
