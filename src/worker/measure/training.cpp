// The data set comes first: its classes are the head's.
#include "measure/training.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "datasets/bundled_data.h"
#include "datasets/row_frame.h"
#include "datasets/synthetic.h"
#include "device/runtime.h"
#include "engine/one_dnn_support.h"
#include "engine/runtime_settings.h"
#include "engine/trained_linear.h"
#include "engine/training_operators.h"
#include "measure/loaded_model.h"
#include "measure/loading_memory.h"
#include "measure/settled_products.h"
#include "spec/architecture.h"
#include "tasks/image_inputs.h"
#include "tasks/image_rows.h"
#include "tasks/sound_inputs.h"
#include "tasks/sound_rows.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "train/trainable_parameters.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSyntheticRows = 4096;

std::int64_t count_trainable(const Training& training) {
  return trainable_count(tensor_inventory(training.config, training.request.task), training.lora);
}

Json facts_of(const LoraPlan& lora) {
  return {{"rank", lora.rank},
          {"alpha", lora.alpha},
          {"targets", lora.targets},
          {"matrices", lora.matrices.size()},
          {"modules_to_save", lora.modules_to_save}};
}

bool has_classes(Task task) {
  return has_classes(head_of(task));
}

// Not the model's own start_token, with which generated texts begin.
std::optional<std::int64_t> target_start(const Training& training) {
  const Task task = training.request.task;
  if (!has_target_texts(task)) return std::nullopt;
  if (!training.config.architecture->draw) return training.model->start_token();  // of a custom family
  const std::optional<DecoderSpec> decoder = draw_blueprint(training.config, task).decoder;
  return decoder ? decoder->training_start_token : std::nullopt;
}

TrainableParameters read_checkpoint(const Training& training, Checkpoint checkpoint) {
  const Case& request = training.request;
  const std::optional<std::int64_t> classes = has_classes(request.task) && training.rows.class_count > 0
                                                  ? std::optional(training.rows.class_count)
                                                  : std::nullopt;
  return trainable_parameters(std::move(checkpoint), request.task, classes, request.seed, c10::ScalarType::Float,
                              training.rows.class_names);
}

// The weights in fp32, whatever they are trained in.
Parameters read_weights(Training& training, std::optional<Checkpoint> checkpoint) {
  if (!checkpoint) {
    return seeded_parameters(tensor_inventory(training.config, training.request.task),
                             training.config.initializer_range, training.request.seed, c10::ScalarType::Float);
  }
  TrainableParameters trainable = read_checkpoint(training, std::move(*checkpoint));
  training.config = std::move(trainable.config);
  training.new_weights = std::move(trainable.added);
  return std::move(trainable.parameters);
}

}  // namespace

c10::ScalarType weight_type(const std::string& precision) {
  return precision == "bf16" ? c10::ScalarType::BFloat16 : c10::ScalarType::Float;
}

std::optional<c10::ScalarType> product_type(const std::string& precision) {
  if (precision == "bf16_autocast") return c10::ScalarType::BFloat16;
  if (precision == "fp16") return c10::ScalarType::Half;
  return std::nullopt;
}

TrainingRowsOptions training_rows_options(const Training& training) {
  const Case& request = training.request;
  TrainingRowsOptions options;
  options.task = request.task;
  const auto own_length = training.tokenizer ? training.tokenizer->traits().max_length : std::nullopt;
  options.max_length = request.sequence_length.value_or(training.config.text_length(request, own_length));
  options.stride = request.stride;
  options.limit = request.limit;
  options.seed = request.seed;
  if (training.is_trained) options.trained = &training.config;
  if (options.max_length > training.config.max_length) {
    throw Error(ErrorKind::kUnsupportedShape, fmt::format("{} {} exceeds the model's {} positions",
                                                          request.has_fixed_length() ? "sequence_length" : "max_length",
                                                          options.max_length, training.config.max_length));
  }
  return options;
}

