// The batches the fake worker pretends to run, and their true sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"

namespace transformeter {

struct FakeBatch {
  std::int64_t examples = 0;
  std::int64_t useful_tokens = 0;
  std::int64_t processed_tokens = 0;
};

/// The cycle for the requested `batch_size` (default 1) and `sequence_length`: one batch for a number,
/// `natural_batches` of growing length for "natural" (the default). In a batch of several, every second text or so is
/// padded. Of requests one batch, the prompt; offline one, the whole cycle.
std::vector<FakeBatch> fake_cycle(const Json& settings, std::int64_t natural_batches);

/// Processed tokens of each batch relative to their mean.
std::vector<double> relative_sizes(const std::vector<FakeBatch>& cycle);

}  // namespace transformeter
