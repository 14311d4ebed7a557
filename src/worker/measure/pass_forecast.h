// Forecasts the memory of forward passes and requests from the case and its texts, without loading the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/json.h"
#include "datasets/cycle.h"
#include "measure/parts.h"
#include "measure/worker_case.h"
#include "schema/product_choice.h"
#include "spec/model_config.h"

namespace transformeter {

/// Bytes.
struct PassForecast {
  double weights = 0;             // in the form in which they run
  double mapped_weights = 0;      // used where their files lie, and no part of the peak
  double inputs = 0;              // of all batches of the cycle
  double cache = 0;               // keys and values of a request
  double activations = 0;         // of the largest pass, with outputs that are alive meanwhile
  bool kernels_are_known = true;  // else they are still to be tried, and those that take the most memory count

  double peak() const { return weights + inputs + cache + activations; }
};

/// {peak_bytes, weight_bytes, mapped_weight_bytes, input_bytes, cache_bytes, activation_bytes, kernels_known}
Json to_json(const PassForecast& forecast);

/// Whether a trial in the first passes may choose attention in tiles.
bool may_try_tiles(const Case& request);

using KernelChoices = std::function<const ProductChoice*(const ProductSize& size)>;

/// What the memory of a batch depends on.
struct BatchShape {
  std::vector<std::int64_t> lengths;  // of each row, without padding
  std::int64_t sequence_length = 0;
  bool has_types = false;
  std::int64_t beams = 0;  // of a step that several beams read an encoded prompt in; 0: of any other pass

  std::int64_t useful_tokens() const;
  std::int64_t processed_tokens() const { return static_cast<std::int64_t>(lengths.size()) * sequence_length; }
  bool has_padding() const { return useful_tokens() < processed_tokens(); }
};

struct CycleShape {
  std::vector<BatchShape> batches;
  std::vector<BatchShape> beside;  // not run, but staged as well

  static CycleShape of(const Cycle& cycle);
};

/// Nothing where there is no formula: for a GPU, another library, CUDA graphs, TorchScript, and a family without a
/// blueprint. Throws what opening the model's folder throws.
std::optional<PassForecast> forecast_passes(const Case& request, const ModelConfig& config, const CycleShape& cycle,
                                            const WorkerParts& parts, const KernelChoices& chosen);

}  // namespace transformeter
