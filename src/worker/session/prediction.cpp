// Rows of all inputs, padded into batches as measuring pads them; src/shared/tasks knows what rows and numbers mean.
#include "session/prediction.h"

#include <fmt/format.h>

#include <c10/core/InferenceMode.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "datasets/cycle.h"
#include "datasets/row_frame.h"
#include "datasets/sound_batch.h"
#include "engine/beams.h"
#include "engine/generation.h"
#include "measure/case_images.h"
#include "measure/loaded_model.h"
#include "measure/row_outputs.h"
#include "schema/case.h"
#include "schema/messages.h"
#include "spec/architecture.h"
#include "spec/blueprint.h"
#include "spec/generation_settings.h"
#include "tasks/image_inputs.h"
#include "tasks/prediction_task.h"
#include "tasks/prompts.h"
#include "tasks/sound_inputs.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

// Up to the first input that `take` refuses: which it is and why, or nothing.
template <typename Take>
std::optional<RefusedInput> take_each(const std::vector<PredictionInput>& inputs, const Take& take) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      take(inputs[i]);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      return RefusedInput{i, error.what()};
    }
  }
  return std::nullopt;
}

struct GeneratedRow {
  std::vector<std::int64_t> ids;
  std::optional<double> score;  // of several beams
};

// One a row of the batch.
std::vector<GeneratedRow> generated_rows(const InferenceEngine& engine, const StagedBatch& batch,
                                         const GenerationOptions& options) {
  std::vector<GeneratedRow> rows;
  if (options.settings.beams.num_beams == 1) {
    for (std::vector<std::int64_t>& ids : engine.generate(batch, options)) rows.push_back({std::move(ids), {}});
    return rows;
  }
  for (Beam& beam : engine.search(batch, options)) {
    rows.push_back({std::move(beam.text), {}});
    // Rules may leave no word; an infinite score is no number of JSON.
    if (std::isfinite(beam.score)) rows.back().score = beam.score;
  }
  return rows;
}

// The text after each of the inputs, in batches of the case's batch size; up to the first that is refused.
Predicted generate_texts(const PredictRequest& request, std::int64_t batch_size, const LoadedModel& model,
                         const Tokenizer& tokenizer) {
  PredictionModel known{tokenizer, {}, model.config.max_length};
  known.is_encoder_decoder = model.engine->start_token().has_value();
  Predicted predicted;
  std::vector<Encoding> prompts;
  predicted.refused = take_each(request.inputs, [&](const PredictionInput& input) {
    prompts.push_back(encode_prompt(input, known, request.options));
  });
  const GenerationOptions options{request.options.max_new_tokens, model.config.eos_token_ids,
                                  overridden(model.config.generation, request.options.generation)};
  const std::int32_t pad = row_frame(tokenizer).pad;
  const auto most = static_cast<std::size_t>(batch_size);
  for (std::size_t begin = 0; begin < prompts.size(); begin += most) {
    const std::size_t rows = std::min(most, prompts.size() - begin);
    const Batch batch = pad_prompts(std::span(prompts).subspan(begin, rows), pad);
    for (GeneratedRow& row : generated_rows(*model.engine, model.engine->stage(batch), options)) {
      GeneratedText text = decode_generated(std::move(row.ids), tokenizer);
      text.score = row.score;
      predicted.predictions.push_back({std::move(text)});
    }
  }
  return predicted;
}

// As Transformers names them where config.json does not.
std::vector<std::string> labels_of(const ModelConfig& config) {
  std::vector<std::string> labels = config.labels;
  for (auto i = static_cast<std::int64_t>(labels.size()); i < config.num_labels; ++i) {
    labels.push_back(fmt::format("LABEL_{}", i));
  }
  return labels;
}

// Of classes that are named: how the family makes probabilities of their logits.
ScoreFunction class_score_function(const ModelConfig& config) {
  const HeadSpec head = draw_blueprint(config, Task::kZeroShotImageClassification).head;
  const bool is_sigmoid = head.similarities.value().logits.loss == PairLoss::kSigmoid;
  return is_sigmoid ? ScoreFunction::kSigmoid : ScoreFunction::kSoftmax;
}

