#include "parkbench/postgres/dsn.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

#include "parkbench/base/error.hpp"
#include "parkbench/io/resolve.hpp"

namespace parkbench::postgres {
namespace {

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

[[noreturn]] void refuse(const std::string& sentence) { throw Failure(ErrorCode::db_connect, sentence); }

/// libpq quotes what it could not read, and that may be a piece of the password: everything quoted is left out.
std::string without_quoted(std::string text) {
  const auto first = text.find('"');
  const auto last = text.rfind('"');
  if (first != std::string::npos && last > first) text.replace(first, last - first + 1, "...");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts) {
  std::string list;
  for (const auto& part : parts) list += (&part == &parts.front() ? "" : ",") + part;
  return list;
}

/// A list of n values as libpq reads it: one value stands for all.
std::string nth(const std::vector<std::string>& values, std::size_t n) {
  return values.size() == 1 ? values.front() : n < values.size() ? values[n] : "";
}

bool is_socket_path(const std::string& host) { return host.empty() || host.front() == '/' || host.front() == '@'; }

bool is_local_name(const std::string& host) {
  constexpr std::string_view kSuffix = ".localhost";
  return host == "localhost" || io::is_loopback_address(host) ||
         (host.size() > kSuffix.size() && host.ends_with(kSuffix));
}

bool is_port(const std::string& text) {
  return text.empty() || (text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos &&
                          std::stoi(text) >= 1 && std::stoi(text) <= 65535);
}

}  // namespace

Dsn Dsn::parse(const std::string& text) {
  if (text.empty()) refuse("the database address is empty; write postgresql://user@host:port/database");
  if (text.find('\0') != std::string::npos) refuse("the database address holds a zero byte");

  char* message = nullptr;
  const Options given(PQconninfoParse(text.c_str(), &message), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owner(message, &PQfreemem);
  if (!given) {
    refuse("the database address cannot be read (" + without_quoted(message == nullptr ? "out of memory" : message) +
           "); write postgresql://user@host:port/database, with special characters as %40 for @, %2F for /");
  }
  Dsn dsn;
  for (const auto* option = given.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && *option->val != '\0') dsn.set(option->keyword, option->val);
  }
  if (!dsn.get("service").empty()) {
    refuse("service= is not supported in a database address; write host, port, user and dbname out");
  }
  dsn.plain_text_wanted_ = dsn.get("sslmode") == "disable";

  const Options defaults(PQconndefaults(), &PQconninfoFree);
  for (const auto* option = defaults.get(); option != nullptr && option->keyword != nullptr; ++option) {
    const bool settled = option->val == nullptr || *option->val == '\0' || !dsn.get(option->keyword).empty();
    if (!settled && std::string_view(option->keyword) != "service") dsn.set(option->keyword, option->val);
  }
  dsn.refuse_unsafe(text.starts_with("postgresql://") || text.starts_with("postgres://"), dsn.plain_text_wanted_);
  return dsn;
}

void Dsn::refuse_unsafe(bool is_uri, bool plain_text_wanted) const {
  // An '@' or '/' left as it is in a password moves the rest of the password into the host, port or database.
  const bool misread =
      is_uri && (get("host").find('@') != std::string::npos || get("dbname").find('@') != std::string::npos);
  const auto ports = split(get("port"));
  if (misread || !std::all_of(ports.begin(), ports.end(), is_port)) {
    refuse(
        "the host or port in the database address cannot be read; in a user name or password write %40 for @, "
        "%2F for / and %3A for :");
  }
  const std::string mode = get("sslmode");
  if (mode == "require" || mode == "verify-ca" || mode == "verify-full") {
    refuse("sslmode=" + mode +
           " needs TLS, which this libpq does not have; use a tunnel to a local port, or "
           "sslmode=disable on a network you trust");
  }
  if (is_remote() && !plain_text_wanted) {
    refuse(
        "the database host is another machine and this libpq has no TLS: the password would travel in plain "
        "text; use a tunnel to a local port, or add sslmode=disable on a network you trust");
  }
}

bool Dsn::is_remote() const {
  const auto hosts = split(get("host"));
  const auto addresses = split(get("hostaddr"));
  for (std::size_t i = 0; i < std::max(hosts.size(), addresses.size()); ++i) {
    const std::string address = i < addresses.size() ? addresses[i] : "";
    const std::string host = i < hosts.size() ? hosts[i] : "";
    if (address.empty() ? !is_socket_path(host) && !is_local_name(host) : !io::is_loopback_address(address))
      return true;
  }
  return false;
}

Dsn Dsn::resolved() const {
  const auto hosts = split(get("host"));
  if (!get("hostaddr").empty()) return *this;
  const auto ports = split(get("port"));
  std::vector<std::string> names;
  std::vector<std::string> addresses;
  std::vector<std::string> ports_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto found = is_socket_path(hosts[i]) ? std::vector<std::string>{""} : io::resolve_host(hosts[i]);
    for (const auto& address : found) {
      names.push_back(hosts[i]);
      addresses.push_back(address);
      ports_of.push_back(nth(ports, i));
    }
  }
  Dsn dsn = *this;
  dsn.set("host", join(names));
  dsn.set("hostaddr", join(addresses));
  dsn.set("port", join(ports_of));
  dsn.refuse_unsafe(false, plain_text_wanted_);
  return dsn;
}

std::string Dsn::redacted() const {
  std::string text;
  for (const std::string_view keyword : {"host", "port", "user", "dbname"}) {
    const std::string value = get(keyword);
    if (value.empty()) continue;
    if (!text.empty()) text += ' ';
    text += std::string(keyword) + '=' + value;
  }
  return text;
}

std::string Dsn::get(std::string_view keyword) const {
  const auto at = std::find_if(options_.begin(), options_.end(), [&](const auto& o) { return o.first == keyword; });
  return at == options_.end() ? std::string() : at->second;
}

void Dsn::set(std::string_view keyword, std::string value) {
  const auto at = std::find_if(options_.begin(), options_.end(), [&](const auto& o) { return o.first == keyword; });
  if (at != options_.end()) {
    at->second = std::move(value);
  } else {
    options_.emplace_back(keyword, std::move(value));
  }
}

}  // namespace parkbench::postgres
