// What a model is made of, without its weights: every matrix, norm and table with the name it has in a checkpoint, in
// the order in which a forward pass uses them. Inventories, formulas and modules are all built from this one
// description, so that they cannot disagree. Letters: B batch, T tokens, C width, H heads, V vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/rotary.h"

namespace transformeter {

enum class Activation {
  kGelu,      // x Φ(x) with the error function
  kGeluTanh,  // the tanh approximation: "gelu_new", "gelu_pytorch_tanh"
  kRelu,
  kSilu,  // x σ(x)
  kTanh,
  kClippedGelu,   // kGelu, from −10 to 10
  kQuickGelu,     // x σ(1.702 x)
  kHardSwish,     // x · min(max(x + 3, 0), 6) / 6
  kLaplace,       // Φ((x − √½) / 0.282095), as MEGA has it
  kLeakyRelu,     // with 0.01 x below 0
  kLinear,        // x
  kMish,          // x tanh(log(1 + exp x))
  kRelu6,         // kRelu, up to 6
  kSigmoid,       // σ(x)
  kSquaredRelu,   // kRelu, squared
  kSqrtSoftplus,  // √log(1 + exp x)
};

enum class WeightLayout {
  kOutIn,        // [out, in]
  kInOut,        // [in, out]: the Conv1D of GPT-2
  kConvolution,  // [out, in / groups, 1]: a pointwise convolution
};

/// y = x Wᵀ + b.
struct LinearSpec {
  std::string weight;  // the tensor's name
  std::string bias;    // empty: none
  std::int64_t in = 0;
  std::int64_t out = 0;
  WeightLayout layout = WeightLayout::kOutIn;
  std::int64_t groups = 1;  // of a convolution
  /// Where the tensors hold several matrices, one below the other: this one's first row, and how many rows they have.
  /// 0: they are its own.
  std::int64_t first_row = 0;
  std::int64_t stored_rows = 0;
  /// The weight is the table of word embeddings; a checkpoint may hold a copy of it, and of the bias, under these
  /// names.
  std::string tied_weight;
  std::string tied_bias;

  bool is_tied() const { return !tied_weight.empty(); }
  bool is_part() const { return stored_rows != 0; }
  /// What tells it from all other matrices of a model: the weight's name, and of a part its place.
  std::string key() const { return is_part() ? weight + "[" + std::to_string(first_row) + "]" : weight; }
  bool operator==(const LinearSpec&) const = default;
};

/// PREFIX.weight and, unless `has_bias` is false, PREFIX.bias.
LinearSpec linear_spec(const std::string& prefix, std::int64_t in, std::int64_t out, bool has_bias = true);

enum class NormKind { kLayer, kRms };

/// Over the last dimension.
struct NormSpec {
  std::string name;  // a prefix before .weight and, of a layer norm, .bias
  std::int64_t width = 0;
  double epsilon = 1e-12;
  NormKind kind = NormKind::kLayer;
  double weight_offset = 0;  // of an RMS norm: added to its weight, which begins at 1 minus it

  bool operator==(const NormSpec&) const = default;
};

/// Pixels, of an image or of a part of one.
struct PixelSize {
  std::int64_t height = 0;
  std::int64_t width = 0;

  bool operator==(const PixelSize&) const = default;
};

/// What an image is, as a model takes it.
struct ImageShape {
  std::int64_t channels = 3;
  PixelSize size;

  std::int64_t values() const { return channels * size.height * size.width; }
  bool operator==(const ImageShape&) const = default;
};

/// An image as a row of tokens: learnt ones, then one for each patch, in rows from the upper left, each with a learnt
/// vector of its place added (Dosovitskiy et al. 2020, arXiv:2010.11929).
struct PatchSpec {
  ImageShape image;
  PixelSize patch;
  LinearSpec projection;  // of a patch's pixels, channel by channel; stored [out, channels, height, width]
  std::vector<std::string> first_tokens;  // each [1, 1, width]
  std::string positions;                  // [1, tokens, width]
  bool has_batch_axis = true;             // else tokens are stored as [width], positions as [tokens, width]

