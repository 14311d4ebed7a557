// What a model costs on paper: parameters, bytes of weights and of a key-value cache, floating-point operations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "spec/blueprint.h"
#include "spec/model_config.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

/// Tied tensors count once.
std::int64_t parameter_count(const std::vector<TensorSpec>& inventory);

/// bytes_per_element: 4 for fp32, 2 for bf16 and fp16; positive.
std::int64_t weight_bytes(const std::vector<TensorSpec>& inventory, std::int64_t bytes_per_element);

/// Keys and values of all layers for B = batch rows of T = sequence_length tokens; 0 for a model that is not causal.
std::int64_t cache_bytes(const ModelConfig& config, std::int64_t batch, std::int64_t sequence_length,
                         std::int64_t bytes_per_element);

/// Of one request: of prompt and new tokens; of an encoder-decoder model, of new tokens for the decoder's attention to
/// itself and of the prompt for its attention to that.
std::int64_t request_cache_bytes(const ModelConfig& config, Task task, std::int64_t prompt_length,
                                 std::int64_t new_tokens, std::int64_t num_beams, std::int64_t bytes_per_element);

/// Operations of a training step, in forward passes: a backward pass takes twice as many, for the gradients of inputs
/// and of weights.
inline constexpr double kPassesOfAStep = 3;

/// Floating-point operations of one forward pass over B = batch rows of T = sequence_length tokens, padding included;
/// a multiply-add counts 2. Only matrix products count, as in Hoffmann et al. 2022 (arXiv:2203.15556, appendix F) and
/// Narayanan et al. 2021 (arXiv:2104.04473, appendix), and as PyTorch's FlopCounterMode counts them: embedding
/// look-ups, bias, norms, rotation, softmax and activations do not, and causal attention counts whole.
///   each matrix [in, out] in g groups   B T 2 in out / g; in a head that reads one token, B 2 in out
///   each layer's QKᵀ and PV             B 4 T² H d; the same of a decoder's attention to what was encoded
///   of B images and B captions          2 B² C, each text's vector with each image's
/// A decoder beside an encoder, or a tower for captions beside one for images, reads T tokens too, but where the
/// lengths of targets or captions are given. Throws Error(kBadInput) for sizes below 1, Error(kUnsupported) for a task
/// that the family has not.
double forward_flops(const ModelConfig& config, Task task, std::int64_t batch, std::int64_t sequence_length);

/// The same of rows, a batch, that each have their own length: what is useful of a padded batch. No rows: 0. A decoder
/// reads target_lengths[i] tokens beside row i, or a caption has them; without these lengths as many as the row has.
double forward_flops(const ModelConfig& config, Task task, const std::vector<std::int64_t>& row_lengths,
                     const std::vector<std::int64_t>& target_lengths = {});
double forward_flops(const Blueprint& blueprint, const std::vector<std::int64_t>& row_lengths,
                     const std::vector<std::int64_t>& target_lengths = {});

/// Of the operations of such rows, those that no output depends on: where the head reads one token of a row, the last
/// layer's for the others, but for their queries, keys and values, and a projection after it. An engine may leave them
/// out. 0 for a last layer of convolutions or with a window, for a head that reads the first token of a causal model,
/// and for other heads. Of captions beside images their own lengths count too.
double unneeded_flops(const ModelConfig& config, Task task, const std::vector<std::int64_t>& row_lengths,
                      const std::vector<std::int64_t>& caption_lengths = {});
double unneeded_flops(const Blueprint& blueprint, const std::vector<std::int64_t>& row_lengths,
                      const std::vector<std::int64_t>& caption_lengths = {});

/// How many weights a forward pass reads whole: all but the tables of which it looks up single rows. A table that is
/// also a matrix of the head is read whole. Layers that share weights count once. Throws as forward_flops.
std::int64_t weights_read_whole(const ModelConfig& config, Task task);

}  // namespace transformeter
