#include "parkbench/postgres/row.hpp"

#include <libpq-fe.h>

#include <bit>
#include <string>

#include "parkbench/base/error.hpp"
#include "parkbench/postgres/statement.hpp"

namespace parkbench::postgres {
namespace {

constexpr Oid kInt2 = 21;
constexpr Oid kText = 25;
constexpr Oid kName = 19;
constexpr Oid kVarchar = 1043;

[[noreturn]] void misread(const pg_result* result, int column, const std::string& what) {
  const char* name = PQfname(result, column);
  throw Failure(ErrorCode::internal, "column " + (name == nullptr ? std::to_string(column) : name) + " " + what);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes) bits = (bits << 8) | static_cast<unsigned char>(byte);
  return bits;
}

}  // namespace

bool Row::is_null(int column) const { return PQgetisnull(result_, number_, column) == 1; }

std::string_view Row::bytes(int column) const {
  if (column < 0 || column >= PQnfields(result_)) misread(result_, column, "is not in the result");
  if (is_null(column)) misread(result_, column, "is null");
  return {PQgetvalue(result_, number_, column), static_cast<std::size_t>(PQgetlength(result_, number_, column))};
}

std::int64_t Row::integer(int column, int most_bytes) const {
  const std::string_view value = bytes(column);
  const Oid type = PQftype(result_, column);
  const int width = type == kInt8 ? 8 : type == kInt4 ? 4 : type == kInt2 ? 2 : 0;
  if (width == 0 || width > most_bytes || static_cast<int>(value.size()) != width) {
    misread(result_, column, "is no integer of at most " + std::to_string(most_bytes) + " bytes");
  }
  // Shift up, then down with the sign: widens a short integer.
  const int spare = 64 - 8 * width;
  return static_cast<std::int64_t>(big_endian(value) << spare) >> spare;
}

std::int64_t Row::int64(int column) const { return integer(column, 8); }

std::int32_t Row::int32(int column) const { return static_cast<std::int32_t>(integer(column, 4)); }

double Row::float8(int column) const {
  const std::string_view value = bytes(column);
  if (PQftype(result_, column) != kFloat8 || value.size() != 8) misread(result_, column, "is no double precision");
  return std::bit_cast<double>(big_endian(value));
}

std::string_view Row::text(int column) const {
  const std::string_view value = bytes(column);
  const Oid type = PQftype(result_, column);
  if (type != kText && type != kVarchar && type != kName) misread(result_, column, "is no text");
  return value;
}

int Rows::size() const { return result_ == nullptr ? 0 : PQntuples(result_.get()); }

int Rows::columns() const { return result_ == nullptr ? 0 : PQnfields(result_.get()); }

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

}  // namespace parkbench::postgres
