// Inputs and outputs are LibTorch's memory.
#include "open_vino/compiled_graph.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <openvino/core/except.hpp>
#include <openvino/runtime/properties.hpp>
#include <openvino/runtime/tensor.hpp>
#include <utility>

#include "base/error.h"
#include "model/library_errors.h"
#include "open_vino/element_types.h"
#include "open_vino/read_back.h"

namespace transformeter {
namespace {

ov::Tensor view_of(const at::Tensor& tensor) {
  const ov::Shape shape(tensor.sizes().begin(), tensor.sizes().end());
  return {element_of(tensor.scalar_type()), shape, tensor.mutable_data_ptr()};
}

at::Tensor copy_of(const ov::Tensor& tensor) {
  const auto type = scalar_of(tensor.get_element_type());
  if (!type || !c10::isFloatingType(*type)) {
    throw Error(ErrorKind::kUnsupported, fmt::format("the model's output is in {}, not in floating point",
                                                     tensor.get_element_type().get_type_name()));
  }
  const ov::Shape& shape = tensor.get_shape();  // asked once: a further call invalidates what this one gave
  at::Tensor copy = at::empty(std::vector<std::int64_t>(shape.begin(), shape.end()), *type);
  std::memcpy(copy.mutable_data_ptr(), tensor.data(), tensor.get_byte_size());
  return copy.to(at::kFloat);
}

}  // namespace

// Its messages begin with places in its sources, line by line.
Error error_of(const std::exception& error, ErrorKind kind, const std::string& before) {
  std::string text = error.what();
  if (tells_of_memory(text)) kind = ErrorKind::kOutOfMemory;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t end = text.rfind('\n');
  return {kind, before + "OpenVINO: " + (end == std::string::npos ? text : text.substr(end + 1))};
}

CompiledGraph::CompiledGraph(ov::Core& core, const std::shared_ptr<ov::Model>& graph, const BackendOptions& options,
                             OpenSizes open_sizes, GraphScopes scopes)
    : open_sizes_(open_sizes) {
  const ov::element::Type precision(hint_of(options.precision));
  try {
    compiled_ = core.compile_model(
        graph, "CPU", ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY), ov::num_streams(1),
        ov::inference_num_threads(options.threads), ov::hint::enable_cpu_pinning(!options.processors.empty()),
        ov::hint::inference_precision(precision), ov::enable_profiling(options.counts_nodes));
    request_ = compiled_.create_infer_request();
    if (options.counts_nodes) counters_ = std::make_unique<RequestCounters>(compiled_, request_, std::move(scopes));
  } catch (const ov::Exception& error) {
    throw error_of(error, ErrorKind::kUnsupported);
  }
  if (const auto taken = compiled_.get_property(ov::hint::inference_precision); taken != precision) {
    throw Error(ErrorKind::kUnsupported, fmt::format("OpenVINO computes in {} on this processor where {} is asked for",
                                                     taken.get_type_name(), precision.get_type_name()));
  }
  for (const auto& input : compiled_.inputs()) {
    input_names_.push_back(input.get_names().empty() ? "" : input.get_any_name());
  }
}

c10::ScalarType CompiledGraph::input_type(std::size_t index) const {
  const ov::element::Type element = compiled_.input(index).get_element_type();
  if (const auto type = scalar_of(element)) return *type;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("input '{}' is in {}, which is not supported", input_names_[index], element.get_type_name()));
}

std::optional<std::size_t> CompiledGraph::find_output(const std::string& name) const {
  for (std::size_t i = 0; i < compiled_.outputs().size(); ++i) {
    if (compiled_.output(i).get_names().count(name) != 0) return i;
  }
  return std::nullopt;
}

std::vector<at::Tensor> CompiledGraph::run(const std::vector<at::Tensor>& values,
                                           const std::vector<std::size_t>& outputs) const {
  for (std::size_t i = 0; i < values.size(); ++i) check_shape(i, values[i]);
  std::vector<at::Tensor> results;
  try {
    for (std::size_t i = 0; i < values.size(); ++i) request_.set_input_tensor(i, view_of(values[i]));
    if (open_sizes_ == OpenSizes::kRowsAndTokens) {
      for (const std::size_t index : outputs) {
        results.push_back(at::empty(output_shape(index, values.front().sizes()), at::kFloat));
        request_.set_output_tensor(index, view_of(results.back()));
      }
      infer(values);
    } else {
      infer(values);
      for (const std::size_t index : outputs) results.push_back(copy_of(request_.get_output_tensor(index)));
    }
  } catch (const ov::Exception& error) {
    throw error_of(error, ErrorKind::kBadInput);
  }
  return results;
}

void CompiledGraph::infer(const std::vector<at::Tensor>& values) const {
  if (counters_ == nullptr) {
    request_.infer();
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  request_.infer();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  counters_->note_pass(values, took.count());
}

void CompiledGraph::check_shape(std::size_t index, const at::Tensor& value) const {
  const ov::PartialShape takes = compiled_.input(index).get_partial_shape();
  if (takes.compatible(ov::PartialShape(value.sizes().vec()))) return;
  throw other_shape(input_names_[index], takes.to_string(), value);
}

std::vector<std::int64_t> CompiledGraph::output_shape(std::size_t index, at::IntArrayRef first_input) const {
  std::vector<std::int64_t> shape;
  for (const ov::Dimension& size : compiled_.output(index).get_partial_shape()) {
    shape.push_back(size.is_static() ? size.get_length() : first_input[shape.empty() ? 0 : 1]);
  }
  return shape;
}

ModelReadback CompiledGraph::readback() const {
  return read_back(compiled_);
}

}  // namespace transformeter
