// fp32, dropout and few queries are not tried.
#include "engine/tried_attention.h"

#include <ATen/TensorOperators.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/plain_operators.h"

namespace transformeter {
namespace {

constexpr std::int64_t kFewestQueries = 16;
constexpr std::string_view kOurs = "tiled";

KernelCandidate candidate_of(std::string_view name, const AttentionInputs& inputs, TriedAttention::Kernel kernel) {
  return {name, [&inputs, kernel] { return [&inputs, kernel] { return kernel(inputs); }; }};
}

}  // namespace

TriedAttention::Kernel TriedAttention::kernel_for(const AttentionInputs& inputs) const {
  const auto candidates = [&] {
    return std::vector{candidate_of("sdpa", inputs, &library_attention), candidate_of(kOurs, inputs, ours_)};
  };
  return choices_.kernel_for(inputs, candidates) == kOurs ? ours_ : &library_attention;
}

at::Tensor TriedAttention::operator()(const AttentionInputs& inputs) const {
  const bool is_wide = inputs.query.scalar_type() == c10::ScalarType::Float;
  if (is_wide || inputs.dropout > 0 || inputs.query.size(2) < kFewestQueries) return library_attention(inputs);
  return kernel_for(inputs)(inputs);
}

}  // namespace transformeter