  std::int64_t count() const { return (image.size.height / patch.height) * (image.size.width / patch.width); }
  std::int64_t tokens() const { return count() + static_cast<std::int64_t>(first_tokens.size()); }
  bool operator==(const PatchSpec&) const = default;
};

/// A convolution over time.
struct ConvolutionSpec {
  std::string weight;  // the tensor's name; [out, in / groups, kernel]
  std::string bias;    // empty: none
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;

  /// Of the weight.
  std::int64_t element_count() const { return out * (in / groups) * kernel; }
  bool operator==(const ConvolutionSpec&) const = default;
};

/// activation(norm(convolution(x))) on [B, channels, time].
struct WaveLayerSpec {
  ConvolutionSpec convolution;
  std::optional<NormSpec> norm;
  bool norms_over_time = false;  // the norm is over time, of each channel; else over channels, of each time step

  bool operator==(const WaveLayerSpec&) const = default;
};

/// A sound as a row of tokens, its frames: convolutions make features of the samples, which are normed and projected;
/// a convolution over frames is added, which gives them positions (Baevski et al. 2020, arXiv:2006.11477).
struct WaveSpec {
  std::vector<WaveLayerSpec> layers;          // the first reads one channel
  Activation activation = Activation::kGelu;  // after each, and after `positions`
  std::optional<NormSpec> norm;
  LinearSpec projection;
  double dropout = 0;  // of what is projected
  /// Padded by kernel / 2 on both sides; of an even kernel the last frame is left out. Its weight is normalized:
  /// position_gain · v / |v|, where v is the tensor `positions.weight` and |v| the norm of each tap of the kernel.
  ConvolutionSpec positions;
  std::string position_gain;  // [1, 1, kernel]

  /// Of a sound of so many samples; 0 for one that is too short.
  std::int64_t frames(std::int64_t samples) const;
  /// Of each layer, the last being frames(samples).
  std::vector<std::int64_t> lengths(std::int64_t samples) const;
  /// The fewest that become so many frames.
  std::int64_t samples(std::int64_t frames) const;
  bool operator==(const WaveSpec&) const = default;
};

/// The sum of the rows of up to three tables, normed, then projected to the model's width; of images instead patches,
/// of sounds frames.
struct EmbeddingSpec {
  std::string words;  // [V, width]
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;
  std::string types;  // [type_rows, width]; empty: the model has no token types
  std::int64_t type_rows = 0;
  std::string positions;  // [position_rows, position_width]; empty: none
  std::int64_t position_rows = 0;
  std::int64_t position_offset = 0;  // the row of position 0
  std::optional<NormSpec> norm;
  std::optional<LinearSpec> projection;
  bool project_before_positions = false;    // OPT projects the words alone
  std::optional<std::int64_t> padding_row;  // of the words: it stands for no word, and learns nothing
  double scale = 1;                         // of the words, rounded to their type
  std::optional<PatchSpec> patches;         // of images, which have no words; the norm comes after their places
  std::optional<WaveSpec> waves;            // of sounds, likewise

  bool operator==(const EmbeddingSpec&) const = default;
};

struct AttentionSpec {
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;  // divides heads; each serves heads / key_value_heads of them
  std::int64_t head_dim = 0;
  std::vector<LinearSpec> inputs;  // query, key, value; or one whose output is the three side by side
  LinearSpec output;
  std::optional<NormSpec> query_norm, key_norm;  // per head, before the rotation
  std::int64_t window = 0;                       // a token sees itself and window − 1 before it; 0: all
  double dropout = 0;
  double score_scale = 1;  // of scores, beside 1 / √head_dim

  bool operator==(const AttentionSpec&) const = default;
};

/// Added to the score of a query and a key, by how far apart they are, in all layers alike: buckets of T5 (Raffel et
/// al. 2019, arXiv:1910.10683), half of them for keys before the query and half for keys after it.
struct RelativeBiasSpec {
  std::string table;  // [rows, heads]
  std::int64_t rows = 0;
  std::int64_t heads = 0;
  std::int64_t buckets = 32;        // rows that are read
  std::int64_t max_distance = 128;  // from here on at the latest all have one bucket
  bool looks_back = false;          // all buckets are of keys before the query; those after it have its own

