// Loading the model and building the cycle, with what each costs.
#include "measure/prepared_case.h"

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "datasets/bundled_data.h"
#include "datasets/data_of_task.h"
#include "datasets/label_match.h"
#include "datasets/synthetic.h"
#include "engine/backends.h"
#include "engine/generation_request.h"
#include "measure/case_images.h"
#include "measure/case_sounds.h"
#include "measure/loaded_model.h"
#include "measure/loading_memory.h"
#include "measure/memory_forecast.h"
#include "measure/output_collector.h"
#include "measure/precision.h"
#include "measure/settled_products.h"
#include "spec/architecture.h"
#include "tasks/image_inputs.h"
#include "tasks/prompts.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// Of those in the cycle, behind `prompt`; rows of a fixed length are filled with others. Synthetic texts are made as
// tokens.
std::int64_t blank_texts(const Cycle& cycle, const DataSet& data, const std::string& prompt) {
  if (data.name == kSyntheticData) return 0;
  std::int64_t count = 0;
  for (const Batch& batch : cycle.batches) {
    count += std::count_if(batch.example_index.begin(), batch.example_index.end(), [&](std::size_t index) {
      const Example& example = data.examples[index];
      return is_blank(std::string_view(example.text).substr(prompt.size()), example.text_pair);
    });
  }
  return count;
}

void describe_cycle(Json& effective, const Case& request, const Cycle& cycle, const DataSet& data) {
  const bool is_speech = request.task == Task::kSpeechRecognition;
  std::int64_t useful = 0;
  std::int64_t processed = 0;
  std::int64_t longest = 0;
  for (const Batch& batch : cycle.batches) {
    useful += batch.useful_tokens;
    processed += batch.processed_tokens;
    longest = std::max(longest, batch.sequence_length);
  }
  effective["data"] = {{"name", data.name},
                       {"task", data.task},
                       {"examples", cycle.example_count},
                       {"labelled", is_speech ? has_transcripts(data) : data.label_count > 0},
                       {"labels", data.label_count},
                       {"truncated_examples", cycle.truncated_examples},
                       {"wrap_count", cycle.wrap_count}};
  if (const std::optional<BatchImages>& images = cycle.batches.front().images) {
    effective["data"]["image"] = to_json(images->shape);
  }
  if (const std::optional<BatchSounds>& sounds = cycle.batches.front().sounds;
      sounds && request.data == kSyntheticData) {
    effective["data"]["samples"] = sounds->samples;
  }
  effective["cycle"] = {{"batches", cycle.batches.size()},
                        {"useful_tokens", useful},
                        {"processed_tokens", processed},
                        {"longest_sequence", longest}};
}

bool any_padding(const Cycle& cycle) {
  return std::any_of(cycle.batches.begin(), cycle.batches.end(), [](const Batch& b) { return b.has_padding; });
}

// The bundled texts serve any model; their labels count only where the classes happen to be as many.
bool is_scored(const Case& request) {
  return is_scored_in_runs(request.task) && !request.sequence_length && request.data != kBundledData;
}

// What a case's model is given, while it is prepared.
struct CaseInputs {
  std::unique_ptr<Tokenizer> tokenizer;  // null: it reads images or sounds
  std::string prompt;                    // before each text
  Cycle cycle;
  std::function<CalibrationBatches(const CalibrationSize& size)> calibration;
};

// Of a request the prompt and a step, if it has any, else one of the cycle's batches.
void pass_shapes(PreparedCase& prepared, const InferenceEngine& engine) {
  if (prepared.request.is_generate()) {
    const bool has_steps = prepared.request.has_decode_steps();
    const std::unique_ptr<GenerationRequest> request =
        engine.start(prepared.batches.front(), has_steps ? 2 : 1, prepared.request.num_beams);
    request->first_token();
    if (has_steps) request->next_token();
    prepared.loading_passes += has_steps ? 2 : 1;
    return;
  }
  std::vector<std::int64_t> tokens;
  for (const StagedBatch& batch : prepared.batches) tokens.push_back(batch.processed_tokens);
  engine.forward(prepared.batches[tried_batch(tokens)]);
  ++prepared.loading_passes;
}

