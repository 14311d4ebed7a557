// A graph in ONNX's words, to be handed over as a model file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "model/graph_scopes.h"

namespace transformeter {

/// A value's name; empty: an input or output that is left out.
using OnnxValue = std::string;

struct OnnxAttribute {
  std::string_view name;
  std::variant<std::int64_t, float> value;
};

class OnnxGraph {
 public:
  /// Where nodes are named; see model/graph_scopes.h.
  GraphScopes& scopes() { return scopes_; }
  /// int32, int64 or float; dimensions of −1 are open.
  OnnxValue input(c10::ScalarType type, const std::vector<std::int64_t>& shape);
  /// Of an operator of ONNX, or of ONNX Runtime's own set ("com.microsoft") where the name begins with "ms.".
  OnnxValue node(std::string_view op, const std::vector<OnnxValue>& inputs,
                 const std::vector<OnnxAttribute>& attributes = {});
  /// Its outputs; those at places where `wanted` is false are left out and have no name.
  std::vector<OnnxValue> node(std::string_view op, const std::vector<OnnxValue>& inputs,
                              const std::vector<OnnxAttribute>& attributes, const std::vector<bool>& wanted);
  /// A tensor in fp32 or int8, of any strides, which is read when the file is written; one name for one that is used
  /// several times.
  OnnxValue weight(const at::Tensor& tensor);
  OnnxValue number(float value);
  OnnxValue whole_numbers(const std::vector<std::int64_t>& values);
  OnnxValue whole_number(std::int64_t value);

  /// The file of a model with that one output, in fp32, part by part. Throws Error(kUnsupported) for one that is too
  /// large for a file of this format, 2 GiB.
  void write(const OnnxValue& output, const std::function<void(std::string_view)>& write_part) const;

 private:
  OnnxValue next_name();
  OnnxValue constant(std::int32_t type, const std::vector<std::int64_t>& shape, std::string_view data);

  GraphScopes scopes_;
  std::size_t count_ = 0;
  std::string inputs_, nodes_, initializers_;  // fields of the graph, encoded
  struct Weight {
    std::string fields;  // all but the numbers
    at::Tensor tensor;
  };
  std::vector<Weight> weights_;
  // By where and how their numbers lie.
  std::map<std::tuple<const void*, std::vector<std::int64_t>, std::vector<std::int64_t>>, OnnxValue> weight_names_;
  std::map<std::pair<std::int32_t, std::string>, OnnxValue> constant_names_;  // by type and shape with data
};

}  // namespace transformeter
