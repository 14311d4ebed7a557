// Looked up once for each distance, then laid out by query.
#include "model/relative_bias.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>

#include <cmath>

#include "model/profile_scope.h"

namespace transformeter {

RelativeBias::RelativeBias(const RelativeBiasSpec& spec, const Parameters& parameters)
    : table_(parameters.at(spec.table)),
      buckets_(spec.buckets),
      max_distance_(spec.max_distance),
      looks_back_(spec.looks_back),
      module_(module_of(spec.table)) {}

at::Tensor RelativeBias::of(std::int64_t tokens, std::int64_t before) const {
  const PhaseScope phase(ProfilePhase::kAttention);
  const ModuleScope scope(module_);
  const std::int64_t keys = before + tokens;
  const at::Tensor distances = at::arange(1 - keys, tokens, table_.options().dtype(at::kLong));
  const at::Tensor by_distance = table_.index_select(0, buckets_of(distances)).t().contiguous();  // [H, S + T − 1]
  // The first window is the last query's, the last one the first's.
  return by_distance.unfold(1, keys, 1).flip(1).unsqueeze(0);
}

// In fp32, as relative_position_bucket of Transformers: distances near a bucket's end come out as the original's.
at::Tensor RelativeBias::buckets_of(const at::Tensor& distances) const {
  const std::int64_t half = looks_back_ ? buckets_ : buckets_ / 2;  // of one side
  const std::int64_t exact = half / 2;
  const at::Tensor apart = looks_back_ ? distances.neg().clamp_min(0) : distances.abs();
  const double range = std::log(static_cast<double>(max_distance_) / static_cast<double>(exact));
  const at::Tensor steps = (apart.to(at::kFloat) / exact).log() / range * (half - exact);
  const at::Tensor far = (exact + steps.to(at::kLong)).clamp_max(half - 1);
  const at::Tensor bucket = at::where(apart < exact, apart, far);
  return looks_back_ ? bucket : (distances > 0).to(at::kLong) * half + bucket;
}

}  // namespace transformeter