void settle_products(PreparedCase& prepared, const LoadedModel& model, const Context& context) {
  pass_shapes(prepared, *model.engine);
  KeptProducts kept = kept_products(context);
  prepared.products = keep_tried(kept, model.observing->settle(&kept), context.log);
}

// The ranges of activations: on other texts, if there are any.
void calibrate(PreparedCase& prepared, const LoadedModel& model, const CaseInputs& inputs) {
  CalibrationSize size;
  size.examples = model.observing->examples();
  const CalibrationBatches calibration = inputs.calibration(size);
  std::vector<StagedBatch> others;
  for (const Batch& batch : calibration.batches) others.push_back(model.engine->stage(batch));
  std::int64_t examples = 0;
  std::int64_t tokens = 0;
  for (const StagedBatch& batch : others.empty() ? prepared.batches : others) {
    model.engine->forward(batch);
    ++prepared.loading_passes;
    examples += batch.examples;
    tokens += batch.processed_tokens;
    for (const std::int64_t key : input_keys(batch)) prepared.calibration_keys.insert(key);
    if (examples >= size.examples || tokens >= size.tokens) break;
  }
  model.observing->settle(nullptr);
  prepared.calibration_examples = examples;
  prepared.calibration_shares_texts = calibration.shares_texts;
}

void settle(PreparedCase& prepared, const LoadedModel& model, const CaseInputs& inputs, const Context& context) {
  if (model.observing == nullptr) return;
  if (model.linear_form.precision == "int8_static") {
    calibrate(prepared, model, inputs);
  } else {
    settle_products(prepared, model, context);
  }
}

const ProductChoice* chosen_among(const std::vector<SettledProduct>& products, const ProductSize& size) {
  const auto found = std::find_if(products.begin(), products.end(),
                                  [&](const SettledProduct& product) { return product.choice.size == size; });
  return found == products.end() ? nullptr : &found->choice;
}

// More than half of what the precision can change: small products count, those of embeddings do not.
bool multiplies_int8(const std::vector<LinearType>& types) {
  double share = 0, all = 0;
  for (const LinearType& type : types) {
    if (type.is_kept) continue;
    all += type.flop_share;
    if (type.weight == "int8") share += type.flop_share;
  }
  return share > 0.5 * all;
}

// What was read back of cycle, device and window, beside the model's settings.
void describe(PreparedCase& prepared, const Cycle& cycle, std::int64_t blank_texts) {
  describe_cycle(prepared.effective, prepared.request, cycle, prepared.data);
  if (blank_texts > 0) prepared.effective["data"]["blank_texts"] = blank_texts;
  if (Json facts = prepared.device->facts(); !facts.empty()) prepared.effective["device_facts"] = std::move(facts);
  prepared.effective["scenario"] = prepared.request.scenario;
  if (prepared.request.is_generate()) {
    prepared.effective["window"] = {"cache", "prefill", "decode", "device_to_host"};
  } else {
    const bool needs_mask = prepared.request.batching != "packed" && any_padding(cycle);
    prepared.effective["attention_mask"] = !prepared.request.attention_mask ? "off" : needs_mask ? "on" : "not_needed";
    prepared.effective["window"] =
        prepared.request.transfers ? Json{"host_to_device", "forward", "device_to_host"} : Json{"forward"};
  }
  add_trials(prepared.products, prepared.effective);
  if (prepared.calibration_examples > 0) prepared.effective["calibration_examples"] = prepared.calibration_examples;
  if (prepared.calibration_shares_texts) prepared.effective["calibration_shares_texts"] = true;
}

// Of the products as they were settled.
std::function<std::optional<PassForecast>(const CycleShape& cycle, const std::string& attention)> forecaster(
    const Case& request, const ModelConfig& config, const WorkerParts& parts, std::vector<SettledProduct> products) {
  return
      [request, config, &parts, products = std::move(products)](const CycleShape& cycle, const std::string& attention) {
        Case as_run = request;
        as_run.attention = attention;
        return forecast_passes(as_run, config, cycle, parts,
                               [&](const ProductSize& size) { return chosen_among(products, size); });
      };
}

