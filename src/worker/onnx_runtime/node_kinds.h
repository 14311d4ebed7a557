// Operators by the names that ONNX and ONNX Runtime give them.
#pragma once

#include <string_view>

namespace transformeter {

/// An operator that multiplies by weights, and the formats in which it does that are not the input's.
struct ProductKind {
  std::string_view op;
  std::string_view input, weight;  // empty: the input's
};

/// Null for others.
const ProductKind* find_product_kind(std::string_view op);

bool is_attention(std::string_view op);

/// Whether it reads each input once and writes each output once, and multiplies no matrices.
bool is_moving(std::string_view op);

}  // namespace transformeter
