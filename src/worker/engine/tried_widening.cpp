// Both ways round what they compute to 16 bits: outputs differ by little more.
#include "engine/tried_widening.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/record_function.h>

#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/dropped_attention.h"
#include "engine/kernel_trial.h"
#include "engine/tried_attention.h"

namespace transformeter {
namespace {

constexpr double kRoundingTolerance = 0.05;
constexpr std::string_view kNarrow = "fused_dropout";
constexpr std::string_view kWidened = "fused_widened";

KernelCandidate computed(const AttentionInputs& inputs, bool widened) {
  return {widened ? kWidened : kNarrow, [&inputs, widened] {
            return [&inputs, widened] {
              AttentionInputs own = inputs;
              own.query = inputs.query.detach().requires_grad_();
              own.key = inputs.key.detach().requires_grad_();
              own.value = inputs.value.detach().requires_grad_();
              own.dropout = 0;
              const at::Tensor output = dropped_attention(own, widened);
              output.backward(at::ones_like(output));
              return output.detach();
            };
          }};
}

AttentionChoice try_both(const AttentionKind& kind, const AttentionInputs& inputs) {
  const at::DisableRecordFunctionGuard no_records;
  const at::AutoGradMode with_gradients(true);
  const std::vector<KernelCandidate> candidates{computed(inputs, false), computed(inputs, true)};
  KernelChoice choice = choose_kernel(candidates, 0, kRoundingTolerance, SystemClock());
  return {kind, std::string(candidates[choice.index].name), std::move(choice.trials), choice.is_steady};
}

}  // namespace

bool TriedWidening::widens(const AttentionInputs& inputs) const {
  if (inputs.query.scalar_type() == c10::ScalarType::Float) return false;
  const AttentionKind kind = kind_of(inputs);
  const std::lock_guard lock(mutex_);
  auto found = choices_.find(kind);
  if (found == choices_.end()) found = choices_.emplace(kind, try_both(kind, inputs)).first;
  return found->second.kernel == kWidened;
}

std::vector<AttentionChoice> TriedWidening::choices() const {
  const std::lock_guard lock(mutex_);
  std::vector<AttentionChoice> all;
  for (const auto& [kind, choice] : choices_) all.push_back(choice);
  return all;
}

}  // namespace transformeter
