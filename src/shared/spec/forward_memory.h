// What a forward pass holds in memory, on paper: from the blueprint alone, before anything is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "spec/blueprint.h"
#include "spec/model_config.h"
#include "spec/training_memory.h"

namespace transformeter {

/// What a product with weights needs beside its inputs and its output. Products with a side below kSmallestInt8Side
/// count as needing nothing.
enum class ProductScratch {
  kNone,
  kBytesOfRows,     // its inputs in 8 bits, and sums in 32 bits, from which its output is made
  kBytes,           // its inputs in 8 bits
  kWidenedWeights,  // its weights in the inputs' type, twice, unless it has few rows
  kOther,           // as ForwardShape::other_scratch says
};

/// Where an activation of a product's output is written.
enum class ActivationForm {
  kNewTensor,
  kInPlace,  // over the output
  kBytes,    // in 8 bits, in which the product after it takes it
};

/// How much of attention's scores, one for each pair of tokens and head, is held at once.
enum class ScoresHeld {
  kNone,     // next to nothing
  kTiles,    // some of them, beside copies of queries, keys and values
  kInType,   // all, before and after the softmax
  kInFloat,  // likewise, with queries scaled before, all in fp32
};

/// Of one pass and what computes it.
struct ForwardShape {
  ComputedRows rows;
  std::int64_t bytes_per_value = 4;  // of activations
  bool joins_products = false;       // of one input: one product with the outputs side by side
  bool adds_in_place = false;        // residuals are added to a product's output
  bool fuses_rows = false;           // rotations need no tensor but their result
  bool leaves_out_tokens = false;    // of the last layer, where the head reads one token of a row
  bool reads_last_token = false;     // of a prompt, as the head does before the first new token
  std::int64_t beams = 0;            // of a step in which several read an encoded prompt; 0: any other pass
  bool convolves_by_group = false;   // by LibTorch's own kernel; else by oneDNN's, in layouts of their own
  ScoresHeld scores = ScoresHeld::kNone;
  std::int64_t tile_scores = 0;  // of kTiles: most that are held at once
  ProductScratch scratch = ProductScratch::kNone;
  std::function<double(double rows, double inputs, double outputs)> other_scratch;  // bytes
  std::function<ActivationForm(Activation)> form_of = [](Activation) { return ActivationForm::kNewTensor; };
};

/// Bytes.
struct ForwardMemory {
  double peak = 0;    // most that is alive at once, beside weights, inputs and a cache
  double output = 0;  // of it, what is left after the pass
};

/// On the CPU. Nothing without a row and for a family without a blueprint. Throws Error(kUnsupported) for a task that
/// the family has no head for.
std::optional<ForwardMemory> forecast_forward_memory(const ModelConfig& config, Task task, const ForwardShape& shape);

}  // namespace transformeter
