#pragma once

#include <string>
#include <vector>

namespace parkbench::http {

/// One line of corpus/bad_requests.jsonl; tests/python/http_corpus.py says what its fields mean.
struct BadRequest {
  int line = 0;
  std::string name;
  std::string bytes;
  std::vector<std::string> expect;
};

/// @throws std::runtime_error for a file that is missing or malformed.
std::vector<BadRequest> bad_requests();

}  // namespace parkbench::http
