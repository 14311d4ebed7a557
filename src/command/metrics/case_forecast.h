// What a case will take, as far as is known before it is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace transformeter {

/// Of one case. Bytes, but for its work.
struct CaseForecast {
  std::optional<double> peak;         // of live tensors; nothing: no forecast
  std::optional<double> weights;      // of it, in the form in which they run
  std::optional<double> gradients;    // of a training step; not all parts need be alive at its peak
  std::optional<double> optimizer;    // likewise, its state
  std::optional<double> activations;  // of it, of the largest pass
  std::optional<double> inputs;       // of it, of all batches
  std::optional<double> cache;        // of it, keys and values of a request
  std::optional<double> mapped;       // beside it: weights that are used where their files lie
  std::optional<double> flops;        // useful, of a batch or a training step; nothing: no formula, or requests
  double batches = 1;                 // of a cycle
  bool is_upper_bound = false;        // kernels are still to be tried, and those that take the most count
  std::string reason;                 // why there is no forecast
  std::optional<std::int64_t> limit;  // of the worker's memory; nothing: none is known

  /// Of a worker without a model, and what it takes for a moment while it loads a small one.
  static constexpr double kOwnBytes = 256.0 * (1 << 20);
  bool is_tight() const { return peak && limit && *peak + kOwnBytes > static_cast<double>(*limit); }
  bool may_exceed_limit() const { return peak && limit && *peak > static_cast<double>(*limit); }
  bool exceeds_limit() const { return may_exceed_limit() && !is_upper_bound; }
};

}  // namespace transformeter
