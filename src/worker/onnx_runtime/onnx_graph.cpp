// Fields by their numbers in ONNX's schema, onnx.proto.
#include "onnx_runtime/onnx_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <protozero/pbf_builder.hpp>
#include <protozero/varint.hpp>

#include "base/error.h"
#include "onnx_runtime/onnx_schema.h"

namespace transformeter {
namespace {

using protozero::pbf_builder;

constexpr std::int64_t kIrVersion = 9;  // of ONNX 1.15 ...
constexpr std::int64_t kOperatorSet =
    20;  // ... since 18 splits have a number of outputs, and reductions read their axes
constexpr std::string_view kOwnPrefix = "ms.";
constexpr std::string_view kOwnDomain = "com.microsoft";

constexpr std::size_t kLargestFileSize = (std::size_t{1} << 31) - 1;

// Of a field whose bytes follow.
std::string heading_of(std::uint32_t field, std::size_t size) {
  std::string heading;
  protozero::add_varint_to_buffer(
      &heading, (field << 3U) | static_cast<std::uint32_t>(protozero::pbf_wire_type::length_delimited));
  protozero::add_varint_to_buffer(&heading, size);
  return heading;
}

std::int32_t onnx_type(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return kOnnxFloat;
    case c10::ScalarType::Char:
      return kOnnxInt8;
    case c10::ScalarType::Int:
      return kOnnxInt32;
    case c10::ScalarType::Long:
      return kOnnxInt64;
    default:
      throw Error(ErrorKind::kInternal, fmt::format("no tensor of a graph is in {}", c10::toString(type)));
  }
}

// Open dimensions have names of their own. Of a value without a shape nothing is known.
template <typename Parent, typename Field>
void add_value_info(Parent& graph, Field field, const std::string& name, std::int32_t type,
                    const std::vector<std::int64_t>* shape) {
  pbf_builder<ValueInfo> info(graph, field);
  info.add_string(ValueInfo::kName, name);
  pbf_builder<TypeInfo> type_info(info, ValueInfo::kType);
  pbf_builder<TensorType> tensor(type_info, TypeInfo::kTensorType);
  tensor.add_int32(TensorType::kElementType, type);
  if (shape == nullptr) return;
  pbf_builder<TensorShape> sizes(tensor, TensorType::kShape);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    pbf_builder<Dimension> dimension(sizes, TensorShape::kDimension);
    if ((*shape)[i] >= 0) {
      dimension.add_int64(Dimension::kValue, (*shape)[i]);
    } else {
      dimension.add_string(Dimension::kParameter, fmt::format("{}_{}", name, i));
    }
  }
}

void add_attribute(pbf_builder<Node>& node, const OnnxAttribute& attribute) {
  pbf_builder<Attribute> written(node, Node::kAttribute);
  written.add_string(Attribute::kName, attribute.name.data(), attribute.name.size());
  if (const auto* number = std::get_if<float>(&attribute.value)) {
    written.add_float(Attribute::kFloat, *number);
    written.add_int32(Attribute::kType, kFloatAttribute);
  } else {
    written.add_int64(Attribute::kInt, std::get<std::int64_t>(attribute.value));
    written.add_int32(Attribute::kType, kIntAttribute);
  }
}

}  // namespace

OnnxValue OnnxGraph::input(c10::ScalarType type, const std::vector<std::int64_t>& shape) {
  OnnxValue name = next_name();
  pbf_builder<Graph> graph(inputs_);
  add_value_info(graph, Graph::kInput, name, onnx_type(type), &shape);
  return name;
}

OnnxValue OnnxGraph::node(std::string_view op, const std::vector<OnnxValue>& inputs,
                          const std::vector<OnnxAttribute>& attributes) {
  return node(op, inputs, attributes, {true}).front();
}

std::vector<OnnxValue> OnnxGraph::node(std::string_view op, const std::vector<OnnxValue>& inputs,
                                       const std::vector<OnnxAttribute>& attributes, const std::vector<bool>& wanted) {
  const bool is_own = op.starts_with(kOwnPrefix);
  if (is_own) op.remove_prefix(kOwnPrefix.size());
  std::vector<OnnxValue> outputs;
  pbf_builder<Graph> graph(nodes_);
  pbf_builder<Node> node(graph, Graph::kNode);
  for (const OnnxValue& input : inputs) node.add_string(Node::kInput, input);
  for (const bool is_wanted : wanted) {
    outputs.push_back(is_wanted ? next_name() : "");
    node.add_string(Node::kOutput, outputs.back());
  }
  node.add_string(Node::kName, scopes_.name_node(op));
  node.add_string(Node::kOpType, op.data(), op.size());
  for (const OnnxAttribute& attribute : attributes) add_attribute(node, attribute);
  if (is_own) node.add_string(Node::kDomain, kOwnDomain.data(), kOwnDomain.size());
  return outputs;
}

