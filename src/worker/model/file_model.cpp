// Names of inputs and outputs are those of Transformers' exporters.
#include "model/file_model.h"

#include <ATen/ops/stack.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "model/declared_inputs.h"

namespace transformeter {
namespace {

using Kind = ScriptInput::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 4> kKnownInputs = {{{"input_ids", Kind::kIds},
                                                                            {"attention_mask", Kind::kMask},
                                                                            {"token_type_ids", Kind::kTypes},
                                                                            {"position_ids", Kind::kPositions}}};

std::vector<ScriptInput> inputs_by_name(const std::vector<std::string>& names, const std::string& file) {
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

// Logits or hidden states, else the first; of question answering both.
std::vector<std::size_t> chosen_outputs(const LibraryGraph& graph) {
  const auto start = graph.find_output("start_logits");
  const auto end = graph.find_output("end_logits");
  if (start && end) return {*start, *end};
  for (const char* name : {"logits", "last_hidden_state"}) {
    if (const auto place = graph.find_output(name)) return {*place};
  }
  return {0};
}

class FileModel final : public Model {
 public:
  FileModel(std::unique_ptr<LibraryGraph> graph, DeclaredInputs inputs)
      : graph_(std::move(graph)), inputs_(std::move(inputs)), outputs_(chosen_outputs(*graph_)) {
    for (std::size_t i = 0; i < graph_->input_names().size(); ++i) types_.push_back(graph_->input_type(i));
  }

  bool takes_chunks() const override { return false; }

  at::Tensor forward(const ModelInputs& inputs, const Operators&) const override {
    std::vector<at::Tensor> values = inputs_.values(inputs);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i].to(types_[i]).contiguous();
    const std::vector<at::Tensor> outputs = graph_->run(values, outputs_);
    return outputs.size() == 1 ? outputs.front() : at::stack(outputs, -1);
  }

  std::optional<ModelReadback> readback() const override { return graph_->readback(); }
  NodeCounters* node_counters() override { return graph_->node_counters(); }

 private:
  std::unique_ptr<LibraryGraph> graph_;
  DeclaredInputs inputs_;
  std::vector<c10::ScalarType> types_;  // of the inputs
  std::vector<std::size_t> outputs_;
};

}  // namespace

std::unique_ptr<Model> make_file_model(std::unique_ptr<LibraryGraph> graph, std::vector<ScriptInput> inputs,
                                       std::uint64_t seed, const std::string& file) {
  const std::vector<std::string>& names = graph->input_names();
  if (inputs.empty()) inputs = inputs_by_name(names, file);
  if (inputs.size() != names.size()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} has {} inputs ({}), but --inputs declares {}", file, names.size(),
                                                  fmt::join(names, ", "), inputs.size()));
  }
  return std::make_unique<FileModel>(std::move(graph), DeclaredInputs(std::move(inputs), seed));
}

}  // namespace transformeter
