#pragma once

#include <utility>

#include "parkbench/postgres/connection_pool.hpp"

namespace parkbench::postgres {

/// A connection on loan: goes back to its pool when this ends.
class Lease {
 public:
  Lease() = default;
  Lease(ConnectionPool& pool, Connection& connection) : pool_(&pool), connection_(&connection) {}
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), connection_(std::exchange(other.connection_, nullptr)) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      pool_ = std::exchange(other.pool_, nullptr);
      connection_ = std::exchange(other.connection_, nullptr);
    }
    return *this;
  }
  ~Lease() { release(); }

  explicit operator bool() const { return connection_ != nullptr; }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }
  void release() {
    if (connection_ != nullptr) pool_->release(*std::exchange(connection_, nullptr));
    pool_ = nullptr;
  }

 private:
  ConnectionPool* pool_ = nullptr;
  Connection* connection_ = nullptr;
};

}  // namespace parkbench::postgres
