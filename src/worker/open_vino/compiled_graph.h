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

namespace transformeter {

/// An error of OpenVINO's as one of ours: kOutOfMemory where it ran out of memory, else `kind`. `before` stands before
/// its words, of which those are left out that name places in its sources.
Error error_of(const std::exception& error, ErrorKind kind, const std::string& before = "");

class CompiledGraph {
 public:
  /// Throws Error(kUnsupported), also where the processor lacks the precision, and kOutOfMemory.
  CompiledGraph(ov::Core& core, const std::shared_ptr<ov::Model>& graph, const BackendOptions& options);

  const std::vector<std::string>& input_names() const { return input_names_; }

  /// `values` in the order of the inputs and in their types. What output `index` becomes, in
  /// fp32: in a tensor of `shape`, or without one in a copy of whatever shape it has. Not for several threads at a
  /// time. Throws Error: kUnsupportedShape for a graph of other, fixed sizes, kBadInput where it does not take the
  /// values, kOutOfMemory.
  at::Tensor run(const std::vector<at::Tensor>& values, std::size_t index,
                 const std::optional<std::vector<std::int64_t>>& shape) const;

  /// A copy of another output of the last pass, in fp32.
  at::Tensor output(std::size_t index) const;

  const ov::CompiledModel& compiled() const { return compiled_; }
  /// After a pass.
  ModelReadback readback() const;

 private:
  void check_shape(std::size_t index, const at::Tensor& value) const;

  ov::CompiledModel compiled_;
  mutable ov::InferRequest request_;
  std::vector<std::string> input_names_;
};

}  // namespace transformeter
