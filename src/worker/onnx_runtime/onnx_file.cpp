// Only sizes are read; the numbers are passed over.
#include "onnx_runtime/onnx_file.h"

#include <fmt/format.h>

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
  constexpr std::int32_t kNone[] = {4, 5,  kOnnxInt32, kOnnxInt64, 8,
                                    9, 12, 13,         14,         15};  // 16 to 64 bits, text, complex
  for (const std::int32_t none : kNone) {
    if (type == none) return false;
  }
  return true;
}

std::int64_t elements_of(pbf_message<Initializer> tensor) {
  std::int64_t elements = 1;
  std::int32_t type = 0;
  while (tensor.next()) {
    if (tensor.tag() == Initializer::kDims) {
      // One by one, or packed, as writers like.
      if (tensor.wire_type() == protozero::pbf_wire_type::varint) {
        elements *= tensor.get_int64();
      } else {
        for (const std::int64_t size : tensor.get_packed_int64()) elements *= size;
      }
    } else if (tensor.tag() == Initializer::kDataType) {
      type = tensor.get_int32();
    } else {
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
