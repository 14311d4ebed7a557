// From what every model is given, or seeded numbers.
#include "model/declared_inputs.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "model/parameters.h"

namespace transformeter {
namespace {

c10::ScalarType type_from_name(const std::string& name) {
  static const std::map<std::string, c10::ScalarType> kTypes = {
      {"float32", c10::ScalarType::Float}, {"bfloat16", c10::ScalarType::BFloat16}, {"float16", c10::ScalarType::Half},
      {"int64", c10::ScalarType::Long},    {"int32", c10::ScalarType::Int},         {"bool", c10::ScalarType::Bool}};
  return kTypes.at(name);
}

}  // namespace

std::vector<at::Tensor> DeclaredInputs::values(const ModelInputs& inputs) const {
  std::vector<at::Tensor> values;
  for (const ScriptInput& input : inputs_) values.push_back(value_of(input, inputs));
  return values;
}

at::Tensor DeclaredInputs::value_of(const ScriptInput& input, const ModelInputs& inputs) const {
  const at::Tensor& ids = inputs.input_ids;
  switch (input.kind) {
    case ScriptInput::Kind::kIds:
      return ids;
    case ScriptInput::Kind::kMask:
      // Padding that is attended to is no padding to the model.
      return inputs.attention_mask.defined() ? inputs.token_mask.to(at::kLong) : at::ones_like(ids);
    case ScriptInput::Kind::kTypes:
      return inputs.token_type_ids.defined() ? inputs.token_type_ids : at::zeros_like(ids);
    case ScriptInput::Kind::kPositions:
      return at::arange(ids.size(1), ids.options()).unsqueeze(0);
    case ScriptInput::Kind::kRandom:
      break;
  }
  return random_value(input, ids);
}

const at::Tensor& DeclaredInputs::random_value(const ScriptInput& input, const at::Tensor& ids) const {
  std::vector<std::int64_t> shape = input.shape;
  for (std::int64_t& size : shape) {
    if (size == kBatchDimension) size = ids.size(0);
    if (size == kTokenDimension) size = ids.size(1);
  }
  const auto key = std::pair(input.name, shape);
  const auto found = random_.find(key);
  if (found != random_.end()) return found->second;
  const c10::ScalarType type = type_from_name(input.type);
  const std::vector<TensorSpec> one = {{input.name, shape, Initialization::kNormal, ""}};
  const at::Tensor value = c10::isFloatingType(type) ? seeded_parameters(one, 1, seed_, type).at(input.name)
                                                     : at::zeros(shape, at::TensorOptions(type));
  return random_.emplace(key, value.to(ids.device())).first->second;
}

}  // namespace transformeter
