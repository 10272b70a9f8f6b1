#include "parkbench/run/evidence.hpp"

#include <algorithm>

#include "parkbench/run/link.hpp"

namespace parkbench::run {

double cpu_seconds(const ServerFacts& facts) {
  const Ns all = facts.closed.process.cpu - facts.opened.process.cpu;
  const Ns watching =
      facts.closed.generator.cpu - facts.opened.generator.cpu + facts.closed.sampler.cpu - facts.opened.sampler.cpu;
  return static_cast<double>(std::max<Ns>(0, all - watching)) / static_cast<double>(kSecond);
}

std::vector<std::byte> ServerEvidence::packed() const {
  Packer packer;
  packer.put(facts);
  packer.put(looks);
  packer.put(full);
  packer.put(error_texts.size());
  for (const auto& [cause, text] : error_texts) {
    packer.put(cause);
    packer.put(text);
  }
  return {packer.bytes().begin(), packer.bytes().end()};
}

ServerEvidence ServerEvidence::unpacked(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  ServerEvidence evidence;
  evidence.facts = unpacker.take<ServerFacts>();
  evidence.looks = unpacker.take_all<Sample>();
  evidence.full = unpacker.take_all<Sample>();
  const auto texts = unpacker.take<std::size_t>();
  for (std::size_t i = 0; i < texts; ++i) {
    std::string cause = unpacker.take_text();
    evidence.error_texts.emplace_back(std::move(cause), unpacker.take_text());
  }
  return evidence;
}

}  // namespace parkbench::run
