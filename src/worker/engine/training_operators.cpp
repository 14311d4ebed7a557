// What drops values is ours; the rest is asked of the plain kernels.
#include "engine/training_operators.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>

#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention_choices.h"
#include "engine/dropped_attention.h"
#include "engine/dropped_rows.h"
#include "engine/one_dnn_support.h"
#include "engine/operators.h"
#include "engine/plain_operators.h"
#include "engine/trained_linear.h"

namespace transformeter {
namespace {

constexpr std::string_view kNarrow = "fused_dropout";
constexpr std::string_view kWidened = "fused_widened";

// With its gradients, and without drawing what is dropped: that is the training's.
KernelCandidate attention_both_ways(const AttentionInputs& inputs, bool widened) {
  const auto compute = [&inputs, widened] {
    const at::AutoGradMode with_gradients(true);
    AttentionInputs own = inputs;
    own.query = inputs.query.detach().requires_grad_();
    own.key = inputs.key.detach().requires_grad_();
    own.value = inputs.value.detach().requires_grad_();
    own.dropout = 0;
    const at::Tensor output = dropped_attention(own, widened);
    output.backward(at::ones_like(output));
    return output.detach();
  };
  return {widened ? kWidened : kNarrow, [compute] { return compute; }};
}

class FusedDropout final : public PlainOperators {
 public:
  // `kernel` computes what attention of our own cannot.
  FusedDropout(std::unique_ptr<Operators> kernel, const TrainingOperatorOptions& options)
      : kernel_(std::move(kernel)),
        fuses_attention_(options.attention == "sdpa"),
        widens_bf16_(!has_one_dnn_bf16()),
        tries_widening_(options.tries_widening) {}

  at::Tensor attention(const AttentionInputs& inputs) const override {
    const bool must_widen = widens_bf16_ && inputs.query.scalar_type() == c10::ScalarType::BFloat16;
    const bool is_fused = fuses_attention_ && (inputs.dropout > 0 || must_widen) && has_dropped_attention(inputs);
    if (!is_fused) return kernel_->attention(inputs);
    return dropped_attention(inputs, must_widen || (tries_widening_ && is_faster_widened(inputs)));
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return dropped_rows(input, share); }
  std::vector<AttentionChoice> attention_choices() const override { return choices_.all(); }

 private:
  bool is_faster_widened(const AttentionInputs& inputs) const {
    if (inputs.query.scalar_type() == c10::ScalarType::Float) return false;
    const auto candidates = [&] {
      return std::vector{attention_both_ways(inputs, false), attention_both_ways(inputs, true)};
    };
    return choices_.kernel_for(inputs, candidates) == kWidened;
  }

  std::unique_ptr<Operators> kernel_;
  bool fuses_attention_;
  bool widens_bf16_;
  bool tries_widening_;
  mutable AttentionChoices choices_;
};

}  // namespace

std::unique_ptr<Operators> make_training_operators(const TrainingOperatorOptions& options) {
  std::unique_ptr<Operators> plain = make_operators(options.attention, false, options.on_gpu);
  if (!options.fused || options.on_gpu) return plain;
  return std::make_unique<FusedDropout>(std::move(plain), options);
}

std::shared_ptr<const LinearFactory> make_training_linears(const std::string& precision, bool fused, bool on_gpu) {
  if (!fused || on_gpu) return plain_linears();
  const c10::ScalarType type = precision == "fp32" ? c10::ScalarType::Float : c10::ScalarType::BFloat16;
  return std::make_shared<TrainedLinears>(TrainingKernels::of(type, has_one_dnn_bf16()));
}

}  // namespace transformeter
