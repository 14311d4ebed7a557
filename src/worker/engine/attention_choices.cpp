// A trial holds the lock: another stream that asks for attention meanwhile waits.
#include "engine/attention_choices.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/record_function.h>

#include <bit>
#include <cstdint>
#include <utility>

namespace transformeter {
namespace {

// Rounding scores to 16 bits changes less, unless they are very large; a wrong layout or no mask changes far more.
constexpr double kAttentionTolerance = 0.05;

std::int64_t power_of_two(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count)));
}

AttentionKind kind_of(const AttentionInputs& inputs) {
  return {.queries = power_of_two(inputs.query.size(2)),
          .keys = power_of_two(inputs.key.size(2)),
          .has_mask = inputs.mask.defined(),
          .is_causal = inputs.is_causal,
          .threads = at::get_num_threads()};
}

AttentionChoice try_kernels(const AttentionKind& kind, const std::vector<KernelCandidate>& candidates) {
  const at::DisableRecordFunctionGuard no_records;
  KernelChoice choice = choose_kernel(candidates, 0, kAttentionTolerance, system_meters());
  return {kind, std::string(candidates[choice.index].name), std::move(choice.trials), choice.is_steady};
}

}  // namespace

const std::string& AttentionChoices::kernel_for(const AttentionInputs& inputs, const Candidates& candidates) {
  const AttentionKind kind = kind_of(inputs);
  const std::lock_guard lock(mutex_);
  auto found = choices_.find(kind);
  if (found == choices_.end()) found = choices_.emplace(kind, try_kernels(kind, candidates())).first;
  return found->second.kernel;
}

std::vector<AttentionChoice> AttentionChoices::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<AttentionChoice> all;
  for (const auto& [kind, choice] : choices_) all.push_back(choice);
  return all;
}

}  // namespace transformeter
