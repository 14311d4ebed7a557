// torch::jit, kept to this file.
#include "model/script_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

c10::ScalarType type_from_name(const std::string& name) {
  static const std::map<std::string, c10::ScalarType> kTypes = {
      {"float32", c10::ScalarType::Float}, {"bfloat16", c10::ScalarType::BFloat16}, {"float16", c10::ScalarType::Half},
      {"int64", c10::ScalarType::Long},    {"int32", c10::ScalarType::Int},         {"bool", c10::ScalarType::Bool}};
  return kTypes.at(name);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// What a script's error says: the last line that is called an error, for above it stand back traces; else the first.
std::string cause_of(const std::string& text) {
  const std::size_t error = text.rfind("Error: ");
  return first_line(error == std::string::npos ? text : text.substr(error + 7));
}

bool is_of_memory(const std::string& text) {
  return text.find("DefaultCPUAllocator") != std::string::npos || text.find("create a memory") != std::string::npos;
}

at::Tensor tensor_of(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor();
  if (value.isTuple() && !value.toTupleRef().elements().empty()) return tensor_of(value.toTupleRef().elements()[0]);
  if (value.isList() && !value.toListRef().empty()) return tensor_of(value.toListRef()[0]);
  if (value.isGenericDict()) {
    const auto outputs = value.toGenericDict();
    for (const char* name : {"logits", "last_hidden_state"}) {
      if (outputs.contains(name)) return tensor_of(outputs.at(name));
    }
    if (!outputs.empty()) return tensor_of(outputs.begin()->value());
  }
  throw Error(ErrorKind::kBadInput, "the TorchScript model does not return a tensor");
}

class OpaqueModel final : public Model {
 public:
  OpaqueModel(torch::jit::Module module, std::vector<ScriptInput> inputs, std::uint64_t seed)
      : module_(std::move(module)), inputs_(std::move(inputs)), seed_(seed) {}

  // What a file expects beside the ids is drawn for whole batches.
  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    std::vector<c10::IValue> arguments;
    for (const ScriptInput& input : inputs_) arguments.emplace_back(value_of(input, inputs));
    c10::IValue output;
    try {
      output = module_.forward(std::move(arguments));
    } catch (const std::exception& error) {
      const std::string text = error.what();
      if (is_of_memory(text)) throw;
      const bool is_mismatch = text.find("forward()") != std::string::npos;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the TorchScript model fails on the declared inputs: {}{}", cause_of(text),
                              is_mismatch ? " Declare its inputs with --inputs." : ""));
    }
    return tensor_of(output);
  }

 private:
  at::Tensor value_of(const ScriptInput& input, const ModelInputs& inputs) const {
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

  // Made once for each shape, so that drawing costs no measured time.
  const at::Tensor& random_value(const ScriptInput& input, const at::Tensor& ids) const {
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

  mutable torch::jit::Module module_;  // running a script changes its profile
  std::vector<ScriptInput> inputs_;
  std::uint64_t seed_;
  mutable std::map<std::pair<std::string, std::vector<std::int64_t>>, at::Tensor> random_;
};

}  // namespace

ScriptModel load_script_model(const std::filesystem::path& file, const std::vector<ScriptInput>& inputs,
                              std::uint64_t seed, const at::TensorOptions& place) {
  torch::jit::Module module;
  try {
    module = torch::jit::load(file.string(), c10::Device(c10::kCPU));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is not a TorchScript file (files from torch.save are pickles, "
                                                  "which are not read because unpickling runs code): {}",
                                                  file.string(), excerpt(first_line(error.what()), 120)));
  }
  module.eval();
  const c10::ScalarType type = c10::typeMetaToScalarType(place.dtype());
  if (type != c10::ScalarType::Float) module.to(type);
  if (!place.device().is_cpu()) module.to(place.device());
  ScriptModel script;
  for (const auto& parameter : module.named_parameters()) script.parameters.add(parameter.name, parameter.value);
  script.model = std::make_unique<OpaqueModel>(std::move(module), inputs, seed);
  return script;
}

}  // namespace transformeter
