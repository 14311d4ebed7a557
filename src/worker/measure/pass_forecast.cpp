// Each batch of the cycle as the engine cuts it, beside the output of the batch before.
#include "measure/pass_forecast.h"

#include <ATen/Parallel.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "device/runtime.h"
#include "engine/backends.h"
#include "engine/chunks.h"
#include "engine/one_dnn_support.h"
#include "engine/tiled_attention.h"
#include "engine/weight_memory.h"
#include "engine/widened_linear.h"
#include "measure/loaded_model.h"
#include "measure/settled_products.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "spec/forward_memory.h"

namespace transformeter {
namespace {

// Bytes of an input.
constexpr double kIndex = 8, kPixelValue = 4, kSample = 4, kLogProbability = 4;

bool has_formula(const Case& request, const ModelConfig& config) {
  return request.device == "cpu" && !request.graphs && !is_backend(request.engine) &&
         !is_compiled_file(request.model) && config.architecture && config.architecture->draw;
}

// `has_columns`: values of a head do not lie side by side, which LibTorch's kernel without scores asks for.
ScoresHeld scores_of(const Case& request, bool has_columns) {
  const std::string& attention = request.attention;
  if (attention == "eager") return ScoresHeld::kInType;
  if (attention == "math" || (attention == "sdpa" && has_columns)) return ScoresHeld::kInFloat;
  return attention == "tiled" || may_try_tiles(request) ? ScoresHeld::kTiles : ScoresHeld::kNone;
}

ProductScratch scratch_of(const std::string& precision) {
  if (precision == "bf16") return ProductScratch::kOther;
  if (precision == "int8") return ProductScratch::kBytesOfRows;
  if (precision == "int8_static") return ProductScratch::kBytes;
  return precision == "int8_weight_only" ? ProductScratch::kWidenedWeights : ProductScratch::kNone;
}

class CaseOnPaper {
 public:
  CaseOnPaper(const Case& request, const ModelConfig& config)
      : request_(request),
        config_(config),
        linears_(linear_options(request)),
        value_(c10::elementSize(activation_type_of(request.precision))),
        blueprint_(draw_blueprint(config, request.task)) {}

  /// Rows of each pass over the batch.
  std::vector<ComputedRows> passes_of(const BatchShape& batch) const {
    const bool is_packed = request_.batching == "packed" && !request_.is_generate();
    const std::vector<std::int64_t> padded(batch.lengths.size(), batch.sequence_length);
    const std::vector<std::int64_t>& lengths = is_packed ? batch.lengths : padded;
    const bool has_padding = batch.has_padding() && request_.attention_mask;
    if (!is_cut()) return {{lengths, false, has_padding}};
    std::vector<ComputedRows> passes;
    const ChunkOptions options{request_.chunk_tokens, request_.streams.value_or(1), is_packed};
    for (const std::vector<std::size_t>& rows : plan_chunks(lengths, options)) {
      ComputedRows pass{{}, is_packed, has_padding};
      for (const std::size_t row : rows) pass.lengths.push_back(lengths[row]);
      passes.push_back(std::move(pass));
    }
    return passes;
  }

  /// Nothing without a formula.
  std::optional<ForwardMemory> memory_of(const BatchShape& batch, const WeightMemory& weights) const {
    std::vector<double> peaks;
    ForwardMemory all;
    const std::vector<ComputedRows> passes = passes_of(batch);
    for (const ComputedRows& rows : passes) {
      ForwardShape shape = shape_of(rows, threads_of(passes));
      shape.beams = batch.beams;
      shape.scratch = scratch_of(request_.precision);
      shape.other_scratch = [&](double tokens, double in, double out) {
        const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
        return weights.widens(whole(tokens), whole(in), whole(out)) ? widened_scratch(tokens, in, out) : 0;
      };
      const auto pass = forecast_forward_memory(config_, request_.task, shape);
      if (!pass) return std::nullopt;
      peaks.push_back(pass->peak);
      all.output += pass->output;
    }
    // As many chunks at a time as there are streams, beside the outputs of all others.
    std::sort(peaks.rbegin(), peaks.rend());
    const std::size_t at_once = std::min(peaks.size(), static_cast<std::size_t>(request_.streams.value_or(1)));
    for (std::size_t i = 0; i < at_once; ++i) all.peak += peaks[i];
    if (!is_cut()) return all;
    const double others = all.output * static_cast<double>(peaks.size() - at_once) / static_cast<double>(peaks.size());
    const double joined = joined_output(batch, all.output);
    all.peak = std::max(all.peak + others, all.output + joined);
    all.output = joined;
    return all;
  }

  /// Of a request that has any. It may need more than the prompt, since its kernels are others, or its rows more. A
  /// decoder of the model's own computes the first token likewise, but for one beam.
  std::optional<BatchShape> decode_step() const {
    if (!request_.has_decode_steps()) return std::nullopt;
    if (!blueprint_.decoder) {
      return BatchShape{.lengths = std::vector<std::int64_t>(static_cast<std::size_t>(request_.num_beams), 1),
                        .sequence_length = 1};
    }
    if (request_.num_beams == 1) return std::nullopt;
    return BatchShape{
        .lengths = {request_.prompt_length}, .sequence_length = request_.prompt_length, .beams = request_.num_beams};
  }

