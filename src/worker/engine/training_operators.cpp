// What drops values is ours; the rest is asked of the plain kernels.
#include "engine/training_operators.h"

#include <utility>

#include "engine/dropped_attention.h"
#include "engine/dropped_rows.h"
#include "engine/one_dnn_support.h"
#include "engine/operators.h"
#include "engine/plain_operators.h"
#include "engine/trained_linear.h"
#include "engine/tried_widening.h"

namespace transformeter {
namespace {

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
    return dropped_attention(inputs, must_widen || (tries_widening_ && widening_.widens(inputs)));
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return dropped_rows(input, share); }
  std::vector<AttentionChoice> attention_choices() const override { return widening_.choices(); }

 private:
  std::unique_ptr<Operators> kernel_;
  bool fuses_attention_;
  bool widens_bf16_;
  bool tries_widening_;
  TriedWidening widening_;
};

}  // namespace

std::unique_ptr<Operators> make_training_operators(const TrainingOperatorOptions& options) {
  std::unique_ptr<Operators> plain = make_operators(options.attention, false, options.on_gpu);
  if (!options.fused || options.on_gpu) return plain;
  return std::make_unique<FusedDropout>(std::move(plain), options);
}

std::shared_ptr<const LinearFactory> make_training_linears(const std::string& precision, bool fused, bool on_gpu) {
  if (!fused || on_gpu) return plain_linears();
  if (precision == "fp32") return std::make_shared<TrainedLinears>(at::kFloat);
  return has_one_dnn_bf16() ? plain_linears() : std::make_shared<TrainedLinears>(at::kBFloat16);
}

}  // namespace transformeter
