// Written so that the compiler vectorises the loops over columns.
#include "engine/activation_rows.h"

#include "engine/row_access.h"

namespace transformeter {
namespace {

// x P(x²) ÷ Q(x²), fitted to erf on [−4, 4] (weighted least squares, reweighted towards the largest error, 5e-8); what
// lies outside has erf(4), 1.5e-8 off.
inline float error_function(float x) {
  constexpr float kEnd = 4;
  const float above = x < -kEnd ? -kEnd : x;
  const float bounded = above > kEnd ? kEnd : above;
  const float t = bounded * bounded;
  float p = 1.92172695e-8F;
  p = p * t - 1.99029228e-6F;
  p = p * t + 1.55530230e-4F;
  p = p * t + 4.29278845e-3F;
  p = p * t + 5.24326339e-2F;
  p = p * t + 2.13938594e-1F;
  p = p * t + 1.12837863F;
  float q = 1.09797332e-3F;
  q = q * t + 1.55505557e-2F;
  q = q * t + 1.20797075e-1F;
  q = q * t + 5.22925794e-1F;
  q = q * t + 1.0F;
  return bounded * p / q;
}

TRANSFORMETER_WIDE void gelu(float* values, std::int64_t count) {
  constexpr float kInverseRoot = 0.707106781F;  // 1 ÷ √2
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = 0.5F * values[i] * (1.0F + error_function(values[i] * kInverseRoot));
  }
}

TRANSFORMETER_WIDE void relu(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] < 0.0F ? 0.0F : values[i];
}

}  // namespace

RowActivation row_activation(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return gelu;
    case Activation::kRelu:
      return relu;
    default:
      return nullptr;
  }
}

}  // namespace transformeter