// What would be found out in the first step, or never.
void check_workload(const Training& training) {
  const Case& request = training.request;
  const std::int64_t rows = training.rows.rows->row_count();
  check_batch_size(request.task, request.batch_size);
  if (rows < least_batch_size(request.task)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("there is 1 pair to learn from; task {} needs at least {}, since a pair is learned against "
                            "the others of its batch",
                            name_of(request.task), least_batch_size(request.task)));
  }
  if (request.is_train() && rows < request.batch_size) {
    throw bad_value("batch_size", fmt::format("{}", request.batch_size),
                    fmt::format("at most {}, the number of rows in the data set", rows));
  }
  if (request.label_smoothing <= 0) return;
  if (const auto reason = why_not_smoothed(request.task, request.batching == "packed")) {
    throw Error(ErrorKind::kUnsupported, *reason);
  }
}

std::string data_path(const Case& request, const Context& context) {
  return request.data == kBundledData ? bundled_texts(context.data_directory).string() : request.data;
}

namespace {

std::unique_ptr<TrainingRows> drawn_rows(const Training& training, const TrainingRowsOptions& options) {
  const Case& request = training.request;
  const ModelConfig& config = training.config;
  const std::size_t count = request.limit ? static_cast<std::size_t>(*request.limit) : kSyntheticRows;
  if (has_captions(request.task)) return synthetic_caption_rows(count, config, *training.tokenizer, options);
  if (training.processor) return synthetic_image_rows(count, config.num_labels, config, options);
  if (training.extractor) {
    const std::int64_t samples = synthetic_samples(request, *training.extractor, *config.waves);
    return synthetic_sound_rows(count, samples, {config, *training.extractor}, options);
  }
  return synthetic_training_rows(count, config.num_labels, *training.tokenizer, options);
}

LabelledRows rows_of_sounds(const Training& training, const TrainingRowsOptions& options) {
  const Case& request = training.request;
  const DataOptions data = data_options(request);
  if (training.ctc_vocabulary) {
    return transcript_rows(load_transcripts(request.data, data),
                           {training.config, *training.extractor, &*training.ctc_vocabulary}, options);
  }
  const SoundReading sounds{training.config, *training.extractor};
  return sound_class_rows(load_sound_classes(request.data, data, options.trained), request.data, sounds, options);
}

}  // namespace

LabelledRows read_rows(const Training& training, const Context& context) {
  const Case& request = training.request;
  const TrainingRowsOptions options = training_rows_options(training);
  const ModelConfig& config = training.config;
  if (request.data == kSyntheticData) {
    LabelledRows rows;
    rows.rows = drawn_rows(training, options);
    rows.class_count = config.num_labels;
    return rows;
  }
  if (has_captions(request.task)) {
    return caption_rows(load_captions(request.data, data_options(request)), {config, *training.processor},
                        *training.tokenizer, options);
  }
  if (training.processor) {
    return image_class_rows(load_image_classes(request.data, data_options(request), options.trained), request.data,
                            {config, *training.processor}, options);
  }
  if (training.extractor) return rows_of_sounds(training, options);
  return read_training_rows(data_path(request, context), data_options(request), *training.tokenizer, options);
}

// LibTorch's kernels are the same in every process, so that a fine-tuning can go on bit for bit.
bool chooses_products(const Case& request) {
  return request.is_train() && !request.deterministic && request.one_dnn;
}

// oneDNN's are narrow; without instructions for those there is nothing to choose between.
bool tries_narrow_products(const Case& request) {
  const c10::ScalarType type = product_type(request.precision).value_or(weight_type(request.precision));
  return type == c10::ScalarType::BFloat16 && request.device == "cpu" && request.fused && chooses_products(request) &&
         request.products != "onednn" && has_one_dnn_bf16();
}

