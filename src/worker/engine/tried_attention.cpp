// A trial holds the lock: another stream that asks for attention meanwhile waits.
#include "engine/tried_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/record_function.h>

#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "engine/kernel_trial.h"
#include "engine/plain_operators.h"

namespace transformeter {
namespace {

using Kernel = TriedAttention::Kernel;

constexpr std::int64_t kFewestQueries = 16;
// Rounding scores to 16 bits changes less, unless they are very large; a wrong layout or no mask changes far more.
constexpr double kTolerance = 0.05;

struct Kind {
  c10::ScalarType type;
  std::int64_t heads, groups, width;
  int queries, keys;  // powers of two
  bool has_mask, is_causal;
  int threads;
  auto operator<=>(const Kind&) const = default;
};

int power_of_two(std::int64_t count) {
  return std::bit_width(static_cast<std::uint64_t>(count));
}

Kind kind_of(const AttentionInputs& inputs) {
  return {.type = inputs.query.scalar_type(),
          .heads = inputs.query.size(1),
          .groups = inputs.key.size(1),
          .width = inputs.query.size(3),
          .queries = power_of_two(inputs.query.size(2)),
          .keys = power_of_two(inputs.key.size(2)),
          .has_mask = inputs.mask.defined(),
          .is_causal = inputs.is_causal,
          .threads = at::get_num_threads()};
}

Kernel faster(const AttentionInputs& inputs, Kernel ours) {
  const at::DisableRecordFunctionGuard no_records;
  const auto candidate = [&](std::string_view name, Kernel kernel) {
    return KernelCandidate{name, [&inputs, kernel] { return [&inputs, kernel] { return kernel(inputs); }; }};
  };
  const KernelChoice choice =
      choose_kernel({candidate("sdpa", &library_attention), candidate("tiled", ours)}, 0, kTolerance, SystemClock());
  return choice.index == 0 ? &library_attention : ours;
}

}  // namespace

struct TriedAttention::Choices {
  Kernel ours;
  std::mutex mutex;
  std::map<Kind, Kernel> kernels;

  explicit Choices(Kernel kernel) : ours(kernel) {}

  Kernel of(const AttentionInputs& inputs) {
    const Kind kind = kind_of(inputs);
    const std::lock_guard lock(mutex);
    auto found = kernels.find(kind);
    if (found == kernels.end()) found = kernels.emplace(kind, faster(inputs, ours)).first;
    return found->second;
  }
};

TriedAttention::TriedAttention(Kernel ours) : choices_(std::make_unique<Choices>(ours)) {}

TriedAttention::~TriedAttention() = default;

at::Tensor TriedAttention::operator()(const AttentionInputs& inputs) const {
  const bool is_wide = inputs.query.scalar_type() == c10::ScalarType::Float;
  if (is_wide || inputs.dropout > 0 || inputs.query.size(2) < kFewestQueries) return library_attention(inputs);
  return choices_->of(inputs)(inputs);
}

}  // namespace transformeter
