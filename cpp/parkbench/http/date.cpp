#include "parkbench/http/date.hpp"

#include <chrono>
#include <cstring>

namespace parkbench::http {
namespace {

constexpr char kDays[] = "SunMonTueWedThuFriSat";
constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

char* two_digits(char* out, unsigned value) {
  out[0] = static_cast<char>('0' + value / 10);
  out[1] = static_cast<char>('0' + value % 10);
  return out + 2;
}

}  // namespace

void write_date(std::int64_t unix_seconds, char* out) {
  const std::chrono::sys_seconds when{std::chrono::seconds(unix_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date{day};
  const unsigned second = static_cast<unsigned>((when - day).count());
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));

  std::memcpy(out, "Sun, 00 Jan 0000 00:00:00 GMT", kDateLength);
  std::memcpy(out, kDays + std::size_t{3} * std::chrono::weekday(day).c_encoding(), 3);
  two_digits(out + 5, static_cast<unsigned>(date.day()));
  std::memcpy(out + 8, kMonths + std::size_t{3} * (static_cast<unsigned>(date.month()) - 1), 3);
  two_digits(two_digits(out + 12, year / 100), year % 100);
  two_digits(out + 17, second / 3600);
  two_digits(out + 20, second / 60 % 60);
  two_digits(out + 23, second % 60);
}

}  // namespace parkbench::http
