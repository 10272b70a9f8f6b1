#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

struct pg_result;

namespace parkbench::postgres {

/// One row of a binary result; valid as long as its Rows. A reader of the wrong type, of a null or of a column that is
/// not there throws Failure(internal) with the column's name.
class Row {
 public:
  bool is_null(int column) const;
  std::int64_t int64(int column) const;  // bigint, integer, smallint
  std::int32_t int32(int column) const;  // integer, smallint
  double float8(int column) const;
  std::string_view text(int column) const;  // text, varchar, name

 private:
  friend class Rows;
  Row(const pg_result* result, int number) : result_(result), number_(number) {}
  std::string_view bytes(int column) const;
  std::int64_t integer(int column, int most_bytes) const;

  const pg_result* result_;
  int number_;
};

/// What a statement gave back; owns it.
class Rows {
 public:
  Rows() = default;
  explicit Rows(pg_result* result) : result_(result) {}

  int size() const;
  int columns() const;
  bool empty() const { return size() == 0; }
  /// @pre 0 <= number < size()
  Row operator[](int number) const { return {result_.get(), number}; }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace parkbench::postgres
