// torch::jit, kept to this file.
#include "model/script_model.h"

#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/declared_inputs.h"

namespace transformeter {
namespace {

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
      : module_(std::move(module)), inputs_(std::move(inputs), seed) {}

  // What a file expects beside the ids is drawn for whole batches.
  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    std::vector<c10::IValue> arguments;
    for (at::Tensor& value : inputs_.values(inputs)) arguments.emplace_back(std::move(value));
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
  mutable torch::jit::Module module_;  // running a script changes its profile
  DeclaredInputs inputs_;
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
