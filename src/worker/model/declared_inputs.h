// The inputs of a compiled model, as a plan declares them, for each batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "spec/script_inputs.h"

namespace transformeter {

class DeclaredInputs {
 public:
  /// `seed` fills the random ones.
  DeclaredInputs(std::vector<ScriptInput> inputs, std::uint64_t seed) : inputs_(std::move(inputs)), seed_(seed) {}

  std::size_t size() const { return inputs_.size(); }
  /// In order.
  std::vector<at::Tensor> values(const ModelInputs& inputs) const;

 private:
  at::Tensor value_of(const ScriptInput& input, const ModelInputs& inputs) const;
  const at::Tensor& random_value(const ScriptInput& input, const at::Tensor& ids) const;

  std::vector<ScriptInput> inputs_;
  std::uint64_t seed_;
  // Made once for each shape, so that drawing costs no measured time.
  mutable std::map<std::pair<std::string, std::vector<std::int64_t>>, at::Tensor> random_;
};

}  // namespace transformeter