  /// Beside the logits of several beams: log probabilities in fp32, after a copy in fp32 where they have another type;
  /// then the rows of one of the cache's buffers, which are copied in another order.
  double choice_bytes(double logits) const {
    if (request_.num_beams == 1) return 0;
    const double wide = logits / value_ * kLogProbability;
    return std::max(value_ == kLogProbability ? wide : 2 * wide, largest_cache_buffer());
  }

  double inputs_of(const BatchShape& batch) const {
    if (const std::optional<PatchSpec>& patches = blueprint_.embedding.patches) {
      const auto images = static_cast<double>(batch.lengths.size());
      const double whole = images * static_cast<double>(patches->image.values()) * kPixelValue;
      return is_cut() ? 2 * whole : whole;
    }
    if (const std::optional<WaveSpec>& waves = blueprint_.embedding.waves) {
      const auto sounds = static_cast<double>(batch.lengths.size());
      const double whole = sounds * static_cast<double>(waves->samples(batch.sequence_length)) * kSample;
      return is_cut() ? 2 * whole : whole;
    }
    const auto tokens = static_cast<double>(batch.processed_tokens());
    const double whole = tokens * (kIndex * (batch.has_types ? 2 : 1) + (batch.has_padding() ? 1 : 0));
    if (!is_cut()) return whole;
    // Chunks have inputs of their own; packed rows also positions, and places in the batch.
    const bool is_packed = request_.batching == "packed";
    const auto computed = static_cast<double>(is_packed ? batch.useful_tokens() : batch.processed_tokens());
    return whole + computed * kIndex * ((batch.has_types ? 2 : 1) + (is_packed ? 2 : 0));
  }

  double cache_bytes() const {
    if (!request_.is_generate()) return 0;
    return static_cast<double>(request_cache_bytes(config_, request_.task, request_.prompt_length, request_.new_tokens,
                                                   request_.num_beams, static_cast<std::int64_t>(value_)));
  }

  WeightPlan weight_plan(const CycleShape& cycle, const KernelChoices& chosen) const {
    WeightPlan plan;
    plan.linears = linears_;
    plan.bytes_per_weight = static_cast<std::int64_t>(value_);
    plan.leaves_out_tokens = request_.needed_tokens;
    plan.step_rows = request_.has_decode_steps() ? request_.num_beams : 0;
    plan.threads = threads_of({});  // but for passes side by side
    plan.chosen = chosen;
    std::vector<std::vector<ComputedRows>> batches;
    for (const BatchShape& batch : cycle.batches) batches.push_back(passes_of(batch));
    if (chooses_kernels(linears_)) batches = {tried_among(batches)};
    for (const std::vector<ComputedRows>& passes : batches) {
      if (passes.size() > 1) plan.threads = threads_of(passes);
      for (const ComputedRows& rows : passes) {
        plan.rows.insert(tokens_of(rows));
        plan.last_rows.insert(static_cast<std::int64_t>(rows.lengths.size()));
      }
    }
    return plan;
  }

 private:
  // Keys or values of a layer, of the tokens that are generated and what lies in the same rows before them.
  double largest_cache_buffer() const {
    const std::vector<LayerSpec>& layers = blueprint_.decoder ? blueprint_.decoder->layers : blueprint_.layers;
    std::int64_t widest = 0;
    for (const LayerSpec& layer : layers) {
      widest = std::max(widest, layer.attention.key_value_heads * layer.attention.head_dim);
    }
    const std::int64_t tokens = request_.new_tokens + (blueprint_.decoder ? 0 : request_.prompt_length);
    return static_cast<double>(request_.num_beams * tokens * widest) * value_;
  }

  static std::int64_t tokens_of(const ComputedRows& rows) {
    return std::accumulate(rows.lengths.begin(), rows.lengths.end(), std::int64_t{0});
  }

  static std::vector<ComputedRows> tried_among(const std::vector<std::vector<ComputedRows>>& batches) {
    std::vector<std::int64_t> tokens;
    for (const std::vector<ComputedRows>& passes : batches) {
      tokens.push_back(0);
      for (const ComputedRows& rows : passes) tokens.back() += tokens_of(rows);
    }
    return batches[tried_batch(tokens)];
  }

  bool is_cut() const {
    if (request_.is_generate()) return false;
    return request_.batching == "packed" || request_.streams.value_or(1) > 1 || request_.chunk_tokens;
  }

  // Of each pass: those side by side share them.
  int threads_of(const std::vector<ComputedRows>& passes) const {
    const auto threads = static_cast<int>(request_.threads.value_or(at::get_num_threads()));
    return passes.size() > 1 ? std::max(1, threads / static_cast<int>(request_.streams.value_or(1))) : threads;
  }

