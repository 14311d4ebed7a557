// Inputs and outputs are LibTorch's memory.
#include "open_vino/compiled_graph.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <openvino/core/except.hpp>
#include <openvino/runtime/properties.hpp>
#include <openvino/runtime/tensor.hpp>

#include "base/error.h"
#include "open_vino/read_back.h"

namespace transformeter {
namespace {

ov::element::Type element_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Long:
      return ov::element::i64;
    case c10::ScalarType::Int:
      return ov::element::i32;
    case c10::ScalarType::Bool:
      return ov::element::boolean;
    case c10::ScalarType::Half:
      return ov::element::f16;
    case c10::ScalarType::BFloat16:
      return ov::element::bf16;
    default:
      return ov::element::f32;
  }
}

ov::Tensor view_of(const at::Tensor& tensor) {
  const ov::Shape shape(tensor.sizes().begin(), tensor.sizes().end());
  return {element_of(tensor.scalar_type()), shape, tensor.mutable_data_ptr()};
}

at::Tensor copy_of(const ov::Tensor& tensor) {
  if (tensor.get_element_type() != ov::element::f32) {
    throw Error(ErrorKind::kUnsupported, fmt::format("the model's output is in {}, not in floating point of 32 bits",
                                                     tensor.get_element_type().get_type_name()));
  }
  const ov::Shape shape = tensor.get_shape();
  at::Tensor copy = at::empty(std::vector<std::int64_t>(shape.begin(), shape.end()), at::kFloat);
  std::memcpy(copy.mutable_data_ptr(), tensor.data(), tensor.get_byte_size());
  return copy;
}

}  // namespace

// Its messages begin with places in its sources, line by line.
std::string words_of(const std::exception& error) {
  std::string text = error.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t end = text.rfind('\n');
  return "OpenVINO: " + (end == std::string::npos ? text : text.substr(end + 1));
}

CompiledGraph::CompiledGraph(ov::Core& core, const std::shared_ptr<ov::Model>& graph, const BackendOptions& options) {
  const ov::element::Type precision(hint_of(options.precision));
  try {
    compiled_ = core.compile_model(graph, "CPU", ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY),
                                   ov::num_streams(1), ov::inference_num_threads(options.threads),
                                   ov::hint::enable_cpu_pinning(options.pins_threads),
                                   ov::hint::inference_precision(precision));
    request_ = compiled_.create_infer_request();
  } catch (const ov::Exception& error) {
    throw Error(ErrorKind::kUnsupported, words_of(error));
  }
  for (const auto& input : compiled_.inputs()) {
    input_names_.push_back(input.get_names().empty() ? "" : input.get_any_name());
  }
}

at::Tensor CompiledGraph::run(const std::vector<at::Tensor>& values, std::size_t index,
                              const std::optional<std::vector<std::int64_t>>& shape) const {
  try {
    for (std::size_t i = 0; i < values.size(); ++i) request_.set_input_tensor(i, view_of(values[i]));
    at::Tensor own;
    if (shape) {
      own = at::empty(*shape, at::kFloat);
      request_.set_output_tensor(index, view_of(own));
    }
    request_.infer();
    return shape ? own : output(index);
  } catch (const ov::Exception& error) {
    throw Error(ErrorKind::kBadInput, words_of(error));
  }
}

at::Tensor CompiledGraph::output(std::size_t index) const {
  return copy_of(request_.get_output_tensor(index));
}

ModelReadback CompiledGraph::readback() const {
  return read_back(compiled_);
}

}  // namespace transformeter
