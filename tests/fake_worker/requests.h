// Requests of the scenario generate: the time to the first token is the session's latency, the steps after it are drawn
// from a shape of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "fake_worker/latency_source.h"
#include "schema/series.h"

namespace transformeter {

class FakeRequests {
 public:
  /// Reads `prompt_length` and `new_tokens` of the case's settings.
  FakeRequests(const Json& settings, const LatencyShape& step, std::uint64_t seed);

  /// latency, time_to_first_token and decode_step, empty.
  static std::vector<Series> empty_block();

  /// Adds the request that begins at `start_s` and whose first token takes `first_s`; returns its latency. Prompts are
  /// taken in turn.
  double take(double first_s, double start_s, std::uint32_t flags, std::vector<Series>& block);

  /// 1 KiB for each token of the prompt and of what follows it.
  double cache_bytes() const;

 private:
  std::int64_t prompt_length_;
  std::int64_t new_tokens_;
  std::int64_t num_beams_;
  LatencySource steps_;
  std::int64_t count_ = 0;
};

}  // namespace transformeter
