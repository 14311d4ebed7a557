// A graph compiled for the CPU, and its one request.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <openvino/core/model.hpp>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/core.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/backend.h"
#include "model/graph_scopes.h"
#include "model/library_graph.h"
#include "open_vino/request_counters.h"

namespace transformeter {

/// An error of OpenVINO's as one of ours: kOutOfMemory where it ran out of memory, else `kind`. `before` stands before
/// its words, of which those are left out that name places in its sources.
Error error_of(const std::exception& error, ErrorKind kind, const std::string& before = "");

/// What an output's open sizes are.
enum class OpenSizes {
  kUnknown,        // outputs are copied from the request's memory
  kRowsAndTokens,  // those of the first input, in order: outputs are written where they are needed
};

class CompiledGraph final : public LibraryGraph {
 public:
  /// `scopes`: of its nodes, where they are counted. Throws Error(kUnsupported), also where the processor lacks the
  /// precision, and kOutOfMemory.
  CompiledGraph(ov::Core& core, const std::shared_ptr<ov::Model>& graph, const BackendOptions& options,
                OpenSizes open_sizes, GraphScopes scopes = {});

  const std::vector<std::string>& input_names() const override { return input_names_; }
  c10::ScalarType input_type(std::size_t index) const override;
  std::optional<std::size_t> find_output(const std::string& name) const override;
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& values,
                              const std::vector<std::size_t>& outputs) const override;
  ModelReadback readback() const override;
  NodeCounters* node_counters() override { return counters_.get(); }

 private:
  void check_shape(std::size_t index, const at::Tensor& value) const;
  void infer(const std::vector<at::Tensor>& values) const;
  std::vector<std::int64_t> output_shape(std::size_t index, at::IntArrayRef first_input) const;

  ov::CompiledModel compiled_;
  mutable ov::InferRequest request_;
  std::vector<std::string> input_names_;
  OpenSizes open_sizes_;
  std::unique_ptr<RequestCounters> counters_;  // null: nodes are not counted
};

}  // namespace transformeter
