// Embeddings of texts, images and sounds.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/pass_recorder.h"

namespace transformeter {

void PassRecorder::embed() {
  const EmbeddingSpec& spec = blueprint_.embedding;
  if (spec.patches) return embed_patches(*spec.patches, spec.norm);
  if (spec.waves) return embed_waves(*spec.waves, spec.norm);
  const double values = tokens_ * static_cast<double>(spec.width);
  TapeEntry tables{0, 2 * values * weight_};
  const auto learn_table = [&](const std::string& table, std::int64_t rows, double width) {
    if (!table.empty()) tables.weights.emplace_back(table, static_cast<double>(rows) * width * weight_);
  };
  const auto width = static_cast<double>(spec.width);
  learn_table(spec.words, spec.vocabulary, width);
  learn_table(spec.types, spec.type_rows, width);
  learn_table(spec.positions, spec.position_rows, spec.project_before_positions ? width_ : width);
  // LibTorch adds up the rows' gradients in fp32.
  if (weight_ < kWide) tables.in_flight += static_cast<double>(spec.vocabulary * spec.width) * kWide;
  if (learns(spec.words)) tape_.push_back(std::move(tables));
  if (spec.norm) add_norm(*spec.norm, tokens_, values, weight_);
  if (spec.projection) add_linear(*spec.projection, tokens_);
  add_dropout(blueprint_.hidden_dropout, tokens_ * width_ * stream_);
  add_mask();
}

// Pixels have no gradient, so that nothing keeps a cast of the matrix that multiplies them; gradients of learnt
// tokens and positions are summed over the rows.
void PassRecorder::embed_patches(const PatchSpec& patches, const std::optional<NormSpec>& norm) {
  if (!learns(patches.projection.weight)) return;
  const LinearSpec& projection = patches.projection;
  const auto in = static_cast<double>(projection.in), out = static_cast<double>(projection.out);
  const double rows = rows_ * static_cast<double>(patches.count());
  double in_flight = rows * out * product_;
  if (kept_.widened_products && product_ < kWide) in_flight += rows * (in + out) * kWide;
  add(rows * in * product_, in_flight);
  learn(projection.weight, in * out);
  if (!projection.bias.empty()) learn(projection.bias, out);
  const double values = tokens_ * width_ * stream_;
  TapeEntry tokens{0, 2 * values};
  for (const std::string& token : patches.first_tokens) tokens.weights.emplace_back(token, width_ * weight_);
  tokens.weights.emplace_back(patches.positions, static_cast<double>(patches.tokens()) * width_ * weight_);
  tape_.push_back(std::move(tokens));
  if (norm) add_norm(*norm, tokens_);
  add_dropout(blueprint_.hidden_dropout, values);
}

// Samples are an input, of which only a cast is kept. Each convolution keeps what it reads, which is the activation
// of the one before; norm and activation keep their own inputs.
void PassRecorder::embed_waves(const WaveSpec& waves, const std::optional<NormSpec>& norm) {
  const std::int64_t samples = samples_of(waves, shape_.rows);
  const std::vector<std::int64_t> lengths = waves.lengths(samples);
  double read = rows_ * static_cast<double>(samples);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const WaveLayerSpec& layer = waves.layers[i];
    const double times = rows_ * static_cast<double>(lengths[i]);
    const double made = times * static_cast<double>(layer.convolution.out);
    const bool norms_channels = layer.norm && !layer.norms_over_time;
    if (i > 0) {
      add_convolution(layer.convolution, read, convolution_in_flight(read, made, norms_channels));
    } else {
      add_convolution(layer.convolution, product_ < kWide ? read : 0, (norms_channels ? 3 : 2) * made);
    }
    if (layer.norm) add_wave_norm(layer, norms_channels ? times : rows_ * static_cast<double>(layer.norm->width), made);
    add(kept_by(waves.activation) * made * product_, 2 * made * product_);
    read = made;
  }
  if (waves.norm) add_norm(*waves.norm, tokens_, read, product_);
  add_linear(waves.projection, tokens_);
  const double frames = tokens_ * width_;
  add_dropout(waves.dropout, frames * product_);
  if (shape_.rows.has_padding) add(tokens_ * product_, 2 * frames * product_);
  add_positions(waves, frames);
  if (norm) add_norm(*norm, tokens_);
  add_dropout(blueprint_.hidden_dropout, frames * product_);
}

// The gradient of `made` values, and that of `read` in oneDNN's layout, in LibTorch's and as a copy; where channels
// come last, copies of input and gradient too. As LibTorch 2.15 allocates them, in fp32 and bf16.
double PassRecorder::convolution_in_flight(double read, double made, bool has_channels_last) {
  return has_channels_last ? 4 * read + 2 * made : 3 * read + made;
}

// `kept` and `in_flight`: values.
void PassRecorder::add_convolution(const ConvolutionSpec& spec, double kept, double in_flight) {
  const bool casts = shape_.has_autocast() && cast_.insert(spec.weight).second;
  add((kept + (casts ? count_of(spec) : 0)) * product_, in_flight * product_);
  learn(spec.weight, count_of(spec));
  if (!spec.bias.empty()) learn(spec.bias, static_cast<double>(spec.out));
}

// `means`: with as many deviations, in the weights' type. Over channels a norm copies its input and its gradient.
void PassRecorder::add_wave_norm(const WaveLayerSpec& layer, double means, double values) {
  add(values * product_ + 2 * means * weight_, (layer.norms_over_time ? 2 : 4) * values * product_);
  learn(layer.norm->name + ".weight", static_cast<double>(layer.norm->width));
  learn(layer.norm->name + ".bias", static_cast<double>(layer.norm->width));
}

// Their weight is made of its two parts in each pass, and kept. The gradient of the frames goes around.
void PassRecorder::add_positions(const WaveSpec& waves, double frames) {
  const ConvolutionSpec& spec = waves.positions;
  const double weight = count_of(spec);
  beside_ = frames * product_;
  add(3 * static_cast<double>(spec.kernel) * weight_, 3 * weight * weight_);
  learn(spec.weight, weight);
  learn(waves.position_gain, static_cast<double>(spec.kernel));
  const double made = frames + (spec.kernel % 2 == 0 ? rows_ * width_ : 0);  // a frame that is left out
  add((frames + weight) * product_, convolution_in_flight(frames, made, true) * product_ + weight * weight_);
  if (!spec.bias.empty()) learn(spec.bias, width_);
  add(kept_by(waves.activation) * made * product_, 3 * made * product_);
  beside_ = 0;
}

}  // namespace transformeter
