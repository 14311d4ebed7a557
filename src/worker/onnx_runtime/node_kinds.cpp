// Tables of names.
#include "onnx_runtime/node_kinds.h"

#include <algorithm>
#include <array>

namespace transformeter {
namespace {

constexpr std::array kProducts{
    ProductKind{"MatMul", "", ""},
    ProductKind{"FusedMatMul", "", ""},
    ProductKind{"Gemm", "", ""},
    ProductKind{"FusedGemm", "", ""},
    ProductKind{"Attention", "", ""},
    ProductKind{"DynamicQuantizeMatMul", "uint8", "int8"},
    ProductKind{"MatMulInteger", "", "int8"},
    ProductKind{"MatMulIntegerToFloat", "", "int8"},
    ProductKind{"QLinearMatMul", "", "int8"},
    ProductKind{"QGemm", "", "int8"},
    ProductKind{"QAttention", "", "int8"},
    ProductKind{"MatMulNBits", "", "packed"},
};

constexpr std::array<std::string_view, 4> kAttention{"Attention", "MultiHeadAttention", "GroupQueryAttention",
                                                     "QAttention"};

constexpr std::array<std::string_view, 42> kMoving{"Add",
                                                   "Sub",
                                                   "Mul",
                                                   "Div",
                                                   "Pow",
                                                   "Sqrt",
                                                   "Erf",
                                                   "Tanh",
                                                   "Sigmoid",
                                                   "Relu",
                                                   "LeakyRelu",
                                                   "Gelu",
                                                   "BiasGelu",
                                                   "FastGelu",
                                                   "QuickGelu",
                                                   "HardSwish",
                                                   "Mish",
                                                   "Softplus",
                                                   "Clip",
                                                   "Max",
                                                   "Min",
                                                   "Where",
                                                   "Softmax",
                                                   "LayerNormalization",
                                                   "Cast",
                                                   "Transpose",
                                                   "Concat",
                                                   "SkipLayerNormalization",
                                                   "Split",
                                                   "Expand",
                                                   "ReduceMean",
                                                   "SimplifiedLayerNormalization",
                                                   "ReduceMax",
                                                   "ReduceSum",
                                                   "ReduceL2",
                                                   "SkipSimplifiedLayerNormalization",
                                                   "QuantizeLinear",
                                                   "BiasSoftmax",
                                                   "RotaryEmbedding",
                                                   "DynamicQuantizeLinear",
                                                   "DequantizeLinear",
                                                   "Neg"};

}  // namespace

const ProductKind* find_product_kind(std::string_view op) {
  const auto* kind = std::find_if(kProducts.begin(), kProducts.end(), [&](const auto& one) { return one.op == op; });
  return kind == kProducts.end() ? nullptr : kind;
}

bool is_attention(std::string_view op) {
  return std::find(kAttention.begin(), kAttention.end(), op) != kAttention.end();
}

bool is_moving(std::string_view op) {
  return std::find(kMoving.begin(), kMoving.end(), op) != kMoving.end();
}

}  // namespace transformeter