// What only TorchScript files and custom modules can get wrong, and what decoding relies on.
void check_shape(const at::Tensor& output, const Batch& batch, Task task, std::int64_t vocabulary) {
  const HeadKind head = head_of(task);
  const bool is_for_row = head == HeadKind::kSequenceClasses || head == HeadKind::kNone ||
                          head == HeadKind::kImageClasses || head == HeadKind::kImageFeatures ||
                          head == HeadKind::kSimilarities || head == HeadKind::kAudioClasses ||
                          head == HeadKind::kAudioFeatures;
  const std::int64_t rank = is_for_row ? 2 : 3;
  bool fits = output.dim() == rank && output.size(0) == batch.batch_size && output.size(-1) >= 1;
  if (fits && !is_for_row) fits = output.size(1) == batch.sequence_length;
  if (fits && head == HeadKind::kSpan) fits = output.size(-1) == 2;
  if (fits && head == HeadKind::kMaskedTokens) fits = output.size(-1) >= vocabulary;
  if (fits) return;
  const char* expected = is_for_row                        ? "[rows, numbers]"
                         : head == HeadKind::kSpan         ? "[rows, tokens, 2]"
                         : head == HeadKind::kMaskedTokens ? "[rows, tokens, vocabulary]"
                                                           : "[rows, tokens, classes]";
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("the model's output has shape [{}], but {} needs {} for {} rows of {} tokens",
                  fmt::join(output.sizes(), ", "), name_of(task), expected, batch.batch_size, batch.sequence_length));
}

}  // namespace

Predictor::Predictor(const Case& request, const Context& context, const WorkerParts& parts)
    : case_(request), device_(make_device(request.device)) {
  const c10::InferenceMode guard;
  model_ = load_model(case_, context, parts, model_classes(case_, DataSet()), *device_);
  if (model_.observing != nullptr) {
    throw Error(ErrorKind::kUnsupported,
                "precision int8_static needs inputs for calibration, which predict does not have; use int8");
  }
  const std::string& refusal = model_.config.generation.refusal;
  if (generates_text(case_.task) && !refusal.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} is not supported: text is generated greedily or by plain beam search", refusal));
  }
  if (case_.task == Task::kSequenceClassification) score_function_ = score_function_of(model_.config);
  if (is_zero_shot(case_.task) && !is_compiled_file(case_.model)) score_function_ = class_score_function(model_.config);
  if (reads_images(case_.task)) {
    processor_ = model_image_processor(case_.model, model_.config, model_.trained);
  } else if (reads_audio(case_.task)) {
    extractor_ = model_feature_extractor(case_.model, model_.config, model_.trained);
    if (case_.task == Task::kSpeechRecognition) {
      vocabulary_ = model_ctc_vocabulary(case_.model, model_.config, model_.trained);
    }
  } else {
    tokenizer_ = load_model_tokenizer(case_, parts, model_.config, model_.trained, context);
  }
}

Prepared Predictor::prepared() const {
  return {effective_settings(case_, model_, tokenizer_.get()), {}};
}

