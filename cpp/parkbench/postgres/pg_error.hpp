#pragma once

#include <string>
#include <string_view>

#include "parkbench/base/error.hpp"

struct pg_conn;
struct pg_result;

namespace parkbench::postgres {

/// An error result as ours: db_connection_lost for the classes 08 and 57P01-57P03, else db_error with
/// "SQLSTATE 22012: division by zero".
Error result_error(const pg_result* result);

/// The connection broke: db_connection_lost with the first line of what libpq knows.
Error lost_error(const pg_conn* connection);

/// The SQLSTATE in a message of this layer, "" where the server gave none.
std::string sqlstate_of(std::string_view message);

/// Why an attempt to connect failed, and whether the next may succeed: the server is starting, stopping, full or not
/// there yet. Wrong passwords, users and databases are not tried again.
struct ConnectFailure {
  Error error;
  bool transient = false;
};
/// @param where the address without password, for the message.
ConnectFailure connect_failure(const pg_conn* connection, const std::string& where);

}  // namespace parkbench::postgres
