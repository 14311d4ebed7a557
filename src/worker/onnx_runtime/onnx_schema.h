// The part of ONNX's schema, onnx.proto, that drawing a graph and counting a file's parameters need: messages as
// enumerations of their fields' numbers, in the form of protozero.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>

namespace transformeter {

enum class ModelFile : protozero::pbf_tag_type { kIrVersion = 1, kGraph = 7, kOperatorSet = 8 };

enum class OperatorSet : protozero::pbf_tag_type { kDomain = 1, kVersion = 2 };

enum class Graph : protozero::pbf_tag_type { kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12 };

enum class Node : protozero::pbf_tag_type {
  kInput = 1,
  kOutput = 2,
  kName = 3,
  kOpType = 4,
  kAttribute = 5,
  kDomain = 7
};

enum class Attribute : protozero::pbf_tag_type { kName = 1, kFloat = 2, kInt = 3, kTensor = 5, kType = 20 };
inline constexpr std::int32_t kFloatAttribute = 1;
inline constexpr std::int32_t kIntAttribute = 2;

/// TensorProto.
enum class Initializer : protozero::pbf_tag_type { kDims = 1, kDataType = 2, kName = 8, kRawData = 9 };

inline constexpr std::int32_t kOnnxFloat = 1;
inline constexpr std::int32_t kOnnxInt8 = 3;
inline constexpr std::int32_t kOnnxInt32 = 6;
inline constexpr std::int32_t kOnnxInt64 = 7;

enum class ValueInfo : protozero::pbf_tag_type { kName = 1, kType = 2 };

enum class TypeInfo : protozero::pbf_tag_type { kTensorType = 1 };

enum class TensorType : protozero::pbf_tag_type { kElementType = 1, kShape = 2 };

enum class TensorShape : protozero::pbf_tag_type { kDimension = 1 };

enum class Dimension : protozero::pbf_tag_type { kValue = 1, kParameter = 2 };

}  // namespace transformeter
