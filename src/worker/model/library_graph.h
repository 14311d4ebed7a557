// A graph that another library compiled, as models of its plug-in run it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/model_readback.h"
#include "model/node_counters.h"

namespace transformeter {

class LibraryGraph {
 public:
  virtual ~LibraryGraph() = default;
  virtual const std::vector<std::string>& input_names() const = 0;
  /// Throws Error(kUnsupported) for a type that LibTorch lacks.
  virtual c10::ScalarType input_type(std::size_t index) const = 0;
  virtual std::optional<std::size_t> find_output(const std::string& name) const = 0;
  /// `values` in the order of the inputs, contiguous and in their types. The outputs of those places, in fp32, in
  /// memory that no later pass writes to. Not for several threads at a time. Throws Error: kUnsupportedShape for a
  /// graph of other, fixed sizes, kBadInput where it does not take the values, kOutOfMemory, kEnvironment where what
  /// ran cannot be told.
  virtual std::vector<at::Tensor> run(const std::vector<at::Tensor>& values,
                                      const std::vector<std::size_t>& outputs) const = 0;
  /// After a pass. Throws Error(kEnvironment) where it cannot be told.
  virtual ModelReadback readback() const = 0;
  /// Null: its nodes are not counted.
  virtual NodeCounters* node_counters() { return nullptr; }
};

}  // namespace transformeter