// For full rows, as which packed ones are nearly as many; of images and captions for the longer ones.
void settle_products(Training& training, const LinearFactory* linears, const Context& context) {
  const auto* settling = dynamic_cast<const TrainedLinears*>(linears);
  if (settling == nullptr || !chooses_products(training.request)) return;
  KeptProducts kept = kept_products(context);
  const std::int64_t of_images = training.processor ? training.config.image_tokens : 0;
  const std::int64_t row = std::max(training_rows_options(training).max_length, of_images);
  const std::int64_t tokens = training.request.batch_size * row;
  training.products = keep_tried(kept, settling->settle(tokens, training.request.products, &kept), context.log);
}

Training load_training(const Case& request, const Context& context, const WorkerParts& parts,
                       const ReadRows& read_rows) {
  Training training;
  training.request = request;
  training.device = make_device(request.device);
  const LoadingMemory memory;
  set_runtime(request);
  const Architectures& architectures = parts.models.architectures();
  std::optional<Checkpoint> checkpoint;
  if (architectures.has_preset(request.model)) {
    training.config = architectures.preset(request.model);
    if (has_values(request.task)) training.config.num_labels = 1;
  } else {
    checkpoint = open_checkpoint(request.model, architectures);
    training.config = checkpoint->config;
    training.is_trained = true;
  }
  check_task(training.config, request.task);
  training.lora = plan_lora(request, training.config);  // what it refuses, it refuses before the data are read
  const Stopwatch read_watch(context.clock);
  if (reads_images(request.task)) {
    training.processor = model_image_processor(request.model, training.config, training.is_trained);
  } else if (reads_audio(request.task)) {
    training.extractor = model_feature_extractor(request.model, training.config, training.is_trained);
    if (request.task == Task::kSpeechRecognition && request.data != kSyntheticData) {
      training.ctc_vocabulary = model_ctc_vocabulary(request.model, training.config, training.is_trained);
      check_blank(*training.ctc_vocabulary, training.config, request.model);
    }
  }
  if (reads_texts(request.task)) {
    training.tokenizer = load_model_tokenizer(request, parts, training.config, training.is_trained, context);
  }
  if (training.tokenizer && !training.is_trained && !parts.tokenizers.contains(training.config.family())) {
    training.vocabulary = bundled_vocabulary(context.data_directory);
  }
  training.rows = read_rows(training);
  check_workload(training);
  training.series.push_back(scalar_series("tokenize_time", read_watch.seconds()));

  const Stopwatch load_watch(context.clock);
  if (!checkpoint && has_classes(request.task) && training.rows.class_count > 0) {
    training.config.num_labels = training.rows.class_count;
  }
  Parameters read = read_weights(training, std::move(checkpoint));
  // Classes that are numbers alone keep the names that the model has for them; where their count is another, it has
  // none.
  if (has_classes(request.task) && !training.rows.class_names.empty()) {
    training.config.labels = training.rows.class_names;
  }
  read.move_to(training.device->torch_device());
  training.lora = plan_lora(request, training.config, training.new_weights);
  training.weights = trained_weights(read, tensor_inventory(training.config, request.task),
                                     weight_type(request.precision), training.lora, request.seed);
  const auto linears = make_training_linears(request.precision, request.fused, request.device != "cpu");
  training.weights.parameters.use_linears(linears);
  training.model = parts.models.make(training.config, request.task, training.weights.parameters);
  settle_products(training, linears.get(), context);
  training.operators = make_training_operators({.attention = request.attention,
                                                .fused = request.fused,
                                                .on_gpu = request.device != "cpu",
                                                .tries_widening = chooses_products(request)});
  training.series.push_back(scalar_series("load_time", load_watch.seconds()));
  training.series.push_back(scalar_series("weight_bytes", static_cast<double>(training.weights.parameters.bytes())));
  training.series.push_back(scalar_series("trainable_parameters", static_cast<double>(count_trainable(training))));
  memory.add_to(training.series);
  malloc_trim(0);  // glibc: what loading left over would be counted as memory that a step needs
  return training;
}

