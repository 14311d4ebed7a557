// A trial holds the lock: another stream that asks for attention meanwhile waits.
#include "engine/tried_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/record_function.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "engine/kernel_trial.h"
#include "engine/plain_operators.h"

namespace transformeter {
namespace {

constexpr std::int64_t kFewestQueries = 16;
// Rounding scores to 16 bits changes less, unless they are very large; a wrong layout or no mask changes far more.
constexpr double kTolerance = 0.05;
constexpr std::string_view kOurs = "tiled";

std::int64_t power_of_two(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)));
}

AttentionChoice try_kernels(const AttentionKind& kind, const AttentionInputs& inputs, TriedAttention::Kernel ours) {
  const at::DisableRecordFunctionGuard no_records;
  const auto candidate = [&](std::string_view name, TriedAttention::Kernel kernel) {
    return KernelCandidate{name, [&inputs, kernel] { return [&inputs, kernel] { return kernel(inputs); }; }};
  };
  const std::vector<KernelCandidate> candidates{candidate("sdpa", &library_attention), candidate(kOurs, ours)};
  KernelChoice choice = choose_kernel(candidates, 0, kTolerance, SystemClock());
  return {kind, std::string(candidates[choice.index].name), std::move(choice.trials), choice.is_steady};
}

}  // namespace

AttentionKind kind_of(const AttentionInputs& inputs) {
  return {.queries = power_of_two(inputs.query.size(2)),
          .keys = power_of_two(inputs.key.size(2)),
          .has_mask = inputs.mask.defined(),
          .is_causal = inputs.is_causal,
          .threads = at::get_num_threads()};
}

TriedAttention::Kernel TriedAttention::kernel_for(const AttentionInputs& inputs) const {
  const AttentionKind kind = kind_of(inputs);
  const std::lock_guard lock(mutex_);
  auto found = choices_.find(kind);
  if (found == choices_.end()) found = choices_.emplace(kind, try_kernels(kind, inputs, ours_)).first;
  return found->second.kernel == kOurs ? ours_ : &library_attention;
}

at::Tensor TriedAttention::operator()(const AttentionInputs& inputs) const {
  const bool is_wide = inputs.query.scalar_type() == c10::ScalarType::Float;
  if (is_wide || inputs.dropout > 0 || inputs.query.size(2) < kFewestQueries) return library_attention(inputs);
  return kernel_for(inputs)(inputs);
}

std::vector<AttentionChoice> TriedAttention::choices() const {
  const std::lock_guard lock(mutex_);
  std::vector<AttentionChoice> all;
  for (const auto& [kind, choice] : choices_) all.push_back(choice);
  return all;
}

}  // namespace transformeter
