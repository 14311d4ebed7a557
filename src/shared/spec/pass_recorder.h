// The operations of one stack of layers, as they come in a forward pass.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "spec/blueprint.h"
#include "spec/lora.h"
#include "spec/training_memory.h"
#include "spec/training_tape.h"

namespace transformeter {

/// What a decoder's layers attend to beside their tokens.
struct EncodedTexts {
  const ComputedRows& rows;
  bool have_gradients;
};

/// Records each with what it keeps for its backward pass, which is what PyTorch's derivatives.yaml has it save; a
/// tensor that two of them save counts at the first. To be used once.
class PassRecorder {
 public:
  /// All must outlive it. `texts` is null for a stack that is no decoder beside an encoder.
  PassRecorder(const Blueprint& blueprint, const StepShape& shape, const SavedForBackward& kept,
               const EncodedTexts* texts = nullptr)
      : blueprint_(blueprint),
        shape_(shape),
        kept_(kept),
        texts_(texts),
        rows_(static_cast<double>(shape.rows.lengths.size())),
        tokens_(std::accumulate(shape.rows.lengths.begin(), shape.rows.lengths.end(), 0.0)),
        weight_(static_cast<double>(shape.bytes_per_weight)),
        product_(static_cast<double>(shape.bytes_per_product)),
        stream_(ends_in_product(blueprint.embedding) ? product_ : weight_),
        width_(static_cast<double>(blueprint.layers.front().attention.output.out)),
        has_gradients_(!shape.lora),
        texts_are_kept_(shape.checkpoints_layers) {}

  Tape record();
  /// With a head, whose result is divided by its length, but without a loss.
  Tape record_vectors();
  /// Without head and loss.
  Tape record_stack();
  /// Whether what was recorded last has a gradient.
  bool has_gradients() const { return has_gradients_; }

 private:
  static constexpr double kWide = 4;  // bytes of an element of fp32

  // What a matrix reads.
  enum class Source {
    kOwn,     // what no operation before has kept
    kShared,  // the same as the matrix before
    kTexts,   // what was encoded
  };

  // What an attention reads: queries, keys, and pairs of them, summed over rows.
  struct AttentionSize {
    double queries, keys, pairs;
  };

  // Which of them have gradients.
  struct AttentionGradients {
    bool queries, keys, values;

    bool of_scores() const { return queries || keys; }
  };

  void add_stack();
  double text_tokens() const { return std::accumulate(texts_->rows.lengths.begin(), texts_->rows.lengths.end(), 0.0); }
  double tokens_left() const { return leaves_out_tokens() ? rows_ : tokens_; }
  static double kept_by(Activation activation);
  static double slopes_of(Activation activation);
  static bool ends_in_product(const EmbeddingSpec& spec);
  bool leaves_out_tokens() const { return !kept_.unneeded_tokens && blueprint_.needs_one_token(); }
  void add(double kept, double in_flight);

  bool learns(const std::string& weight) const { return !shape_.lora || shape_.lora->is_trainable(weight); }
  bool adapts(const LinearSpec& matrix) const { return shape_.lora && shape_.lora->adapts(matrix); }
  // For the gradient of its weight, or of its adapter.
  bool reads_again(const LinearSpec& matrix) const { return adapts(matrix) || learns(matrix.weight); }
  bool learns_bias() const { return blueprint_.relative_bias && learns(blueprint_.relative_bias->table); }

  // record_embedding.cpp.
  void embed();
  void embed_patches(const PatchSpec& patches, const std::optional<NormSpec>& norm);
  void embed_waves(const WaveSpec& waves, const std::optional<NormSpec>& norm);
  static double count_of(const ConvolutionSpec& spec) { return static_cast<double>(spec.element_count()); }
  static double convolution_in_flight(double read, double made, bool has_channels_last);
  void add_convolution(const ConvolutionSpec& spec, double kept, double in_flight);
  void add_wave_norm(const WaveLayerSpec& layer, double means, double values);
  void add_positions(const WaveSpec& waves, double frames);

  void add_last_of_sum();
  void add_mask();
  bool masks_pairs() const { return blueprint_.is_causal && shape_.rows.has_padding && !shape_.rows.is_packed; }
  void add_norm(const NormSpec& spec, double rows);
  void add_norm(const NormSpec& spec, double rows, double values, double element);
  void learn(const std::string& weight, double count);
  void add_linear(const LinearSpec& spec, double rows, Source source = Source::kOwn);
  void begin_input(Source source);
  // Of the input that was read last.
  bool gives_gradient(const LinearSpec& spec) const { return input_has_gradient_ || reads_again(spec); }
  void learn_adapter(const LinearSpec& spec);
  WidenedProducts widened_products(const LinearSpec& spec) const;
  double widened_forward(const LinearSpec& spec, double rows) const;
  double widened_backward(const LinearSpec& spec, double rows, const WidenedProducts& widened) const;
  double cast_bytes(const LinearSpec& spec) const;
  bool casts_stream() const { return product_ < stream_; }
  void add_dropout(double share, double bytes);

  void add_layer(const LayerSpec& spec, double rows_after, bool is_last);
  void add_attention(const AttentionSpec& spec, double rows_after);
  void add_cross_attention(const AttentionSpec& spec);

  bool drops_shares(const AttentionSpec& spec) const { return shape_.has_dropout && spec.dropout > 0; }
  bool keeps_shares(const AttentionSpec& spec) const;
  bool is_own_kernel(const AttentionSpec& spec) const;
  bool has_groups() const;
  double pairs(bool is_one) const;
  void add_composed_attention(const AttentionSpec& spec, const AttentionSize& size,
                              const AttentionGradients& gradients);

  void add_feed_forward(const FeedForwardSpec& spec, double rows);
  static bool keeps_result(const FeedForwardSpec& spec);
  void add_inner_dropout(const FeedForwardSpec& spec, double bytes);
  double tokens_read() const { return blueprint_.head.selection == Selection::kAll ? tokens_ : rows_; }
  bool keeps_view() const;
  double add_output();
  void add_head();
  void add_ctc(double logits);
  bool reads_view() const;

  // record_probe.cpp.
  void add_probe(const ProbeSpec& spec);
  void add_probe_attention(const ProbeSpec& probe);

  const Blueprint& blueprint_;
  const StepShape& shape_;
  const SavedForBackward& kept_;
  const EncodedTexts* texts_;
  double rows_, tokens_;
  double weight_, product_, stream_;  // bytes of an element; the last of what goes from layer to layer
  double width_;                      // of the same
  Tape tape_;
  double beside_ = 0;            // the gradient that goes around the operation
  double shared_gradients_ = 0;  // of what all layers read, summed from the last to the first
  double summed_ = 0;            // of them, what is there while the operation's backward pass runs
  double layer_sum_ = 0;         // the gradient of a sum of all layers, likewise
  std::set<std::string> cast_;
  bool has_gradients_;                                      // whether any trainable weight came before
  bool texts_are_kept_;                                     // what was encoded, by an operation before or a checkpoint
  bool input_is_kept_ = false, input_has_gradient_ = true;  // of the last matrices that read the same
};

}  // namespace transformeter
