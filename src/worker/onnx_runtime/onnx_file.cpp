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

std::int64_t elements_of(pbf_message<Initializer> tensor) {
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
  return elements > 1 && is_of_weights(type) ? elements : 0;
}

std::int64_t elements_of(pbf_message<Node> node) {
  std::int64_t elements = 0;
  while (node.next(Node::kAttribute)) {
    pbf_message<Attribute> attribute = node.get_message();
    while (attribute.next(Attribute::kTensor))
      elements += elements_of(pbf_message<Initializer>(attribute.get_message()));
  }
  return elements;
}

}  // namespace

std::int64_t count_parameters(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  std::int64_t elements = 0;
  try {
    pbf_message<ModelFile> model(mapped.bytes().data(), mapped.bytes().size());
    while (model.next(ModelFile::kGraph)) {
      pbf_message<Graph> graph = model.get_message();
      while (graph.next()) {
        if (graph.tag() == Graph::kInitializer) {
          elements += elements_of(pbf_message<Initializer>(graph.get_message()));
        } else if (graph.tag() == Graph::kNode) {
          elements += elements_of(pbf_message<Node>(graph.get_message()));
        } else {
          graph.skip();
        }
      }
    }
  } catch (const protozero::exception&) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} is no ONNX model, or cut off", file.string()));
  }
  return elements;
}

}  // namespace transformeter