// The tokenizer is loaded again for batches that come later: it does not count as memory that the passes need.
CaseInputs take_texts(PreparedCase& prepared, const LoadedModel& model, const WorkerParts& parts,
                      const Context& context) {
  const Case& request = prepared.request;
  CaseInputs inputs;
  inputs.tokenizer = load_model_tokenizer(request, parts, model.config, model.trained, context);
  inputs.prompt = fit_to_model(prepared.data, request, model.config, model.trained);
  const CaseTexts texts{request, model.config, prepared.data, *inputs.tokenizer};
  CaseCycle made = make_cycle(texts);
  inputs.cycle = std::move(made.cycle);
  inputs.calibration = [texts](const CalibrationSize& size) { return calibration_batches(texts, size); };
  if (request.has_one_batch() || request.is_generate()) {
    prepared.further_batches = [request, config = model.config, trained = model.trained, &context, &parts](
                                   const DataSet& data, std::int64_t rows) {
      const auto again = load_model_tokenizer(request, parts, config, trained, context);
      return further_batches({request, config, data, *again}, rows);
    };
    return inputs;
  }
  prepared.selected_examples = static_cast<std::int64_t>(made.source.order.size());
  prepared.cut_cycle = [source = std::move(made.source)](std::int64_t examples) {
    CycleOptions options = source.options;
    options.cut_examples = examples;
    return build_cycle(source.order, source.encodings, source.frame, options);
  };
  return inputs;
}

CaseInputs take_images(PreparedCase& prepared, const LoadedModel& model) {
  const Case& request = prepared.request;
  fit_to_model(prepared.data, request, model.config, model.trained);
  const auto images = [request, config = model.config,
                       processor =
                           model_image_processor(request.model, model.config, model.trained)](const DataSet& data) {
    return CaseImages{request, config, data, processor};
  };
  CaseInputs inputs;
  inputs.cycle = make_image_cycle(images(prepared.data));
  inputs.calibration = [images, &data = prepared.data](const CalibrationSize& size) {
    return image_calibration(images(data), size);
  };
  if (request.data == kSyntheticData) {
    prepared.further_batches = [images](const DataSet& data, std::int64_t rows) {
      return further_image_batches(images(data), rows);
    };
    return inputs;
  }
  prepared.selected_examples = inputs.cycle.example_count;
  prepared.cut_cycle = [images, data = prepared.data](std::int64_t examples) {
    return make_image_cycle(images(data), examples);
  };
  return inputs;
}

CaseInputs take_sounds(PreparedCase& prepared, const LoadedModel& model) {
  const Case& request = prepared.request;
  fit_to_model(prepared.data, request, model.config, model.trained);
  const FeatureExtractorOptions options = model_feature_extractor(request.model, model.config, model.trained);
  prepared.sampling_rate = options.sampling_rate;
  if (request.task == Task::kSpeechRecognition && model.trained && has_transcripts(prepared.data)) {
    prepared.vocabulary = model_ctc_vocabulary(request.model, model.config, true);
  }
  const auto sounds = [request, config = model.config, options](const DataSet& data) {
    return CaseSounds{request, config, data, options};
  };
  SoundCycle made = make_sound_cycle(sounds(prepared.data));
  CaseInputs inputs;
  inputs.cycle = std::move(made.cycle);
  inputs.calibration = [sounds, &data = prepared.data](const CalibrationSize& size) {
    return sound_calibration(sounds(data), size);
  };
  if (request.data == kSyntheticData) {
    prepared.further_batches = [sounds](const DataSet& data, std::int64_t rows) {
      return further_sound_batches(sounds(data), rows);
    };
    return inputs;
  }
  prepared.selected_examples = inputs.cycle.example_count;
  prepared.cut_cycle = [sounds, data = prepared.data, source = std::move(made.source)](std::int64_t examples) {
    return cut_sound_cycle(sounds(data), source, examples);
  };
  return inputs;
}

