// What a model costs on paper: parameters, bytes of weights, floating-point operations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "spec/model_config.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

/// Tied tensors count once.
std::int64_t parameter_count(const std::vector<TensorSpec>& inventory);

/// bytes_per_element: 4 for fp32, 2 for bf16 and fp16; positive.
std::int64_t weight_bytes(const std::vector<TensorSpec>& inventory, std::int64_t bytes_per_element);

/// Floating-point operations of one forward pass over B = batch rows of T = sequence_length tokens, padding included;
/// a multiply-add counts 2. Only matrix products count, as in Hoffmann et al. 2022 (arXiv:2203.15556, appendix F) and
/// Narayanan et al. 2021 (arXiv:2104.04473, appendix), and as PyTorch's FlopCounterMode counts them: embedding
/// look-ups, bias, LayerNorm, softmax and activations do not. With C hidden, I intermediate, L labels, V vocabulary:
///   each layer               B (8 T C² + 4 T C I + 4 T² C)   projections, feed-forward, QKᵀ and PV
///   sequence_classification  B (2 C² + 2 C L)                first token only
///   token_classification     B T 2 C L
///   question_answering       B T 4 C
///   masked_lm                B T (2 C² + 2 C V)
///   embedding                0
/// Throws Error(kBadInput) for sizes below 1 and an unknown task.
double forward_flops(const ModelConfig& config, std::string_view task, std::int64_t batch,
                     std::int64_t sequence_length);

}  // namespace transformeter
