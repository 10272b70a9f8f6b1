#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "parkbench/base/unique_fd.hpp"
#include "parkbench/postgres/dsn.hpp"

namespace parkbench::postgres::testing {

/// A real PostgreSQL for one test program: started for its first test, gone after its last. PARKBENCH_TEST_DSN names
/// another server instead; it must let the tests kill its backends.
///
/// Its directory is made by mkdtemp. However the test program ends, the server dies with it (pdeathsig) and a helper
/// at the other end of a pipe removes the directory.
class TestServer {
 public:
  TestServer() {
    if (const char* dsn = std::getenv("PARKBENCH_TEST_DSN"); dsn != nullptr) {
      dsn_ = dsn;
      return;
    }
    std::array<char, 64> path{"/tmp/parkbench_pg_XXXXXX"};
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory for the test database");
    directory_ = path.data();
    run(as_user({binary("initdb"), "--no-sync", "-A", "trust", "-U", "parkbench", "-E", "UTF8", "--locale=C", "-D",
                 directory_ + "/data"}));
    // The role `locked` must show a password, all others are let in.
    const std::string rules = directory_ + "/data/pg_hba.conf";
    std::ofstream(rules) << "local all locked scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n";
    port_ = free_port();
    const std::string port = std::to_string(port_);
    dsn_ = "host=" + directory_ + " port=" + port + " user=parkbench dbname=postgres";
    server_ = spawn(as_user({"setpriv", "--pdeathsig",
                             "INT",     binary("postgres"),
                             "-D",      directory_ + "/data",
                             "-k",      directory_,
                             "-h",      "127.0.0.1",
                             "-p",      port,
                             "-c",      "fsync=off",
                             "-c",      "max_connections=120",
                             "-c",      "dynamic_shared_memory_type=mmap",
                             "-c",      "restart_after_crash=on"}));
    start_sweeper();
    for (int tries = 0; call({binary("pg_isready"), "-q", "-h", directory_, "-p", port}) != 0; ++tries) {
      if (tries == 600) throw std::runtime_error("the test database does not come up; see " + directory_ + "/log");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  ~TestServer() {
    if (server_ > 0) {
      kill(server_, SIGINT);
      waitpid(server_, nullptr, 0);
    }
    alive_.reset();
    if (sweeper_ > 0) waitpid(sweeper_, nullptr, 0);
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Dsn dsn() const { return Dsn::parse(dsn_); }
  const std::string& text() const { return dsn_; }
  /// The same server with the option changed or added.
  Dsn dsn_with(const std::string& option) const { return Dsn::parse(dsn_ + " " + option); }
  /// The port on 127.0.0.1, 0 for a server named by PARKBENCH_TEST_DSN.
  int port() const { return port_; }
  /// Where the server's files and socket are, "" for a server named by PARKBENCH_TEST_DSN.
  const std::string& directory() const { return directory_; }

 private:
  using Command = std::vector<std::string>;

  static std::string binary(const std::string& name) { return std::string(PARKBENCH_PG_ROOT "/bin/") + name; }

  static int free_port() {
    const UniqueFd probe(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (bind(probe.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("no free port for the test database");
    }
    return ntohs(address.sin_port);
  }

  /// PostgreSQL refuses to run as root: root becomes user 1000 of a namespace of its own.
  static Command as_user(Command command) {
    if (geteuid() == 0) {
      const Command prefix{"unshare", "--user", "--map-user=1000", "--map-group=1000"};
      command.insert(command.begin(), prefix.begin(), prefix.end());
    }
    return command;
  }
  /// Waits for the end of this program, then for the server's, then removes the directory.
  void start_sweeper() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the test database");
    alive_ = UniqueFd(ends[1]);
    const UniqueFd theirs(ends[0]);
    sweeper_ = spawn({"setsid", "sh", "-c",
                      "read _; n=0; while kill -0 $2 && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done; rm -rf \"$1\"",
                      "sweeper", directory_, std::to_string(server_)},
                     theirs.get());
  }
  pid_t spawn(const Command& command, int input = -1) const {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::string log = directory_ + "/log";
    const pid_t child = fork();
    if (child == 0) {
      const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      if (input >= 0 && dup2(input, STDIN_FILENO) < 0) _exit(126);
      if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(126);
      execvp(arguments.front(), arguments.data());
      _exit(127);
    }
    return child;
  }
  int call(const Command& command) const {
    int status = -1;
    const pid_t child = spawn(command);
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void run(const Command& command) const {
    if (call(command) != 0) throw std::runtime_error("'" + command.front() + "' failed; see " + directory_ + "/log");
  }

  std::string dsn_;
  std::string directory_;
  int port_ = 0;
  pid_t server_ = -1;
  UniqueFd alive_;  // its end tells the sweeper of ours
  pid_t sweeper_ = -1;
};

inline std::unique_ptr<TestServer>& server_slot() {
  static std::unique_ptr<TestServer> slot;
  return slot;
}

/// The program's server; started on first use.
inline TestServer& server() {
  if (!server_slot()) server_slot() = std::make_unique<TestServer>();
  return *server_slot();
}

class StopServer final : public ::testing::Environment {
 public:
  void TearDown() override { server_slot().reset(); }
};
inline ::testing::Environment* const kStopServer = ::testing::AddGlobalTestEnvironment(new StopServer);

}  // namespace parkbench::postgres::testing
