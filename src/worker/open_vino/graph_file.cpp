// Read by OpenVINO's own readers.
#include "open_vino/graph_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <openvino/core/except.hpp>
#include <openvino/op/constant.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/file_model.h"
#include "open_vino/compiled_graph.h"

namespace transformeter {
namespace {

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
    opened.is_quantized = opened.is_quantized || constant->get_element_type().bitwidth() <= 8;
    opened.parameters += static_cast<std::int64_t>(ov::shape_size(constant->get_shape()));
  }
  opened.model = make_file_model(std::make_unique<CompiledGraph>(core, graph, options, OpenSizes::kUnknown),
                                 file.inputs, file.seed, file.path.string());
  return opened;
}

}  // namespace transformeter
