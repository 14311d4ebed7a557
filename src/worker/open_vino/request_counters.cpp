// Times come from the request, all else from the graph as it is executed.
#include "open_vino/request_counters.h"

#include <memory>
#include <openvino/core/except.hpp>
#include <openvino/core/model.hpp>
#include <openvino/runtime/profiling_info.hpp>
#include <utility>

#include "base/error.h"
#include "open_vino/compiled_graph.h"
#include "open_vino/read_back.h"

namespace transformeter {
namespace {

// Sizes that are not known, of a node that did not run, are 0.
template <typename Port>
ShapedValue value_of(const Port& port) {
  ShapedValue value{format_name(port.get_element_type().get_type_name()), {}};
  const ov::PartialShape& shape = port.get_partial_shape();
  if (shape.rank().is_dynamic()) return {value.format, {0}};
  for (const ov::Dimension& size : shape) value.shape.push_back(size.is_static() ? size.get_length() : 0);
  return value;
}

ExecutedNode executed_node(ov::Node& node) {
  ExecutedNode executed{
      node.get_friendly_name(), fact_of(node, "layerType"), fact_of(node, "originalLayersNames"), {}, {}};
  for (const auto& input : node.inputs()) executed.values.inputs.push_back(value_of(input));
  for (const auto& output : node.outputs()) {
    executed.values.outputs.push_back(value_of(output));
    for (const auto& reader : output.get_target_inputs()) {
      executed.readers.push_back(reader.get_node()->get_friendly_name());
    }
  }
  return executed;
}

Error unreadable(const ov::Exception& error) {
  return error_of(error, ErrorKind::kEnvironment, "OpenVINO's counters cannot be read: ");
}

}  // namespace

RequestCounters::RequestCounters(ov::CompiledModel compiled, ov::InferRequest request, GraphScopes scopes)
    : compiled_(std::move(compiled)), request_(std::move(request)), scopes_(std::move(scopes)) {}

PassTimers RequestCounters::read() const {
  try {
    PassTimers timers{passes_, {}};
    const std::vector<ov::ProfilingInfo> all = request_.get_profiling_info();
    for (const ov::ProfilingInfo& info : all) {
      const bool ran = info.status == ov::ProfilingInfo::Status::EXECUTED;
      timers.nodes.push_back({info.node_name, info.node_type, info.exec_type, ran ? info.real_time.count() : 0});
    }
    return timers;
  } catch (const ov::Exception& error) {
    throw unreadable(error);
  }
}

std::vector<ExecutedNode> RequestCounters::executed() const {
  try {
    const std::shared_ptr<const ov::Model> model = compiled_.get_runtime_model();
    std::vector<ExecutedNode> nodes;
    for (const auto& node : model->get_ordered_ops()) nodes.push_back(executed_node(*node));
    return nodes;
  } catch (const ov::Exception& error) {
    throw unreadable(error);
  }
}

void RequestCounters::begin() {
  counts_ = true;
  if (passes_ > 0) before_ = read();
}

void RequestCounters::note_pass(const std::vector<at::Tensor>& values, double seconds) {
  ++passes_;
  Sizes sizes;
  for (const at::Tensor& value : values) sizes.push_back(value.sizes().vec());
  if (counts_) {
    call_s_ += seconds;
    ++passes_of_sizes_[sizes];
    return;
  }
  const auto [known, is_new] = work_of_sizes_.try_emplace(std::move(sizes));
  if (!is_new) return;
  for (const ExecutedNode& node : executed()) known->second[node.name] = work_of(node);
}

std::map<std::string, NodeWork> RequestCounters::work() const {
  std::map<std::string, NodeWork> sums;
  for (const auto& [sizes, passes] : passes_of_sizes_) {
    const auto known = work_of_sizes_.find(sizes);
    if (known == work_of_sizes_.end()) return {};
    for (const auto& [name, work] : known->second) {
      sums[name].flops += work.flops * static_cast<double>(passes);
      sums[name].bytes += work.bytes * static_cast<double>(passes);
    }
  }
  return sums;
}

NodeCounts RequestCounters::end() {
  const PassTimers after = read();
  // Without a pass before, all counters were 0.
  if (before_.nodes.empty()) {
    before_.nodes = after.nodes;
    for (NodeTimer& timer : before_.nodes) timer.mean_us = 0;
  }
  NodeCounts counts = counted_nodes(before_, after, executed(), work(), scopes_);
  counts.library = library_name();
  counts.call_s = call_s_;
  return counts;
}

}  // namespace transformeter
