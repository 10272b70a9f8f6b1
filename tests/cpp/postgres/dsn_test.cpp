#include "parkbench/postgres/dsn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parkbench/base/error.hpp"

namespace parkbench::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Error refusal(const std::string& text) {
  try {
    Dsn::parse(text);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

TEST(Dsn, ReadsBothForms) {
  const Dsn uri = Dsn::parse("postgresql://bob:s3cret@127.0.0.1:6543/shop?sslmode=disable");
  EXPECT_EQ(uri.get("host"), "127.0.0.1");
  EXPECT_EQ(uri.get("port"), "6543");
  EXPECT_EQ(uri.get("user"), "bob");
  EXPECT_EQ(uri.get("password"), "s3cret");
  EXPECT_EQ(uri.get("dbname"), "shop");
  const Dsn words = Dsn::parse("host=/run/pg user=bob dbname=shop");
  EXPECT_EQ(words.get("host"), "/run/pg");
  EXPECT_EQ(words.get("port"), "5432");
}

TEST(Dsn, RedactedShowsWhereAndWhoButNoPassword) {
  const Dsn dsn = Dsn::parse("postgresql://bob:s3cret@localhost/shop");
  EXPECT_EQ(dsn.redacted(), "host=localhost port=5432 user=bob dbname=shop");
}

TEST(Dsn, ARemoteHostIsRefusedWithTheRemedyUnlessPlainTextIsAskedFor) {
  for (const char* remote :
       {"postgresql://u@db.example.com/d", "host=10.0.0.5", "host=localhost,10.0.0.5", "host=/run/pg hostaddr=10.0.0.5",
        "postgresql://u@db.example.com/d?sslmode=prefer", "host=localhost.example.com"}) {
    const Error error = refusal(remote);
    EXPECT_EQ(error.code, ErrorCode::db_connect) << remote;
    EXPECT_THAT(error.message, HasSubstr("sslmode=disable")) << remote;
  }
  for (const char* fine : {"postgresql://u@db.example.com/d?sslmode=disable", "host=localhost", "host=127.0.0.1",
                           "host=::1", "postgresql://u@[::1]/d", "host=/run/pg", "host=@abstract",
                           "host=far.example.com hostaddr=127.0.0.1", "postgresql:///d"}) {
    EXPECT_EQ(refusal(fine).code, ErrorCode::none) << fine << ": " << refusal(fine).message;
  }
}

TEST(Dsn, DemandedTlsIsRefusedAlsoOnThisMachine) {
  for (const char* mode : {"require", "verify-ca", "verify-full"}) {
    const Error error = refusal(std::string("host=localhost sslmode=") + mode);
    EXPECT_EQ(error.code, ErrorCode::db_connect);
    EXPECT_THAT(error.message, HasSubstr("TLS"));
  }
}

TEST(Dsn, NoRefusalHoldsAPieceOfThePassword) {
  for (const char* text : {
           "postgresql://bob:hun%zzter2@localhost/d",   // not percent-encoded
           "host=localhost password=hun hunter2",       // a space, not quoted
           "host=localhost password='hunter2",          // quote not closed
           "postgresql://bob:hun@hunter2@localhost/d",  // '@' as it is: the rest reads as host
           "postgresql://bob:hun/hunter2@localhost/d",  // '/' as it is: reads as port and database
           "postgresql://bob:12/hunter2@localhost/d",   // the same with a port that is a number
           "postgresql://localhost/d?pass=hunter2",     // no such option
           "postgresql://bob@localhost/d?password=a&hunter2=b",
           "postgresql://bob:hunter2@db.example.com/d",
           "host=localhost sslmode=require password=hunter2",
           "host=localhost port=hunter2",
           "postgresql://bob:pw@[::1hunter2/d",
       }) {
    const Error error = refusal(text);
    EXPECT_EQ(error.code, ErrorCode::db_connect) << text;
    EXPECT_THAT(error.message, Not(HasSubstr("hunter2"))) << text;
    EXPECT_THAT(error.message, Not(HasSubstr("\n"))) << text;
  }
}

TEST(Dsn, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(refusal("").code, ErrorCode::db_connect);
  EXPECT_EQ(refusal(std::string("host=localhost\0 user=x", 22)).code, ErrorCode::db_connect);
  EXPECT_EQ(refusal("service=prod").code, ErrorCode::db_connect);
  EXPECT_EQ(refusal("host=localhost port=70000").code, ErrorCode::db_connect);
}

TEST(Dsn, ResolvedHoldsEveryAddressOfEveryHostWithItsPort) {
  const Dsn dsn = Dsn::parse("host=/run/pg,127.0.0.1,::1 port=1,2,3").resolved();
  EXPECT_EQ(dsn.get("host"), "/run/pg,127.0.0.1,::1");
  EXPECT_EQ(dsn.get("hostaddr"), ",127.0.0.1,::1");
  EXPECT_EQ(dsn.get("port"), "1,2,3");
}

TEST(Dsn, AnUnknownHostIsToldOnceResolved) {
  const Dsn dsn = Dsn::parse("host=no-such-host.invalid sslmode=disable");
  EXPECT_THROW(dsn.resolved(), Failure);
}

}  // namespace
}  // namespace parkbench::postgres