OnnxValue OnnxGraph::weight(const at::Tensor& tensor) {
  OnnxValue& name = weight_names_[{tensor.const_data_ptr(), tensor.sizes().vec(), tensor.strides().vec()}];
  if (!name.empty()) return name;
  name = next_name();
  Weight& weight = weights_.emplace_back(Weight{"", tensor});
  pbf_builder<Initializer> initializer(weight.fields);
  initializer.add_packed_int64(Initializer::kDims, tensor.sizes().begin(), tensor.sizes().end());
  initializer.add_int32(Initializer::kDataType, onnx_type(tensor.scalar_type()));
  initializer.add_string(Initializer::kName, name);
  weight.fields += heading_of(static_cast<std::uint32_t>(Initializer::kRawData), tensor.nbytes());
  return name;
}

OnnxValue OnnxGraph::next_name() {
  return fmt::format("v{}", ++count_);
}

OnnxValue OnnxGraph::number(float value) {
  return constant(kOnnxFloat, {}, {reinterpret_cast<const char*>(&value), sizeof value});
}

OnnxValue OnnxGraph::whole_numbers(const std::vector<std::int64_t>& values) {
  return constant(kOnnxInt64, {static_cast<std::int64_t>(values.size())},
                  {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)});
}

OnnxValue OnnxGraph::whole_number(std::int64_t value) {
  return constant(kOnnxInt64, {}, {reinterpret_cast<const char*>(&value), sizeof value});
}

OnnxValue OnnxGraph::constant(std::int32_t type, const std::vector<std::int64_t>& shape, std::string_view data) {
  OnnxValue& name = constant_names_[{type, fmt::format("{}:{}", fmt::join(shape, ","), data)}];
  if (!name.empty()) return name;
  name = next_name();
  pbf_builder<Graph> graph(initializers_);
  pbf_builder<Initializer> initializer(graph, Graph::kInitializer);
  initializer.add_packed_int64(Initializer::kDims, shape.begin(), shape.end());
  initializer.add_int32(Initializer::kDataType, type);
  initializer.add_string(Initializer::kName, name);
  initializer.add_bytes(Initializer::kRawData, data.data(), data.size());
  return name;
}

void OnnxGraph::write(const OnnxValue& output, const std::function<void(std::string_view)>& write_part) const {
  std::string fields = nodes_ + initializers_ + inputs_;
  pbf_builder<Graph> graph(fields);
  graph.add_string(Graph::kName, "transformeter");
  add_value_info(graph, Graph::kOutput, output, kOnnxFloat, nullptr);
  const auto heading_of_weight = [](const Weight& weight) {
    const std::size_t size = weight.fields.size() + weight.tensor.nbytes();
    return heading_of(static_cast<std::uint32_t>(Graph::kInitializer), size) + weight.fields;
  };
  std::size_t size = fields.size();
  for (const Weight& weight : weights_) size += heading_of_weight(weight).size() + weight.tensor.nbytes();

  std::string beginning;
  pbf_builder<ModelFile> model(beginning);
  model.add_int64(ModelFile::kIrVersion, kIrVersion);
  for (const auto& [domain, version] : {std::pair{std::string_view(), kOperatorSet}, {kOwnDomain, std::int64_t{1}}}) {
    pbf_builder<OperatorSet> set(model, ModelFile::kOperatorSet);
    set.add_string(OperatorSet::kDomain, domain.data(), domain.size());
    set.add_int64(OperatorSet::kVersion, version);
  }
  beginning += heading_of(static_cast<std::uint32_t>(ModelFile::kGraph), size);
  if (beginning.size() + size > kLargestFileSize) {
    throw Error(ErrorKind::kUnsupported, "engine onnxruntime: the model is larger than the 2 GiB of an ONNX file");
  }
  write_part(beginning + fields);
  for (const Weight& weight : weights_) {
    write_part(heading_of_weight(weight));
    const at::Tensor whole = weight.tensor.contiguous();
    write_part({static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()});
  }
}

}  // namespace transformeter