CaseInputs take_inputs(PreparedCase& prepared, const LoadedModel& model, const WorkerParts& parts,
                       const Context& context) {
  switch (modality_of(prepared.request.task)) {
    case Modality::kImage:
      return take_images(prepared, model);
    case Modality::kAudio:
      return take_sounds(prepared, model);
    case Modality::kText:
      break;
  }
  return take_texts(prepared, model, parts, context);
}

}  // namespace

DataSet read_case_data(const Case& request, const Context& context) {
  if (request.data == kBundledData) return load_dataset(bundled_texts(context.data_directory));
  if (request.data != kSyntheticData) {
    return load_data_of_task(request.data, request.task, data_options(request));
  }
  DataSet data;
  data.name = kSyntheticData;
  data.task = request.task;
  const std::int64_t count = request.is_generate()     ? kMeasuredPrompts
                             : request.has_one_batch() ? request.batch_size
                                                       : request.limit.value_or(kSyntheticExamples);
  data.examples.resize(static_cast<std::size_t>(count));
  return data;
}

std::string fit_to_model(DataSet& data, const Case& request, const ModelConfig& config, bool is_trained) {
  if (is_trained && is_scored(request)) match_labels(data, config, request.data);
  const bool has_prompt = request.task == Task::kEmbedding && !request.sequence_length;
  std::string prompt = has_prompt ? config.sentence.prompt : "";
  for (Example& example : data.examples) example.text.insert(0, prompt);
  return prompt;
}

PreparedCase prepare_case(const Case& request, const Context& context, const WorkerParts& parts) {
  const c10::InferenceMode guard;
  PreparedCase prepared;
  prepared.request = request;
  prepared.device = make_device(request.device);
  const LoadingMemory memory;
  const Stopwatch read_watch(context.clock);
  prepared.data = read_case_data(request, context);
  const double read_s = read_watch.seconds();
  const Stopwatch load_watch(context.clock);
  const ModelClasses classes = model_classes(request, prepared.data);
  LoadedModel model = load_model(request, context, parts, classes, *prepared.device);
  double load_s = load_watch.seconds();
  // In which form another library keeps them is not known.
  if (!is_backend(request.engine)) {
    prepared.series.push_back(scalar_series("weight_bytes", static_cast<double>(model.weight_bytes)));
  } else {
    prepared.load_counted = [request, classes, &parts, &device = *prepared.device] {
      const c10::InferenceMode inference;
      return load_counted_model(request, parts, classes, device);
    };
  }
  prepared.is_foreign = !builtin_architectures().find(model.config.family());
  prepared.linear_form = model.linear_form;
  prepared.trained_weights = model.trained;
  prepared.label_count = model.config.num_labels;

  if (request.is_generate()) check_generation_room(request.prompt_length, request.new_tokens, model.config);
  const Stopwatch tokenize_watch(context.clock);
  const CaseInputs inputs = take_inputs(prepared, model, parts, context);
  const Cycle& cycle = inputs.cycle;
  for (const Batch& batch : cycle.batches) prepared.batches.push_back(model.engine->stage(batch));
  prepared.series.push_back(scalar_series("tokenize_time", read_s + tokenize_watch.seconds()));
  const Stopwatch settling_watch(context.clock);
  settle(prepared, model, inputs, context);
  load_s += settling_watch.seconds();
  prepared.series.push_back(scalar_series("load_time", load_s));
  prepared.cycle_shape = CycleShape::of(cycle);
  prepared.forecast_memory = forecaster(request, model.config, parts, prepared.products.products);
  malloc_trim(0);  // glibc: what loading left over would be counted as memory that the forward pass needs
  prepared.work.emplace(model.config, request);
  // The formulas count passes over whole batches, no steps over a cache.
  if (!request.is_generate()) prepared.cycle_work = work_of(prepared, cycle.batches);
  memory.add_to(prepared.series);

  prepared.effective = effective_settings(request, model, inputs.tokenizer.get());
  describe(prepared, cycle, inputs.tokenizer ? blank_texts(cycle, prepared.data, inputs.prompt) : 0);
  if (model.trained && is_scored(request) && request.labels.empty() && has_names_alone(prepared.data, model.config)) {
    prepared.effective["data"]["labels_by_position"] = true;
  }
  prepared.engine = std::move(model.engine);
  prepared.model_memory = std::move(model.parameters);
  return prepared;
}