// Up to the first image that is refused.
Predicted Predictor::predict_images(const PredictRequest& request) const {
  const TaskType& type = task_type(case_.task);
  const std::vector<std::string> labels = labels_of(model_.config);
  Predicted predicted;
  const auto most = static_cast<std::size_t>(case_.batch_size);
  for (std::size_t begin = 0; begin < request.inputs.size() && !predicted.refused; begin += most) {
    const auto inputs = std::span(request.inputs).subspan(begin, std::min(most, request.inputs.size() - begin));
    std::vector<std::optional<std::string>> refusals(inputs.size());
    const Batch batch = filled_batch(inputs.size(), model_.config, [&](std::size_t i, std::span<float> values) {
      try {
        read_pixels({inputs[i].text, {}, {}}, *processor_, values);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kBadInput) throw;
        refusals[i] = error.what();
      }
    });
    const auto first = std::find_if(refusals.begin(), refusals.end(), [](const auto& one) { return one.has_value(); });
    const auto answered = static_cast<std::size_t>(first - refusals.begin());
    if (first != refusals.end()) predicted.refused = RefusedInput{begin + answered, **first};
    if (answered == 0) break;
    const at::Tensor output = model_.engine->forward(model_.engine->stage(batch));
    check_shape(output, batch, case_.task, 0);
    RowOutputs rows(inputs.size());
    rows.add(output, batch);
    for (const RowOutput& row : std::span(rows.rows()).first(answered)) {
      predicted.predictions.push_back(type.answer_of_output(row.values, labels, score_function_));
    }
  }
  return predicted;
}

Predicted Predictor::predict_sounds(const PredictRequest& request) const {
  const std::size_t most = sounds_per_batch(model_.config, *extractor_, case_.batch_size);
  const std::vector<std::string> labels = labels_of(model_.config);
  Predicted predicted;
  std::vector<std::vector<float>> read;
  predicted.refused = take_each(request.inputs, [&](const PredictionInput& input) {
    read.push_back(read_sound({input.text, {}, {}}, *extractor_, *model_.config.waves));
  });
  for (std::size_t begin = 0; begin < read.size(); begin += most) {
    const auto sounds = std::span(read).subspan(begin, std::min(most, read.size() - begin));
    Batch batch = sound_batch(sounds, *model_.config.waves, sound_padding(*extractor_));
    batch.example_index = successive_examples(0, batch.batch_size);
    const at::Tensor output = model_.engine->forward(model_.engine->stage(batch));
    check_shape(output, batch, case_.task, 0);
    RowOutputs rows(sounds.size());
    rows.add(output, batch);
    for (Prediction& answer : answers_of_sounds(case_.task, rows.rows(), row_lengths(batch),
                                                vocabulary_ ? &*vocabulary_ : nullptr, labels)) {
      predicted.predictions.push_back(std::move(answer));
    }
  }
  return predicted;
}

Predicted Predictor::predict(const PredictRequest& request) const {
  if (processor_) return predict_images(request);
  if (extractor_) return predict_sounds(request);
  if (generates_text(case_.task)) return generate_texts(request, case_.batch_size, model_, *tokenizer_);
  PredictionModel model{*tokenizer_, labels_of(model_.config), model_.config.max_length,
                        model_.config.text_length(case_.task, tokenizer_->traits().max_length)};
  if (case_.task == Task::kEmbedding) model.prompt = model_.config.sentence.prompt;
  model.score_function = score_function_;
  const std::unique_ptr<PredictionTask> task = make_prediction_task(case_.task, model, request.options);
  Predicted predicted;
  std::vector<std::unique_ptr<EncodedInput>> encoded;
  predicted.refused =
      take_each(request.inputs, [&](const PredictionInput& input) { encoded.push_back(task->encode(input)); });
  if (encoded.empty()) return predicted;

  std::vector<Encoding> rows;
  for (const auto& input : encoded) rows.insert(rows.end(), input->rows().begin(), input->rows().end());
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  CycleOptions options;
  options.batch_size = case_.batch_size;
  options.max_positions = model.max_positions;
  RowOutputs outputs(rows.size());
  for (const Batch& batch : build_cycle(order, rows, row_frame(*tokenizer_), options).batches) {
    const at::Tensor output = model_.engine->forward(model_.engine->stage(batch));
    check_shape(output, batch, case_.task, tokenizer_->vocabulary_size());
    outputs.add(output, batch);
  }
  std::span<const RowOutput> rest = outputs.rows();
  for (const auto& input : encoded) {
    predicted.predictions.push_back(input->decode(rest.first(input->rows().size())));
    rest = rest.subspan(input->rows().size());
  }
  return predicted;
}

}  // namespace transformeter
