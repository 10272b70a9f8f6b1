#include "parkbench/http/target.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

TEST(Target, is_cut_at_its_question_mark) {
  Target parts;
  EXPECT_EQ(split_target("/a/b?c=1?d", false, parts), nullptr);
  EXPECT_EQ(parts.path, "/a/b");
  EXPECT_EQ(parts.query, "c=1?d");
  EXPECT_EQ(split_target("/", false, parts), nullptr);
  EXPECT_EQ(parts.path, "/");
  EXPECT_EQ(parts.query, "");
}

TEST(Target, may_be_absolute) {
  Target parts;
  EXPECT_EQ(split_target("http://h:80/a?b", false, parts), nullptr);
  EXPECT_EQ(parts.path, "/a");
  EXPECT_EQ(parts.query, "b");
  EXPECT_EQ(split_target("HTTP://[::1]?b", false, parts), nullptr);
  EXPECT_EQ(parts.path, "");
  EXPECT_EQ(parts.query, "b");
  EXPECT_NE(split_target("http://", false, parts), nullptr);
  EXPECT_NE(split_target("https://h/", false, parts), nullptr);
}

TEST(Target, may_be_an_asterisk_where_that_is_allowed) {
  Target parts;
  EXPECT_EQ(split_target("*", true, parts), nullptr);
  EXPECT_EQ(parts.path, "*");
  EXPECT_NE(split_target("*", false, parts), nullptr);
  EXPECT_NE(split_target("**", true, parts), nullptr);
}

TEST(Target, is_well_escaped) {
  Target parts;
  for (const char* good : {"/%41", "/a%2fb%2F", "/?x=%20"})
    EXPECT_EQ(split_target(good, false, parts), nullptr) << good;
  for (const char* bad : {"/%", "/%4", "/%4g", "/%00", "/a%41%", "/?x=%0"}) {
    EXPECT_NE(split_target(bad, false, parts), nullptr) << bad;
  }
}

TEST(Host, is_a_name_or_an_address_and_perhaps_a_port) {
  for (const char* good : {"", "a", "a.b-c_d~", "127.0.0.1", "a:", "a:80", "[::1]", "[::ffff:1.2.3.4]:80", "a%20b"}) {
    EXPECT_TRUE(is_host(good)) << good;
  }
  for (const char* bad :
       {"a b", "a,b", "a/b", "u@a", "a:b", "a:1:2", "[", "[]", "[::1", "[g]", "[::1]a", "a[", "a]", "%"}) {
    EXPECT_FALSE(is_host(bad)) << bad;
  }
}

}  // namespace
}  // namespace parkbench::http
