#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parkbench::postgres {

/// Where the database is and who asks: a parsed `postgresql://...` or `keyword=value` text. What the text leaves out
/// comes from libpq's environment (PGHOST, PGPORT, PGUSER, ...), taken once, when it is parsed.
///
/// The libpq inside has no TLS. Left alone it would send a password in plain text to a remote host without a word
/// (sslmode=prefer), so a remote host is refused unless the text itself says sslmode=disable.
class Dsn {
 public:
  /// @throws Failure(db_connect) with one sentence that never holds the password or a piece of it.
  static Dsn parse(const std::string& text);

  /// The same with host names replaced by addresses, all of them, so that connecting never asks a name server.
  /// Blocks for as long as the name server takes: for set-up only.
  /// @throws Failure(db_connect) when a name is unknown, or "localhost" is another machine.
  Dsn resolved() const;

  /// Host, port, user and database, fit for a message.
  std::string redacted() const;
  /// The value of a keyword, "" when not set.
  std::string get(std::string_view keyword) const;
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }

 private:
  void set(std::string_view keyword, std::string value);
  void refuse_unsafe(bool is_uri, bool plain_text_wanted) const;
  bool is_remote() const;

  std::vector<std::pair<std::string, std::string>> options_;
  bool plain_text_wanted_ = false;
};

}  // namespace parkbench::postgres