std::vector<Series> work_of(const PreparedCase& prepared, const std::vector<Batch>& batches) {
  std::vector<Series> work = prepared.work->series(batches);
  if (prepared.sampling_rate == 0) return work;
  std::vector<double> seconds;
  for (const Batch& batch : batches) {
    const std::vector<std::int64_t>& lengths = batch.sounds->lengths;
    const auto samples = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    seconds.push_back(static_cast<double>(samples) / static_cast<double>(prepared.sampling_rate));
  }
  work.push_back(value_series("audio_seconds", std::move(seconds)));
  return work;
}

std::uint32_t first_sample_flags(const PreparedCase& prepared) {
  return kSampleWarmup | (prepared.loading_passes == 0 ? std::uint32_t{kSampleFirst} : 0U);
}

void add_first_forward(const PreparedCase& prepared, double seconds, Warmed& warmed) {
  if (prepared.loading_passes == 0) {
    warmed.series.push_back(scalar_series("first_forward", seconds));
    return;
  }
  warmed.effective["null_reasons"]["first_forward"] =
      fmt::format("loading ran the model {} before the first pass that was timed",
                  counted(static_cast<std::size_t>(prepared.loading_passes), "time"));
}

std::string attention_kernel_of(const PreparedCase& prepared, const KernelProbe& probe) {
  const std::string kernel = probe.attention_kernel();
  const bool was_asked = kernel == "eager" && prepared.request.attention == "eager";
  const bool is_own = prepared.is_foreign && (kernel == "none" || (kernel == "eager" && !was_asked));
  return is_own ? "own" : kernel;
}

std::string precision_that_ran(const PreparedCase& prepared, const KernelProbe& probe, const at::Tensor& outputs) {
  const std::string& of_weights = prepared.linear_form.precision;
  if (!of_weights.empty() && multiplies_int8(probe.linear_types())) return of_weights;
  return precision_of(outputs.scalar_type(), outputs.scalar_type(), *prepared.device);
}

void add_attention_trials(const PreparedCase& prepared, Json& effective) {
  const std::vector<AttentionChoice> choices = prepared.engine->attention_choices();
  if (!choices.empty()) effective["attention_trials"] = choices;
}

void add_memory_forecast(PreparedCase& prepared, Measured& measured) {
  Json& told = prepared.memory_forecast;
  if (told.is_null()) {
    std::string attention = prepared.request.attention;
    if (attention == "trial") {
      const std::vector<AttentionChoice> choices = prepared.engine->attention_choices();
      const bool is_tiled = std::any_of(choices.begin(), choices.end(),
                                        [](const AttentionChoice& choice) { return choice.kernel == "tiled"; });
      attention = is_tiled ? "tiled" : "sdpa";
    }
    const auto forecast = prepared.forecast_memory(prepared.cycle_shape, attention);
    told = forecast ? to_json(*forecast) : Json{{"reason", kNoMemoryFormula}};
  }
  if (told.contains("peak_bytes")) {
    measured.series.push_back(scalar_series("peak_allocated_forecast", told.at("peak_bytes").get<double>()));
  }
  measured.effective["memory_forecast"] = told;
}

Json kernels_of_forward(const PreparedCase& prepared, const KernelProbe& probe, const at::Tensor& outputs) {
  if (const auto own = prepared.engine->readback()) {
    return {{"library", own->library},
            {"attention_kernel", own->attention_kernel},
            {"linear_kernel", own->linear_kernel},
            {"linear_types", own->linear_types},
            {"precision", own->precision},
            {"threads", own->threads}};
  }
  return {{"attention_kernel", attention_kernel_of(prepared, probe)},
          {"linear_kernel", probe.linear_kernel()},
          {"linear_types", probe.linear_types()},
          {"precision", precision_that_ran(prepared, probe, outputs)}};
}

}  // namespace transformeter