  bool operator==(const RelativeBiasSpec&) const = default;
};

/// out(activation(in(x))), or with a gate out(activation(gate(x)) · in(x)).
struct FeedForwardSpec {
  std::optional<LinearSpec> gate;
  LinearSpec in, out;
  bool holds_gate = false;  // `in` gives the gate's values, then its own
  Activation activation = Activation::kGelu;
  double dropout = 0;  // of what `out` reads

  bool is_gated() const { return gate.has_value() || holds_gate; }
  std::int64_t width() const { return holds_gate ? in.out / 2 : in.out; }

  bool operator==(const FeedForwardSpec&) const = default;
};

struct LayerSpec {
  AttentionSpec attention;
  NormSpec attention_norm;
  FeedForwardSpec feed_forward;
  NormSpec feed_forward_norm;
  // Of a decoder: queries of its own tokens, keys and values of the text that was encoded. It comes after the layer's
  // own attention, normed first.
  std::optional<AttentionSpec> cross_attention;
  std::optional<NormSpec> cross_attention_norm;
  bool norm_first = false;                                                  // x + f(norm(x)); else norm(x + f(x))
  std::optional<NormSpec> attention_output_norm, feed_forward_output_norm;  // x + norm(f(…)), only where norm_first

  bool operator==(const LayerSpec&) const = default;
};

/// Which hidden states a head reads.
enum class Selection {
  kAll,           // every token: [B, T, C]
  kFirst,         // the first: [B, C]
  kLast,          // the last that is not padding: [B, C]
  kMean,          // the mean over tokens that are not padding: [B, C]
  kMax,           // the largest of each number: [B, C]
  kMeanOverRoot,  // the sum, divided by the root of the tokens' number: [B, C]
  kWeightedMean,  // the mean with the weights 1, 2, …: [B, C]
  kProbe,         // what HeadSpec::probe makes of all: [B, C]
};

/// One vector of all tokens: a learnt query attends to them, and a feed-forward network adds to what it sees,
/// a + f(norm(a)) (Zhai et al. 2021, arXiv:2106.04560). Nothing is padding.
struct ProbeSpec {
  std::string query;        // [1, 1, width]
  AttentionSpec attention;  // its first input reads the query, the second gives keys and values of tokens side by side
  NormSpec norm;
  FeedForwardSpec feed_forward;

  bool operator==(const ProbeSpec&) const = default;
};

/// What makes probabilities of the logits of texts and images, and so how they are learnt.
enum class PairLoss {
  kSoftmax,  // one text for each image, and one image for each text, of a batch (Radford et al. 2021, arXiv:2103.00020)
  kSigmoid,  // each text and image by themselves: they fit or not (Zhai et al. 2023, arXiv:2303.15343)
};

/// The logit of a text and an image: exp(scale) times the cosine of their vectors, plus bias. Both are one number.
struct PairLogitsSpec {
  std::string scale;         // the tensors' names
  std::string bias;          // empty: 0
  bool has_axis = false;     // they are stored as [1], else as []
  bool begins_high = false;  // a model that is new to training has a scale of 1 / 0.07, else of 1
  PairLoss loss = PairLoss::kSoftmax;

  bool operator==(const PairLogitsSpec&) const = default;
};

/// How well texts fit a vector: its product with a matrix that holds exp(scale) · v / |v| of each text's vector v, a
/// row each; the product's bias, if it has one, is the logits'. Both are computed while a model is loaded.
struct SimilaritySpec {
  LinearSpec product;
  PairLogitsSpec logits;

  bool operator==(const SimilaritySpec&) const = default;
};

/// How frames of a sound are held against what is said in it: connectionist temporal classification (Graves et al.
/// 2006, doi:10.1145/1143844.1143891).
struct CtcSpec {
  std::int64_t blank = 0;        // the class of a frame that adds no token
  bool is_mean = false;          // of a batch: each loss by its transcript's tokens, then their mean; else the sum
  bool zeroes_infinity = false;  // a transcript that its sound is too short for counts 0 and teaches nothing
  bool has_loss = true;          // false: a batch's losses stay apart, so that nothing can be learnt from them

