// What attention adds to scores by the distance between tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

class RelativeBias {
 public:
  RelativeBias(const RelativeBiasSpec& spec, const Parameters& parameters);
  /// [1, H, T, S], query by key, in the table's type: of a row of S = `before` + T tokens the last T are queries. With
  /// a gradient where the table has one.
  at::Tensor of(std::int64_t tokens, std::int64_t before = 0) const;
  bool learns() const { return table_.requires_grad(); }

 private:
  // distances: key − query, int64.
  at::Tensor buckets_of(const at::Tensor& distances) const;

  at::Tensor table_;  // [rows, H]
  std::int64_t buckets_, max_distance_;
  bool looks_back_;
  std::string module_;
};

}  // namespace transformeter
