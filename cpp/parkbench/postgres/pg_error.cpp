#include "parkbench/postgres/pg_error.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string_view>

namespace parkbench::postgres {
namespace {

constexpr std::size_t kStateLength = 5;

bool means_lost(std::string_view state) {
  return state.starts_with("08") || state == "57P01" || state == "57P02" || state == "57P03";
}

bool means_try_again(std::string_view state) { return means_lost(state) || state == "53300"; }

bool is_state(std::string_view word) {
  return word.size() == kStateLength && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isdigit(c) != 0 || std::isupper(c) != 0;
         });
}

/// The SQLSTATE in a verbose message: "FATAL:  57P03: the database system is starting up".
std::string_view state_in(std::string_view message) {
  constexpr std::string_view kBefore = ":  ";
  for (auto at = message.find(kBefore); at != std::string_view::npos; at = message.find(kBefore, at + 1)) {
    const auto word = message.substr(at + kBefore.size(), kStateLength);
    if (is_state(word) && message.substr(at + kBefore.size() + kStateLength, 1) == ":") return word;
  }
  return {};
}

/// The message's own lines, without LOCATION and libpq's indented advice, as one sentence.
std::string one_line(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto end = std::min(message.find('\n'), message.size());
    const auto line = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.empty() || line.front() == '\t' || line.starts_with("LOCATION:")) continue;
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text;
}

bool says_not_there_yet(std::string_view message) {
  // libpq gives no code for these, only strerror's words.
  constexpr int kPassing[] = {ECONNREFUSED, ENOENT, ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, EAGAIN};
  return message.find("server closed the connection") != std::string_view::npos ||
         std::any_of(std::begin(kPassing), std::end(kPassing),
                     [&](int number) { return message.find(system_error_text(number)) != std::string_view::npos; });
}

}  // namespace

Error result_error(const pg_result* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (state == nullptr) {
    return {ErrorCode::db_connection_lost, "the connection was lost: " + one_line(PQresultErrorMessage(result))};
  }
  const std::string text = std::string("SQLSTATE ") + state + ": " + (primary == nullptr ? "" : primary);
  if (means_lost(state)) return {ErrorCode::db_connection_lost, "the connection was lost: " + text};
  return {ErrorCode::db_error, text};
}

Error lost_error(const pg_conn* connection) {
  const std::string text = one_line(PQerrorMessage(connection));
  return {ErrorCode::db_connection_lost, "the connection was lost" + (text.empty() ? text : ": " + text)};
}

std::string sqlstate_of(std::string_view message) {
  constexpr std::string_view kMark = "SQLSTATE ";
  const auto at = message.find(kMark);
  if (at == std::string_view::npos) return "";
  const auto word = message.substr(at + kMark.size(), kStateLength);
  return is_state(word) ? std::string(word) : "";
}

ConnectFailure connect_failure(const pg_conn* connection, const std::string& where) {
  const std::string_view message = connection == nullptr ? "out of memory" : PQerrorMessage(connection);
  const auto state = state_in(message);
  const bool wants_password = connection != nullptr && PQconnectionNeedsPassword(connection) == 1;
  std::string reason = one_line(message);
  if (!state.empty()) reason = "SQLSTATE " + reason.substr(std::min(reason.find(state), reason.size()));
  return {{ErrorCode::db_connect, "cannot connect to the database (" + where + "): " + reason},
          !wants_password && (state.empty() ? says_not_there_yet(message) : means_try_again(state))};
}

}  // namespace parkbench::postgres