  // As LibTorch chooses for a kernel of width 1 in several groups (ConvParams::use_mkldnn). Packed rows are one.
  bool convolves_by_group(const ComputedRows& rows, int threads) const {
    constexpr std::size_t kManyRows = 16;
    if (!request_.one_dnn) return true;
    const c10::ScalarType type = activation_type_of(request_.precision);
    if (type == c10::ScalarType::BFloat16) return !has_one_dnn_bf16();
    if (type == c10::ScalarType::Half) return !has_one_dnn_fp16();
    return threads == 1 && (rows.is_packed || rows.lengths.size() < kManyRows);
  }

  ForwardShape shape_of(const ComputedRows& rows, int threads) const {
    ForwardShape shape;
    shape.rows = rows;
    shape.bytes_per_value = static_cast<std::int64_t>(value_);
    shape.joins_products = request_.fused;
    shape.adds_in_place = adds_in_place(linears_);
    shape.form_of = [this](Activation activation) { return activation_form(linears_, activation); };
    shape.fuses_rows = request_.fused;
    shape.leaves_out_tokens = request_.needed_tokens;
    shape.reads_last_token = request_.is_generate();
    shape.convolves_by_group = convolves_by_group(rows, threads);
    shape.scores = scores_of(request_, blueprint_.channels_first);
    shape.tile_scores = kMostTileScores;
    return shape;
  }

  // Outputs of tokens are laid out in rows again, padding included.
  double joined_output(const BatchShape& batch, double outputs) const {
    const bool gives_token_rows = blueprint_.head.selection == Selection::kAll;
    if (!gives_token_rows || request_.batching != "packed") return outputs;
    return outputs * static_cast<double>(batch.processed_tokens()) / static_cast<double>(batch.useful_tokens());
  }

  const Case& request_;
  const ModelConfig& config_;
  LinearOptions linears_;
  double value_;  // bytes
  Blueprint blueprint_;
};

// Of a folder those that are stored in the type in which they run.
std::set<std::string> mapped_tensors(const Case& request, const WorkerParts& parts) {
  const Architectures& architectures = parts.models.architectures();
  if (architectures.has_preset(request.model)) return {};
  const Checkpoint checkpoint = open_checkpoint(request.model, architectures);
  const c10::ScalarType type = activation_type_of(request.precision);
  std::set<std::string> mapped;
  for (const MatchedTensor& tensor : match_checkpoint(checkpoint, request.task).tensors) {
    if (scalar_type_of(tensor.entry.dtype) == type) mapped.insert(tensor.parameter.name);
  }
  return mapped;
}

}  // namespace

bool may_try_tiles(const Case& request) {
  return request.attention == "trial" && activation_type_of(request.precision) != c10::ScalarType::Float;
}

Json to_json(const PassForecast& forecast) {
  return {{"peak_bytes", forecast.peak()},
          {"weight_bytes", forecast.weights},
          {"mapped_weight_bytes", forecast.mapped_weights},
          {"input_bytes", forecast.inputs},
          {"cache_bytes", forecast.cache},
          {"activation_bytes", forecast.activations},
          {"kernels_known", forecast.kernels_are_known}};
}

std::int64_t BatchShape::useful_tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

CycleShape CycleShape::of(const Cycle& cycle) {
  CycleShape shape;
  for (const Batch& batch : cycle.batches) {
    const bool has_types = std::any_of(batch.token_type_ids.begin(), batch.token_type_ids.end(),
                                       [](std::int64_t type) { return type != 0; });
    shape.batches.push_back({row_lengths(batch), batch.sequence_length, has_types});
  }
  return shape;
}

std::optional<PassForecast> forecast_passes(const Case& request, const ModelConfig& config, const CycleShape& cycle,
                                            const WorkerParts& parts, const KernelChoices& chosen) {
  if (!has_formula(request, config)) return std::nullopt;
  const CaseOnPaper paper(request, config);
  WeightPlan plan = paper.weight_plan(cycle, chosen);
  plan.mapped = mapped_tensors(request, parts);
  const WeightMemory weights = weight_memory(config, request.task, plan);
  PassForecast forecast;
  double last_output = 0;
  const std::size_t batches = cycle.batches.size();
  // Once more from the first: a cycle begins again beside the output of its last batch.
  for (std::size_t i = 0; i < batches + 1; ++i) {
    const auto pass = paper.memory_of(cycle.batches[i % batches], weights);
    if (!pass) return std::nullopt;
    forecast.activations = std::max(forecast.activations, pass->peak + last_output);
    last_output = pass->output;
  }
  if (const auto shape = paper.decode_step()) {
    const auto step = paper.memory_of(*shape, weights);
    if (!step) return std::nullopt;
    // Beside the logits before: of the prompt, or of as many beams.
    const double before = request.num_beams == 1 ? last_output : step->output;
    forecast.activations =
        std::max({forecast.activations, step->peak + before, step->output + paper.choice_bytes(step->output)});
  }
  for (const auto* staged : {&cycle.batches, &cycle.beside}) {
    for (const BatchShape& batch : *staged) forecast.inputs += paper.inputs_of(batch);
  }
  forecast.cache = paper.cache_bytes();
  forecast.weights = weights.allocated;
  forecast.mapped_weights = weights.mapped;
  forecast.kernels_are_known = weights.is_known;
  return forecast;
}

}  // namespace transformeter
