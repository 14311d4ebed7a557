// Only sizes are read; the numbers are passed over.
#include "onnx_runtime/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>

#include "base/error.h"
#include "base/files.h"
#include "onnx_runtime/onnx_schema.h"

namespace transformeter {
namespace {

using protozero::pbf_message;

// Shapes and indices are constants too, in whole numbers of 32 or 64 bits.
bool is_of_weights(std::int32_t type) {
  // 16 to 64 bits, text and complex numbers.
  constexpr std::int32_t kOthers[] = {4, 5, kOnnxInt32, kOnnxInt64, 8, 9, 12, 13, 14, 15};
  return std::find(std::begin(kOthers), std::end(kOthers), type) == std::end(kOthers);
}

bool is_in_floating_point(std::int32_t type) {
  constexpr std::int32_t kKinds[] = {kOnnxFloat, 10, 11, 16};  // float, float16, double, bfloat16
  return std::find(std::begin(kKinds), std::end(kKinds), type) != std::end(kKinds);
}

void add(pbf_message<Initializer> tensor, OnnxWeights& weights) {
  using protozero::pbf_wire_type;
  std::int64_t elements = 1;
  std::int32_t type = 0;
  while (tensor.next()) {
    switch (tensor.tag_and_type()) {
      case tag_and_type(Initializer::kDims, pbf_wire_type::varint):
        elements *= tensor.get_int64();
        break;
      case tag_and_type(Initializer::kDims, pbf_wire_type::length_delimited):
        for (const std::int64_t size : tensor.get_packed_int64()) elements *= size;
        break;
      case tag_and_type(Initializer::kDataType, pbf_wire_type::varint):
        type = tensor.get_int32();
        break;
      default:
        tensor.skip();
    }
  }
  if (elements <= 1 || !is_of_weights(type)) return;
  weights.elements += elements;
  weights.is_quantized = weights.is_quantized || !is_in_floating_point(type);
}

void add(pbf_message<Node> node, OnnxWeights& weights) {
  while (node.next(Node::kAttribute)) {
    pbf_message<Attribute> attribute = node.get_message();
    while (attribute.next(Attribute::kTensor)) add(pbf_message<Initializer>(attribute.get_message()), weights);
  }
}

}  // namespace

OnnxWeights weights_in(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  OnnxWeights weights;
  try {
    pbf_message<ModelFile> model(mapped.bytes().data(), mapped.bytes().size());
    while (model.next(ModelFile::kGraph)) {
      pbf_message<Graph> graph = model.get_message();
      while (graph.next()) {
        if (graph.tag() == Graph::kInitializer) {
          add(pbf_message<Initializer>(graph.get_message()), weights);
        } else if (graph.tag() == Graph::kNode) {
          add(pbf_message<Node>(graph.get_message()), weights);
        } else {
          graph.skip();
        }
      }
    }
  } catch (const protozero::exception&) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is no ONNX model, or cut off", file.string()));
  }
  return weights;
}

}  // namespace transformeter