  bool operator==(const CtcSpec&) const = default;
};

/// output(norm(activation(dense(selected)))), what is absent left out.
struct HeadSpec {
  double input_scale = 1;  // of what is selected
  Selection selection = Selection::kAll;
  std::optional<ProbeSpec> probe;  // of that selection alone
  std::vector<Selection> beside;   // of further vectors of the same text, put after the first
  std::optional<LinearSpec> dense;
  bool dense_on_tokens = false;  // of each token, before some are selected
  std::optional<Activation> activation;
  std::optional<NormSpec> norm;
  std::optional<LinearSpec> output;
  bool normalized = false;                     // the result is divided by its length (L2)
  std::optional<SimilaritySpec> similarities;  // of that
  double dropout = 0;                          // before the last matrix
  /// The head reads Σ softmax(w)ᵢ hᵢ of the hidden states before the first layer and after each, the last norm left
  /// out; w is the tensor of this name, [layers + 1]. Empty: what the last layer gives.
  std::string layer_weights;
  std::optional<CtcSpec> ctc;  // of frames that are tokens: how they learn

  bool operator==(const HeadSpec&) const = default;
};

/// Tokens inside a text that count as padding, though they are attended to: the original judges by their id.
struct BlankTokens {
  std::int64_t id = 0;
  bool in_positions = false;  // they have no position, and are not counted before others
  bool as_last = false;       // none of them is a row's last token

  bool operator==(const BlankTokens&) const = default;
};

/// Which of a text's own tokens counts as its last one.
struct EndToken {
  /// The first with this ID, else the first of all; nothing: the first of the largest ID.
  std::optional<std::int64_t> id;

  bool operator==(const EndToken&) const = default;
};

/// Layers that make a text of another one, token by token: each attends to those before it, and to what was encoded.
struct DecoderSpec {
  std::vector<LayerSpec> layers;
  std::optional<RelativeBiasSpec> relative_bias;
  std::optional<NormSpec> final_norm;
  std::optional<std::int64_t> start_token;           // a text begins with it; nothing: the model's files do not say
  std::optional<std::int64_t> training_start_token;  // likewise a target that is learnt, as Transformers shifts labels

  bool operator==(const DecoderSpec&) const = default;
};

/// Layers that make a vector of a text, which is held against those of images.
struct TextTowerSpec {
  EmbeddingSpec embedding;
  std::vector<LayerSpec> layers;
  std::optional<NormSpec> final_norm;
  HeadSpec head;
  std::optional<EndToken> end;
  bool is_causal = false;
  PairLogitsSpec logits;
  std::int64_t vector_size = 0;  // of a text, and of an image

  bool operator==(const TextTowerSpec&) const = default;
};

struct Blueprint {
  EmbeddingSpec embedding;
  std::vector<LayerSpec> layers;  // layers that share weights repeat their names
  std::optional<RotarySpec> rotary;
  std::optional<RotarySpec> window_rotary;  // of layers with a window; nothing: as of all others
  std::optional<RelativeBiasSpec> relative_bias;
  std::optional<NormSpec> final_norm;
  std::optional<LinearSpec> final_projection;
  // Nothing: the head reads what the layers above give. Else these encode, and it reads what the decoder makes of it,
  // whose table of words is theirs; see encoder_decoder.h.
  std::optional<DecoderSpec> decoder;
  // Nothing: one kind of input. Else the rest is of images, and vectors of both are held against each other; see
  // two_towers.h.
  std::optional<TextTowerSpec> text_tower;
  HeadSpec head;
  bool is_causal = false;  // a token sees none after it
  // Whether a token's position counts the tokens before it and not the padding, whose own position is then −1; else
  // it is the column.
  bool positions_skip_padding = false;
  std::optional<BlankTokens> blanks;
  std::optional<EndToken> end;              // nothing: the last token that is not padding
  std::optional<std::int64_t> cache_limit;  // as ModelConfig's
  bool channels_first = false;              // layers work on [B, C, T], their matrices are convolutions
  double hidden_dropout = 0;                // after the embeddings and after each part of a layer
  double final_dropout = 0;                 // of what the last norm gives; of a decoder's too

  /// Whether no output depends on what the last layer makes of all tokens of a row but one.
  bool needs_one_token() const {
    const bool reads_one = head.selection == Selection::kLast || (head.selection == Selection::kFirst && !is_causal);
    return reads_one && head.beside.empty() && !channels_first && !layers.empty() &&
           layers.back().attention.window == 0;
  }

  bool operator==(const Blueprint&) const = default;
};

}  // namespace transformeter
