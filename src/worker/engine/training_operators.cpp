// What drops values is ours; the rest is asked of the plain kernels.
#include "engine/training_operators.h"

#include <utility>

#include "engine/dropped_attention.h"
#include "engine/dropped_rows.h"
#include "engine/one_dnn_support.h"
#include "engine/operators.h"
#include "engine/plain_operators.h"
#include "engine/trained_linear.h"

namespace transformeter {
namespace {

class FusedDropout final : public PlainOperators {
 public:
  // `kernel` computes what attention of our own cannot.
  FusedDropout(std::unique_ptr<Operators> kernel, bool fuses_attention)
      : kernel_(std::move(kernel)), fuses_attention_(fuses_attention), widens_bf16_(!has_one_dnn_bf16()) {}

  at::Tensor attention(const AttentionInputs& inputs) const override {
    const bool is_widened = widens_bf16_ && inputs.query.scalar_type() == c10::ScalarType::BFloat16;
    const bool is_fused = fuses_attention_ && (inputs.dropout > 0 || is_widened) && has_dropped_attention(inputs);
    return is_fused ? dropped_attention(inputs, is_widened) : kernel_->attention(inputs);
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return dropped_rows(input, share); }

 private:
  std::unique_ptr<Operators> kernel_;
  bool fuses_attention_;
  bool widens_bf16_;
};

}  // namespace

std::unique_ptr<Operators> make_training_operators(const std::string& attention, bool fused, bool on_gpu) {
  std::unique_ptr<Operators> plain = make_operators(attention, false, on_gpu);
  if (!fused || on_gpu) return plain;
  return std::make_unique<FusedDropout>(std::move(plain), attention == "sdpa");
}

std::shared_ptr<const LinearFactory> make_training_linears(const std::string& precision, bool fused, bool on_gpu) {
  if (!fused || on_gpu) return plain_linears();
  if (precision == "fp32") return std::make_shared<TrainedLinears>(at::kFloat);
  return has_one_dnn_bf16() ? plain_linears() : std::make_shared<TrainedLinears>(at::kBFloat16);
}

}  // namespace transformeter
