// Names of inputs and outputs are those of Transformers' exporters.
#include "open_vino/graph_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <openvino/core/except.hpp>
#include <openvino/op/constant.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/declared_inputs.h"
#include "open_vino/compiled_graph.h"
#include "open_vino/element_types.h"

namespace transformeter {
namespace {

using Kind = ScriptInput::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 4> kKnownInputs = {{{"input_ids", Kind::kIds},
                                                                            {"attention_mask", Kind::kMask},
                                                                            {"token_type_ids", Kind::kTypes},
                                                                            {"position_ids", Kind::kPositions}}};

std::vector<ScriptInput> inputs_by_name(const CompiledGraph& graph, const std::string& file) {
  const std::vector<std::string>& names = graph.input_names();
  std::vector<ScriptInput> inputs;
  for (const std::string& name : names) {
    const auto* known =
        std::find_if(kKnownInputs.begin(), kKnownInputs.end(), [&](const auto& one) { return one.first == name; });
    if (known == kKnownInputs.end()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: the meaning of input '{}' is not known; declare the inputs {} in their order with "
                              "--inputs, e.g. ids,mask",
                              file, name, fmt::join(names, ", ")));
    }
    inputs.push_back({known->second, "", "", {}});
  }
  return inputs;
}

c10::ScalarType type_of(const ov::element::Type& element, const std::string& name) {
  if (const auto type = scalar_of(element)) return *type;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("input '{}' is in {}, which is not supported", name, element.get_type_name()));
}

class FileModel final : public Model {
 public:
  FileModel(CompiledGraph graph, DeclaredInputs inputs)
      : graph_(std::move(graph)), inputs_(std::move(inputs)), outputs_(chosen_outputs(graph_.compiled())) {
    for (std::size_t i = 0; i < graph_.input_names().size(); ++i) {
      types_.push_back(type_of(graph_.compiled().input(i).get_element_type(), graph_.input_names()[i]));
    }
  }

  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    std::vector<at::Tensor> values = inputs_.values(inputs);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i].to(types_[i]).contiguous();
    at::Tensor first = graph_.run(values, outputs_.front(), std::nullopt);
    if (outputs_.size() == 1) return first;
    return at::stack({first, graph_.output(outputs_[1])}, -1);
  }

  std::optional<ModelReadback> readback() const override { return graph_.readback(); }

 private:
  // Logits or hidden states, else the first; of question answering both.
  static std::vector<std::size_t> chosen_outputs(const ov::CompiledModel& compiled) {
    const auto place = [&](const char* name) {
      std::size_t i = 0;
      while (i < compiled.outputs().size() && compiled.output(i).get_names().count(name) == 0) ++i;
      return i;
    };
    const std::size_t count = compiled.outputs().size();
    if (place("start_logits") < count && place("end_logits") < count) {
      return {place("start_logits"), place("end_logits")};
    }
    for (const char* name : {"logits", "last_hidden_state"}) {
      if (place(name) < count) return {place(name)};
    }
    return {0};
  }

  CompiledGraph graph_;
  DeclaredInputs inputs_;
  std::vector<c10::ScalarType> types_;  // of the inputs
  std::vector<std::size_t> outputs_;
};

// Shapes and indices are constants too, in whole numbers of 32 or 64 bits.
bool is_weight(const ov::op::v0::Constant& constant) {
  const ov::element::Type& type = constant.get_element_type();
  return ov::shape_size(constant.get_shape()) > 1 && (type.is_real() || type.bitwidth() <= 8) &&
         type != ov::element::boolean;
}

}  // namespace

OpenedModel open_graph_file(ov::Core& core, const GraphFile& file, const BackendOptions& options) {
  std::shared_ptr<ov::Model> graph;
  try {
    graph = core.read_model(file.path.string());
  } catch (const ov::Exception& error) {
    // What it knows beside is a list of its readers.
    const bool is_no_model = std::string_view(error.what()).find("Available frontends") != std::string_view::npos;
    if (is_no_model)
      throw Error(ErrorKind::kBadInput, fmt::format("{} is no model that OpenVINO can read", file.path.string()));
    throw error_of(error, ErrorKind::kBadInput, file.path.string() + " cannot be read: ");
  }
  OpenedModel opened;
  for (const auto& node : graph->get_ops()) {
    const auto constant = ov::as_type_ptr<ov::op::v0::Constant>(node);
    if (constant == nullptr || !is_weight(*constant)) continue;
    opened.parameters += static_cast<std::int64_t>(ov::shape_size(constant->get_shape()));
  }
  CompiledGraph compiled(core, graph, options);
  std::vector<ScriptInput> inputs = file.inputs.empty() ? inputs_by_name(compiled, file.path.string()) : file.inputs;
  if (inputs.size() != compiled.input_names().size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} has {} inputs ({}), but --inputs declares {}", file.path.string(),
                            compiled.input_names().size(), fmt::join(compiled.input_names(), ", "), inputs.size()));
  }
  opened.model = std::make_unique<FileModel>(std::move(compiled), DeclaredInputs(std::move(inputs), file.seed));
  return opened;
}

}  // namespace transformeter
