// What a step of a training holds in memory, on paper: from the blueprint alone, before anything is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/blueprint.h"
#include "spec/lora.h"
#include "spec/model_config.h"

namespace transformeter {

/// When attention keeps its softmax, [B, H, T, T], for the backward pass; else it is computed again.
enum class SharesKept { kAlways, kWithDropout, kNever };

/// Which of a matrix's three products are of narrow numbers but computed in fp32.
struct WidenedProducts {
  bool outputs = false, input_gradient = false, weight_gradient = false;

  static constexpr WidenedProducts all() { return {true, true, true}; }
  bool any() const { return outputs || input_gradient || weight_gradient; }
};

/// What kernels keep for their backward passes, where they differ.
struct SavedForBackward {
  bool dropout_masks = true;  // of each dropout; else they are drawn again
  SharesKept attention_shares = SharesKept::kWithDropout;
  bool composes_columns = false;  // shares are kept where values of a head do not lie side by side (convolutions)
  bool own_attention = false;     // the engine's kernel, where a dropout or widened products ask for it
  bool wide_shares = true;        // and with them what they are made of is fp32, whatever comes in
  bool widened_products = false;  // all of narrow numbers
  /// Of one matrix, where it is not so of all; null: none of any. Where any is, autocast keeps no copy of the matrix.
  std::function<WidenedProducts(const LinearSpec& matrix)> widens = {};
  bool unneeded_tokens = true;  // of the last layer where the head reads one token
};

/// Of one micro-batch, as it is computed.
struct ComputedRows {
  std::vector<std::int64_t> lengths;              // of rows that are padded to one length that length
  bool is_packed = false;                         // one after another, without padding
  bool has_padding = false;                       // so that attention takes a mask; of pairs the captions'
  std::vector<std::int64_t> target_lengths = {};  // that a decoder reads, of transcripts or captions; padded; or none
  std::int64_t samples = 0;                       // of each sound; 0: the fewest that make its frames

  bool operator==(const ComputedRows&) const = default;
};

/// Samples of each row of sounds, with padding. At least one row.
std::int64_t samples_of(const WaveSpec& waves, const ComputedRows& rows);

/// Values of the masks that layers share. Of a causal model: of every pair of tokens where there is padding; else where
/// a window is shorter than a row, of one row for each such window, and of packed rows for each length of these. With a
/// relative bias the same in any case, for each head.
double mask_values(const Blueprint& blueprint, const ComputedRows& rows);

struct StepShape {
  ComputedRows rows;
  std::int64_t micro_batches = 1;
  std::int64_t bytes_per_weight = 4;   // and of gradients
  std::int64_t bytes_per_product = 4;  // of what products give; less than of weights under autocast
  bool has_dropout = true;
  bool checkpoints_layers = false;
  bool smooths_labels = false;
  std::string optimizer = "adamw";
  std::optional<LoraPlan> lora = {};  // nothing: all weights are trainable

  bool has_autocast() const { return bytes_per_product < bytes_per_weight; }
};

/// Bytes.
struct StepMemory {
  double weights = 0;      // adapters included
  double gradients = 0;    // of trainable weights
  double optimizer = 0;    // its state
  double activations = 0;  // alive after the forward pass of a micro-batch
  double peak = 0;         // most that is alive at once, with weights, gradients and the optimizer's state
};

/// On the CPU. Nothing without a row, for a family without a blueprint, for a decoder, transcripts or captions without
/// lengths of these and for an optimizer of another name. Throws Error(kUnsupported) for a task that the family has no
/// head for.
std::optional<StepMemory> forecast_step_memory(const ModelConfig& config, Task task, const StepShape& shape,
                                               const SavedForBackward& kept);

}  // namespace transformeter
