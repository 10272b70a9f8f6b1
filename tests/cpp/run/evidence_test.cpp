#include "parkbench/run/evidence.hpp"

#include <gtest/gtest.h>

namespace parkbench::run {
namespace {

TEST(Evidence, comes_back_as_it_went) {
  ServerEvidence evidence;
  evidence.facts.table_reads = 7;
  evidence.facts.closed.at = 11;
  evidence.looks.resize(3);
  evidence.looks[2].model.queued = 5;
  evidence.full.resize(1);
  evidence.error_texts = {{"db_error", "42P01"}, {"internal", ""}};
  const auto bytes = evidence.packed();
  const ServerEvidence back = ServerEvidence::unpacked(bytes);
  EXPECT_EQ(back.facts.table_reads, 7U);
  EXPECT_EQ(back.facts.closed.at, 11);
  ASSERT_EQ(back.looks.size(), 3U);
  EXPECT_EQ(back.looks[2].model.queued, 5);
  EXPECT_EQ(back.full.size(), 1U);
  EXPECT_EQ(back.error_texts, evidence.error_texts);
  EXPECT_THROW(ServerEvidence::unpacked(std::span(bytes).first(bytes.size() - 1)), Failure);
}

TEST(Evidence, the_watching_threads_cpu_is_taken_off) {
  ServerFacts facts;
  facts.opened.process.cpu = kSecond;
  facts.closed.process.cpu = 3 * kSecond;
  facts.closed.generator.cpu = kSecond / 4;
  facts.closed.sampler.cpu = kSecond / 4;
  EXPECT_DOUBLE_EQ(cpu_seconds(facts), 1.5);
}

}  // namespace
}  // namespace parkbench::run
