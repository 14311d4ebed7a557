// Texts and tokenizer are read as for measuring; weights are not.
#include "measure/case_forecast.h"

#include <memory>
#include <optional>
#include <utility>

#include "measure/case_images.h"
#include "measure/case_sounds.h"
#include "measure/forward_work.h"
#include "measure/loaded_model.h"
#include "measure/memory_forecast.h"
#include "measure/pass_forecast.h"
#include "measure/prepared_case.h"
#include "spec/formulas.h"
#include "spec/step_formula.h"
#include "tasks/prompts.h"
#include "tasks/sound_inputs.h"
#include "tasks/sound_rows.h"

namespace transformeter {
namespace {

bool has_checkpoint(const Case& request, const WorkerParts& parts) {
  return !parts.models.architectures().has_preset(request.model);
}

// Rows that are all alike; nothing for natural lengths.
std::optional<ComputedRows> alike_rows(const Case& request, const ModelConfig& config, const WorkerParts& parts) {
  ComputedRows rows;
  std::optional<std::int64_t> length = reads_images(request.task) ? config.image_tokens : request.sequence_length;
  if (reads_audio(request.task) && !request.has_data_file()) {
    const FeatureExtractorOptions options =
        model_feature_extractor(request.model, config, has_checkpoint(request, parts));
    rows.samples = synthetic_samples(request, options, *config.waves);
    length = config.waves->frames(rows.samples);
  }
  if (!length) return std::nullopt;
  rows.lengths.assign(static_cast<std::size_t>(request.batch_size), *length);
  if (has_captions(request.task)) {
    if (!request.sequence_length) return std::nullopt;
    rows.target_lengths.assign(rows.lengths.size(), *request.sequence_length);
  }
  if (has_target_texts(request.task)) rows.target_lengths = rows.lengths;
  if (request.task == Task::kSpeechRecognition) rows.target_lengths.assign(rows.lengths.size(), drawn_tokens(*length));
  return rows;
}

Json forecast_training(const Case& request, const ModelConfig& config, const WorkerParts& parts) {
  std::optional<ComputedRows> alike = alike_rows(request, config, parts);
  if (!alike) {
    return {{"reason", "of natural lengths the forecast comes with the steps, which say what rows come together"}};
  }
  ComputedRows& rows = *alike;
  rows.is_packed = request.batching == "packed";
  const bool has_shorter_captions = has_captions(request.task) && request.has_data_file() && !config.filled_length;
  rows.has_padding = (request.padding > 0 && request.attention_mask && !rows.is_packed) || has_shorter_captions;
  const auto memory = forecast_step(request, config, rows);
  Json json = {{"reason", kNoMemoryFormula}};
  if (memory) {
    json = {{"peak_bytes", memory->peak},
            {"weight_bytes", memory->weights},
            {"gradient_bytes", memory->gradients},
            {"optimizer_bytes", memory->optimizer},
            {"activation_bytes", memory->activations},
            {"kernels_known", !tries_narrow_products(request)}};
  }
  // Useful tokens of padded rows are known only after the texts were read, those of captions after the table was.
  if (config.architecture->draw && request.padding == 0 && !has_shorter_captions) {
    const StepFormula formula(config, request.task, plan_lora(request, config));
    json["useful_flops"] =
        static_cast<double>(request.gradient_accumulation) * formula.flops(rows.lengths, rows.target_lengths);
  }
  return json;
}

struct CycleOnPaper {
  CycleShape shape;
  std::optional<double> useful_flops;  // of all batches
};

CycleOnPaper texts_on_paper(const Case& request, const ModelConfig& config, DataSet data, const Context& context,
                            const WorkerParts& parts) {
  if (request.is_generate()) check_generation_room(request.prompt_length, request.new_tokens, config);
  const bool is_trained = has_checkpoint(request, parts);
  const std::unique_ptr<Tokenizer> tokenizer = load_model_tokenizer(request, parts, config, is_trained, context);
  fit_to_model(data, request, config, is_trained);
  const Cycle cycle = make_cycle({request, config, data, *tokenizer}).cycle;
  CycleOnPaper paper{CycleShape::of(cycle), std::nullopt};
  // A request computes its new tokens one after another, bound by memory rather than by FLOPs.
  if (!request.is_generate()) paper.useful_flops = ForwardWork(config, request).useful_flops(cycle.batches);
  return paper;
}

CycleOnPaper images_on_paper(const Case& request, const ModelConfig& config, const DataSet& data) {
  CycleOnPaper paper{image_cycle_shape(request, config, data), 0};
  for (const BatchShape& batch : paper.shape.batches) {
    *paper.useful_flops += forward_flops(config, request.task, batch.lengths);
  }
  return paper;
}

CycleOnPaper sounds_on_paper(const Case& request, const ModelConfig& config, const DataSet& data,
                             const WorkerParts& parts) {
  const FeatureExtractorOptions options =
      model_feature_extractor(request.model, config, has_checkpoint(request, parts));
  CycleOnPaper paper{sound_cycle_shape({request, config, data, options}), 0};
  for (const BatchShape& batch : paper.shape.batches) {
    *paper.useful_flops += forward_flops(config, request.task, batch.lengths);
  }
  return paper;
}

CycleOnPaper cycle_on_paper(const Case& request, const ModelConfig& config, DataSet data, const Context& context,
                            const WorkerParts& parts) {
  switch (modality_of(request.task)) {
    case Modality::kImage:
      return images_on_paper(request, config, data);
    case Modality::kAudio:
      return sounds_on_paper(request, config, data, parts);
    case Modality::kText:
      break;
  }
  return texts_on_paper(request, config, std::move(data), context, parts);
}

Json forecast_inference(const Case& request, const ModelConfig& config, DataSet data, const Context& context,
                        const WorkerParts& parts) {
  const CycleOnPaper cycle = cycle_on_paper(request, config, std::move(data), context, parts);
  const KeptProducts kept = kept_products(context);
  auto forecast = forecast_passes(request, config, cycle.shape, parts, [&](const ProductSize& size) {
    return request.products == "trial" ? nullptr : kept.find(size);
  });
  // A trial of attention is each process's own.
  if (forecast && may_try_tiles(request)) forecast->kernels_are_known = false;
  Json json = forecast ? to_json(*forecast) : Json{{"reason", kNoMemoryFormula}};
  if (cycle.useful_flops) {
    const auto count = static_cast<double>(cycle.shape.batches.size());
    json["useful_flops"] = *cycle.useful_flops / count;
    json["batches"] = count;
  }
  return json;
}

}  // namespace

Json forecast_case(const Case& request, const Context& context, const WorkerParts& parts) {
  if (is_compiled_file(request.model) || request.is_finetune() || !request.has_data())
    return {{"reason", kNoMemoryFormula}};
  DataSet data = read_case_data(request, context);
  const ModelConfig config = model_config_of(request, parts, model_classes(request, data));
  if (request.is_train()) return forecast_training(request, config, parts);
  return forecast_inference(request, config, std::move(data), context, parts);
}

}  // namespace transformeter
