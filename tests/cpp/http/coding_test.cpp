#include "parkbench/http/coding.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

TEST(Coding, is_chunked_in_any_case_and_nothing_else) {
  for (const char* good : {"chunked", "CHUNKED", "Chunked"}) EXPECT_EQ(transfer_coding(good), Coding::chunked) << good;
}

TEST(Coding, that_is_a_proper_list_of_others_is_unknown) {
  for (const char* other : {"gzip", "identity", "pigeons", "gzip, deflate", "gzip,chunked", "gzip , \tChunked"}) {
    EXPECT_EQ(transfer_coding(other), Coding::unknown) << other;
  }
}

TEST(Coding, that_two_readers_could_see_two_ways_is_malformed) {
  for (const char* bad :
       {"", ",", ",chunked", "chunked,", "chunked, chunked", "chunked, gzip", "xchunked", "chunkedx", "chunkedchunked",
        "\xa0"
        "chunked",
        "\"chunked\"", "chunked;q=1", "chun ked", "gzip,,deflate", "x-chunked, chunked"}) {
    EXPECT_EQ(transfer_coding(bad), Coding::malformed) << bad;
  }
}

}  // namespace
}  // namespace parkbench::http