Parameters compared_weights(const Training& training, const WorkerParts& parts) {
  const Case& request = training.request;
  if (training.is_trained) {
    return read_checkpoint(training, open_checkpoint(request.model, parts.models.architectures())).parameters;
  }
  return seeded_parameters(tensor_inventory(training.config, request.task), std::nullopt, request.seed,
                           c10::ScalarType::Float);
}

TrainerOptions trainer_options(const Case& request) {
  TrainerOptions options;
  options.loss = loss_of(request.task);
  options.autocast = product_type(request.precision);
  options.has_dropout = request.has_dropout;
  options.checkpoints_layers = request.gradient_checkpointing;
  options.needed_tokens_only = request.needed_tokens;
  options.label_smoothing = request.label_smoothing;
  options.max_gradient_norm = request.max_gradient_norm;
  options.schedule = {"constant", request.learning_rate, 0, 0};
  options.optimizer.kind = request.optimizer;
  options.optimizer.weight_decay = request.weight_decay;
  options.seed = request.seed;
  return options;
}

LoaderOptions loader_options(const Training& training) {
  const Case& request = training.request;
  LoaderOptions options;
  options.batch_size = request.batch_size;
  options.least_rows = least_batch_size(request.task);
  options.sequence_length = request.sequence_length;
  options.bucketed = request.batching == "bucketed";
  if (training.tokenizer) options.pad = row_frame(*training.tokenizer).pad;
  if (training.reads_files()) options.window_batches = 1;  // nothing is sorted by length
  options.seed = request.seed;
  options.threads = request.loader_threads;
  return options;
}

MicroBatchOptions micro_batch_options(const Training& training) {
  MicroBatchOptions options;
  options.blanks = training.model->blank_tokens();
  options.end = training.model->end_token();
  options.start_token = target_start(training);
  options.loss = loss_of(training.request.task);
  if (options.loss == LossKind::kTranscript) options.ctc = model_ctc(training.config);
  if (options.loss == LossKind::kPairs) {
    options.pairs = draw_blueprint(training.config, training.request.task).text_tower.value().logits.loss;
  }
  options.packed = training.request.batching == "packed";
  options.type = weight_type(training.request.precision);
  options.device = training.device->torch_device();
  return options;
}

Json effective_settings(const Training& training) {
  const Case& request = training.request;
  Json effective = runtime_settings(request, request.precision == "bf16_autocast" ? "bf16" : request.precision);
  effective["model"] = {
      {"family", training.config.family()},
      {"weights", training.is_trained ? "checkpoint" : fmt::format("seeded random, seed {}", request.seed)},
      {"trained", training.is_trained},
      {"labels", training.config.num_labels},
      {"parameters", training.weights.parameters.count()},
      {"trainable_parameters", count_trainable(training)},
      {"new_weights", training.new_weights}};
  effective["data"] = {{"name", request.data},
                       {"task", request.task},
                       {"examples", training.rows.rows->size()},
                       {"rows", training.rows.rows->row_count()},
                       {"labels", training.rows.class_count}};
  if (training.lora) effective["lora"] = facts_of(*training.lora);
  if (training.processor) effective["data"]["image"] = to_json(*training.config.image);
  if (training.extractor && request.data == kSyntheticData) {
    effective["data"]["samples"] = synthetic_samples(request, *training.extractor, *training.config.waves);
  }
  if (loss_of(request.task) == LossKind::kTranscript) {
    effective["loss"] = model_ctc(training.config).is_mean ? "ctc_mean" : "ctc_sum";
  }
  effective["weights"] = "plain";
  add_trials(training.products, effective);
  effective["head_tokens"] = request.needed_tokens && training.model->leaves_out_tokens() ? "needed" : "all";
  effective["batching"] = request.batching;
  effective["scenario"] = request.scenario;
  effective["deterministic"] = at::globalContext().deterministicAlgorithms() ? "on" : "off";
  effective["window"] = {"data", "forward", "backward", "optimizer"};
  if (Json facts = training.device->facts(); !facts.empty()) effective["device_facts"] = std::move(facts);
  return effective;
}

}  // namespace transformeter
