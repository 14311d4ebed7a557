// The cycle of a workload: a fixed, seeded list of examples as K batches of token ids.
//
// Two shapes. Natural lengths: N examples in batches of B, each padded to its own longest or all to one length,
// K = ceil(N / B), the last batch possibly smaller. Fixed length T: one batch of B rows of T tokens, filled with the
// text of successive examples but for the share of padding that was asked for, which is none at first.
// The order of the examples and the subset that a limit or a cut leaves depend on the seed alone, never on the batch
// size: all batch sizes measure the same texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/row_frame.h"
#include "spec/blueprint.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// Images as a model takes them.
struct BatchImages {
  ImageShape shape;
  std::vector<float> values;  // [B, channels, height, width]
};

/// Sounds as a model takes them, each followed by padding up to the longest.
struct BatchSounds {
  std::int64_t samples = 0;                // of each row
  std::vector<float> values;               // [B, samples]
  std::vector<std::int64_t> lengths = {};  // [B]: samples of each row that are not padding
};

/// The inputs of one call of a model; rows are examples, columns token positions, row-major [B*T].
struct Batch {
  std::int64_t batch_size = 0;        // B, the true number of rows
  std::int64_t sequence_length = 0;   // T
  std::optional<BatchImages> images;  // which have neither ids nor types
  std::optional<BatchSounds> sounds;  // likewise; columns are frames
  std::vector<std::int64_t> input_ids;
  std::vector<std::uint8_t> attention_mask;  // 1 for a token, 0 for padding
  std::vector<std::int64_t> token_type_ids;
  std::vector<std::size_t> example_index;  // [B] in the data set; of a row of fixed length, its first example
  std::int64_t useful_tokens = 0;          // ones in the mask
  std::int64_t processed_tokens = 0;       // B*T
  bool has_padding = false;                // that reaches the model as a mask; not every model of sounds has one
};

/// [B]: the tokens of each row that are not padding.
std::vector<std::int64_t> row_lengths(const Batch& batch);

struct CycleOptions {
  std::int64_t batch_size = 1;                  // ≥ 1
  std::optional<std::int64_t> sequence_length;  // nothing: natural lengths
  std::optional<std::int64_t> padded_length;    // of each row; natural lengths only. Nothing: the batch's longest
  double padding_share = 0;           // of a fixed length's tokens, in [0, 1); exact to one token of the batch
  std::optional<std::int64_t> limit;  // use so many examples at most; nothing: all
  std::uint64_t seed = 0;
  std::optional<std::int64_t> cut_examples;  // cut a cycle of natural lengths to so many examples; nothing: no cut
  /// Sort by length within so many successive examples before they are batched; natural lengths only. Nothing: no.
  std::optional<std::int64_t> bucket_window;
  std::int64_t max_positions = 512;  // of the model
  std::int64_t further_batches = 0;  // number of further batches to build from the texts that follow; fixed length only
  bool open_end = false;  // rows of a fixed length end with their text: what a tokenizer puts after one is left out
};

struct Cycle {
  std::vector<Batch> batches;           // K, in the order of the examples
  std::vector<Batch> further;           // further_batches of them, not part of the cycle
  std::int64_t example_count = 0;       // selected: N, or the limit; before a cut
  std::int64_t used_examples = 0;       // of those, how many some batch holds, further ones included
  std::int64_t truncated_examples = 0;  // of those in the batches, cut to max_positions (natural lengths)
  std::int64_t wrap_count = 0;          // times the examples were repeated to fill the cycle's batch (fixed length)
};

/// How many tokens each of `batch_size` rows holds when `padding_share` of all rows' tokens, to the nearest whole
/// token, are padding, spread evenly. Throws Error(kUnsupportedShape) when a row would hold fewer than 3.
std::vector<std::int64_t> padded_row_lengths(std::int64_t batch_size, std::int64_t sequence_length,
                                             double padding_share);

/// Indices of the selected examples in seeded order. Throws Error(kBadInput) when none is left.
std::vector<std::size_t> select_examples(std::size_t example_count, const CycleOptions& options);

/// The indices of `count` examples from `first` on, as drawn ones have them.
std::vector<std::size_t> successive_examples(std::size_t first, std::int64_t count);

/// Encodes those examples in that order; longer ones are cut to `max_length` tokens.
std::vector<Encoding> encode_examples(const DataSet& data, const std::vector<std::size_t>& order,
                                      const Tokenizer& tokenizer, std::optional<std::int64_t> max_length);

/// The cycle of `encodings`, the i-th being that of example order[i]; `frame` is what stands around a row's text.
/// Throws Error(kUnsupportedShape) for a fixed or padded length below 3 or above max_positions and for an encoding
/// above max_positions or the padded length, Error(kBadInput) for an impossible option or texts without a single token.
Cycle build_cycle(const std::vector<std::size_t>& order, const std::vector<Encoding>& encodings, const RowFrame& frame,
                  const CycleOptions& options);

/// The indices of `keep` examples, ascending: sorted by size, cut into `keep` strata as equal as can be, one drawn from
/// each. All of them when there are no more than `keep`.
std::vector<std::size_t> stratified_draw(const std::vector<std::int64_t>& sizes, std::size_t keep, std::uint64_t seed);

/// All three steps. With a fixed length, examples that no row needs are not encoded.
Cycle build_cycle(const DataSet& data, const Tokenizer& tokenizer, const CycleOptions& options);

}  // namespace transformeter
