// What the weights of a model take in memory once it runs, in the forms that an engine keeps them in, and how its
// products treat what follows them.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "engine/linear_factories.h"
#include "schema/product_choice.h"
#include "spec/blueprint.h"
#include "spec/forward_memory.h"
#include "spec/model_config.h"

namespace transformeter {

/// Of a model that is to be loaded.
struct WeightPlan {
  LinearOptions linears;
  std::int64_t bytes_per_weight = 4;  // of those that are not in 8 bits
  std::set<std::string> mapped;       // tensors that are used where their file lies
  std::set<std::int64_t> rows;        // of products over all tokens, in each pass
  std::set<std::int64_t> last_rows;   // where only one token of each row is needed
  bool leaves_out_tokens = false;     // of the last layer
  bool reads_last_token = false;      // as the head of a generating model
  int threads = 1;
  /// What earlier trials chose; null: that size was not tried.
  std::function<const ProductChoice*(const ProductSize& size)> chosen;
};

struct WeightMemory {
  double allocated = 0;  // bytes that the allocator is asked for, also for room that a library does not fill
  double mapped = 0;     // bytes of files
  /// Else kernels are still to be tried, and these take the most memory; where MKL does not tell the size of its form,
  /// that counts as the plain weights.
  bool is_known = true;
  /// Inputs and outputs of products that are widened, or of which that is still to be tried.
  std::set<std::pair<std::int64_t, std::int64_t>> widened;
};

ActivationForm activation_form(const LinearOptions& options, Activation activation);
bool adds_in_place(const LinearOptions& options);

WeightMemory weight_memory(const ModelConfig& config, Task task, const WeightPlan& plan);

}  // namespace transformeter
