// Cutting the cycle of texts of natural lengths that takes too long for the time limit, or too many batches for a fixed
// number of samples, alike for all cases that measure the same texts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/units.h"

namespace transformeter {

/// What one case knows of its full cycle.
struct FullCycle {
  std::int64_t examples = 0;
  std::int64_t batches = 0;  // K
  Seconds forecast{0};       // of one cycle
};

/// Of all cases that measure the same texts.
struct BatchSizes {
  std::int64_t smallest = 1;
  std::int64_t largest = 1;
};

/// Two full batches of the largest size: fewer do not stand for their lengths.
std::int64_t fewest_examples(const BatchSizes& sizes);

struct TimeForCycles {
  Seconds limit{30};
  std::int64_t cycles = 7;  // that must fit into it: those measured, and one to warm up
};

/// Examples kept of a cycle of more than one batch: nothing when `time.cycles` of them fit into the limit, else
/// max(min(N, fewest), ⌊N · limit ÷ (2 · cycles) ÷ forecast⌋). Nothing for a forecast that is not positive and finite.
std::optional<std::int64_t> cut_cycle(const FullCycle& cycle, const TimeForCycles& time, std::int64_t fewest);

/// The same where batches are counted: the smallest batch size has cycles of `batches_per_cycle`, if these hold the
/// fewest examples, and all others measure the same texts.
std::optional<std::int64_t> cut_to_batches(const FullCycle& cycle, std::int64_t batches_per_cycle,
                                           const BatchSizes& sizes);

/// What the first case of each set of texts decided; later cases, whatever their engine or batch size, follow.
class CycleCuts {
 public:
  /// The decision for these texts (see text_key), made now when it is the first.
  std::optional<std::int64_t> decide(const std::string& texts, const FullCycle& cycle, const TimeForCycles& time,
                                     std::int64_t fewest);
  /// For resume: takes over what a stored case ran with, from its effective settings.
  void remember(const std::string& texts, const Json& effective);

 private:
  std::map<std::string, std::optional<std::int64_t>> decided_;
};

}  // namespace transformeter
