// What the weights of a model take in memory once it runs, in the forms that an engine keeps them in, and how its
// products treat what follows them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

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
  std::set<std::int64_t> rows;        // of products over all tokens, in each pass; of a request, of its prompt
  std::set<std::int64_t> last_rows;   // where only one token of each row is needed
  bool leaves_out_tokens = false;     // of the last layer
  std::int64_t step_rows = 0;         // of passes over single tokens after that over the prompt; 0: there are none
  int threads = 1;
  /// What earlier trials chose; null: that size was not tried.
  std::function<const ProductChoice*(const ProductSize& size)> chosen;
};

/// A product that is widened.
struct WidenedProduct {
  std::int64_t inputs = 0, outputs = 0;
  std::optional<std::int64_t> rows;  // nothing: any number of them

  auto operator<=>(const WidenedProduct&) const = default;
};

struct WeightMemory {
  double allocated = 0;  // bytes that the allocator is asked for, also for room that a library does not fill
  double mapped = 0;     // bytes of files
  /// Else kernels are still to be tried, and these take the most memory; where MKL does not tell the size of its form,
  /// that counts as the plain weights.
  bool is_known = true;
  /// Includes products whose kernel is not chosen yet.
  std::set<WidenedProduct> widened;

  bool widens(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) const {
    return widened.contains({inputs, outputs, {}}) || widened.contains({inputs, outputs, rows});
  }
};

ActivationForm activation_form(const LinearOptions& options, Activation activation);
bool adds_in_place(const LinearOptions& options);

WeightMemory weight_memory(const ModelConfig& config, Task task, const WeightPlan& plan);

}  // namespace transformeter
