// A batch prepared to run: whole or in chunks, padded or packed. It is prepared on the host and then moved, so that the
// timed pass builds no indices and copies nothing to the device.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "datasets/cycle.h"
#include "model/model.h"

namespace transformeter {

/// How a batch is split.
struct BatchLayout {
  bool packed = false;                               // rows one after another, without padding
  std::int64_t streams = 1;                          // that take chunks side by side
  std::optional<std::int64_t> chunk_tokens;          // a chunk's tokens at most; nothing: only as streams need
  std::optional<BlankTokens> blanks = std::nullopt;  // of the model
  std::optional<EndToken> end = std::nullopt;        // the same
};

/// Some rows of a batch, as one pass takes them.
struct StagedChunk {
  ModelInputs inputs;
  at::Tensor rows;    // int64, of the batch
  at::Tensor places;  // [N] int64 of packed rows: where each token stands in [B · T]; undefined: padded
};

/// A batch as it lies on the device, with what its sample needs to know of it.
struct StagedBatch {
  ModelInputs inputs;                // the whole of it, padded
  std::vector<StagedChunk> chunks;   // what is run instead; empty: the whole
  std::int64_t sequence_length = 0;  // T
  std::int64_t examples = 0;
  std::int64_t useful_tokens = 0;
  std::int64_t processed_tokens = 0;       // of what is run
  std::vector<std::size_t> example_index;  // of each row in the data set
  std::vector<std::int64_t> samples = {};  // of each sound, without padding; empty for other inputs
};

/// On the host. A batch without padding gets no mask, as none is needed.
StagedBatch lay_out(const Batch& batch, const BatchLayout& layout);

/// Calls `visit` with every tensor that a pass over the batch reads.
void visit_inputs(StagedBatch& batch, const std::function<void(at::Tensor&)>& visit);

/// Moves all of it.
void move_to(StagedBatch& batch, c10::Device device);

/// A batch's output from its chunks'. What lies over padding is 0.
at::Tensor join_chunks(const StagedBatch& batch, const std::vector<at::Tensor>& outputs);

}  // namespace transformeter
