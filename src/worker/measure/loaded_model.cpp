// Presets are seeded, folders are mapped.
#include "measure/loaded_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "datasets/bundled_data.h"
#include "datasets/vocabulary_check.h"
#include "device/runtime.h"
#include "engine/backends.h"
#include "engine/linear_factories.h"
#include "engine/pinned_processors.h"
#include "engine/runtime_settings.h"
#include "measure/class_weights.h"
#include "model/script_model.h"
#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/script_inputs.h"
#include "spec/sentence_settings.h"
#include "tasks/zero_shot.h"
#include "tokenizers/tokenizer_files.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// Seeded weights serve any number of classes: the head takes the data set's, where a class is the answer.
ModelConfig preset_config(const Case& request, const Architectures& architectures, const ModelClasses& classes) {
  ModelConfig config = architectures.preset(request.model);
  const HeadKind head = head_of(request.task);
  const bool is_whole = has_classes(head) && head != HeadKind::kTokenClasses;
  const bool has_class = is_whole && predicts_classes(request.task);
  if (has_class && classes.count > 0) config.num_labels = classes.count;
  if (has_values(request.task)) config.num_labels = 1;
  return config;
}

LoadedModel load_preset(const Case& request, const Architectures& architectures, const ModelClasses& classes,
                        c10::ScalarType type) {
  LoadedModel loaded;
  loaded.config = preset_config(request, architectures, classes);
  loaded.parameters = std::make_shared<Parameters>(
      seeded_parameters(tensor_inventory(loaded.config, request.task), std::nullopt, request.seed, type));
  return loaded;
}

LoadedModel load_folder(const Case& request, const Architectures& architectures, c10::ScalarType type) {
  Checkpoint checkpoint = open_checkpoint(request.model, architectures);
  check_task(checkpoint, request.task);
  LoadedModel loaded;
  loaded.config = checkpoint.config;
  loaded.parameters = std::make_shared<Parameters>(checkpoint_parameters(std::move(checkpoint), request.task, type));
  loaded.trained = true;
  return loaded;
}

// What the case decides on, not the model.
void take_choices(const Case& request, const ModelClasses& classes, ModelConfig& config) {
  check_pooling(config, request.pooling);
  if (!request.pooling.empty()) config.sentence.poolings = {pooling_from_name(request.pooling)};
  if (!is_zero_shot(request.task)) return;
  config.labels = classes.names;
  config.num_labels = static_cast<std::int64_t>(classes.names.size());
}

// Configuration and weights of a preset or a folder, as asked for.
LoadedModel load_weights(const Case& request, const WorkerParts& parts, const ModelClasses& classes,
                         c10::ScalarType type) {
  const Architectures& architectures = parts.models.architectures();
  LoadedModel model = architectures.has_preset(request.model) ? load_preset(request, architectures, classes, type)
                                                              : load_folder(request, architectures, type);
  take_choices(request, classes, model.config);
  return model;
}

// What the model uses it holds itself: originals of weights that it keeps in another form are not to be counted as
// memory that it needs.
void let_go(LoadedModel& model) {
  model.parameter_count = model.parameters->count();
  model.weight_bytes = model.parameters->bytes();
  model.linear_form = model.parameters->form();
  model.parameters->release();
}

EngineOptions engine_options(const Case& request) {
  EngineOptions options;
  options.type = activation_type_of(request.precision);
  if (!is_backend(request.engine)) options.attention = request.attention;
  options.attention_mask = request.attention_mask;
  options.packed = request.batching == "packed";
  options.fused = request.fused;
  options.needed_tokens = request.needed_tokens;
  options.streams = request.streams.value_or(1);
  options.chunk_tokens = request.chunk_tokens;
  return options;
}

LoadedModel load_script(const Case& request, const EngineOptions& options, Device& device) {
  if (request.prepacked || request.fused || request.needed_tokens || request.precision.rfind("int8", 0) == 0) {
    throw Error(ErrorKind::kUnsupported,
                "a TorchScript file runs as compiled; use weights plain, fusion none, head_tokens all and no int8");
  }
  LoadedModel loaded;
  loaded.config = compiled_config(request.model);
  ScriptModel script = load_script_model(request.model, parse_script_inputs(request.inputs), request.seed,
                                         at::TensorOptions(options.type).device(device.torch_device()));
  loaded.parameters = std::make_shared<Parameters>(std::move(script.parameters));
  loaded.engine = std::make_unique<InferenceEngine>(std::move(script.model), options, device);
  let_go(loaded);
  return loaded;
}

LoadedModel load_graph_file(const Case& request, const BackendOptions& asked, const EngineOptions& options,
                            Device& device) {
  GraphFile file{request.model, {}, request.seed};
  if (!request.inputs.empty()) file.inputs = parse_script_inputs(request.inputs);
  OpenedModel opened = open_backend(request.engine).open(file, asked);
  LoadedModel loaded;
  loaded.config = compiled_config(request.model);
  loaded.parameters = std::make_shared<Parameters>();
  loaded.parameter_count = opened.parameters;
  loaded.is_quantized = opened.is_quantized;
  loaded.engine = std::make_unique<InferenceEngine>(std::move(opened.model), options, device);
  return loaded;
}

// With as many threads as LibTorch has, pinned where those are.
BackendOptions backend_options(const Case& request) {
  BackendOptions asked;
  asked.precision = request.precision;
  asked.threads = at::get_num_threads();
  if (request.pinning == "threads") asked.processors = pinned_processors(asked.threads);
  return asked;
}

// Weights stay in fp32: the library brings them into the form in which they run.
LoadedModel load_in_backend(const Case& request, const WorkerParts& parts, const ModelClasses& classes,
                            const BackendOptions& asked, Device& device) {
  const EngineOptions options = engine_options(request);
  const AllProcessors all(asked.processors);
  if (is_graph_file(request.model)) return load_graph_file(request, asked, options, device);
  LoadedModel model = load_weights(request, parts, classes, c10::ScalarType::Float);
  if (!builtin_architectures().find(model.config.family())) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("engine {} runs built-in families; '{}' is one of this worker's own", request.engine,
                            model.config.family()));
  }
  model.engine = std::make_unique<InferenceEngine>(
      open_backend(request.engine).make(draw_blueprint(model.config, request.task), *model.parameters, asked), options,
      device);
  let_go(model);
  return model;
}

// A tokenizer beside the file is the model's; without one the bundled texts' vocabulary serves.
fs::path tokenizer_beside(const fs::path& model, const fs::path& bundled) {
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  std::error_code code;
  const bool has_own = fs::exists(folder / kUnreadVocabulary, code) ||
                       std::any_of(kReadVocabularies.begin(), kReadVocabularies.end(),
                                   [&](const char* name) { return fs::exists(folder / name, code); });
  return has_own ? folder : bundled;
}

// To predict, there is no pass before the first answer.
bool has_first_pass(const Case& request) {
  return request.has_data();
}

// Requests choose among kernels of the CPU, one of them oneDNN's.
bool may_try_products(const Case& request) {
  return has_first_pass(request) && (!request.is_generate() || (request.device == "cpu" && request.one_dnn));
}

bool has_one_shape(const Case& request) {
  return request.has_one_batch() && !request.is_generate() && has_first_pass(request);
}

void check_products(const Case& request) {
  const bool needs_one_shape =
      request.products == "mkl" || (request.products == "trial" && request.precision != "bf16");
  if (!needs_one_shape || has_one_shape(request)) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("products {} needs {}: kernels are tried, and MKL's weights packed, for one number of rows",
                          request.products,
                          modality_of(request.task) != Modality::kText ? "synthetic data"
                          : request.draws_row_lengths() ? "a fixed --sequence-length without --length-distribution"
                                                        : "a fixed --sequence-length"));
}

std::string weights_text(const Case& request, const LoadedModel& model) {
  if (is_compiled_file(request.model)) return std::string(compiled_format(request.model));
  return model.trained ? "checkpoint" : fmt::format("seeded random, seed {}", request.seed);
}

// The original looks them up in its table of words; its pipeline for generated text leaves them out.
void check_token_types(const Tokenizer& tokenizer, const ModelConfig& config, Task task) {
  if (config.family() != "gpt2" || task == Task::kCausalLm || !tokenizer.traits().has_token_types) return;
  throw Error(ErrorKind::kUnsupported,
              "the tokenizer gives token types, which GPT-2 adds as words; that is not supported. If the model was "
              "trained without them, set \"model_input_names\": [\"input_ids\", \"attention_mask\"] in "
              "tokenizer_config.json.");
}

// A worker's own tokenizer is made without options.
void check_fills_texts(const Tokenizer& tokenizer, const ModelConfig& config) {
  if (!config.filled_length || tokenizer.traits().filled_length == config.filled_length) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("family '{}' needs a tokenizer that fills each text with padding to {} tokens; set "
                          "TokenizerTraits::filled_length, and masks_padding to false",
                          config.family(), *config.filled_length));
}

// Which tokens a model sees of a text that was filled depends on what the original's tokenizer hands it.
void check_filled_texts(const Tokenizer& tokenizer, const ModelConfig& config) {
  if (!config.filled_length || !tokenizer.traits().masks_padding) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("tokenizer_config.json hides padding from the model, by attention_mask in model_input_names or "
                  "by the default of a file without that key; family '{}' reads the padding that fills its "
                  "texts. If the model was trained so, set \"model_input_names\": [\"input_ids\"]",
                  config.family()));
}

}  // namespace

ModelClasses model_classes(const Case& request, const DataSet& data) {
  ModelClasses classes{data.label_count, {}};
  if (is_zero_shot(request.task)) classes.names = zero_shot_classes(request.labels, data);
  return classes;
}

ModelConfig model_config_of(const Case& request, const WorkerParts& parts, const ModelClasses& classes) {
  const Architectures& architectures = parts.models.architectures();
  ModelConfig config;
  if (architectures.has_preset(request.model)) {
    config = preset_config(request, architectures, classes);
  } else {
    const Checkpoint checkpoint = open_checkpoint(request.model, architectures);
    check_task(checkpoint, request.task);
    config = checkpoint.config;
  }
  take_choices(request, classes, config);
  return config;
}

LinearOptions linear_options(const Case& request) {
  return {.precision = request.precision,
          .prepacked = request.prepacked,
          .fused = request.fused,
          .is_tried = may_try_products(request),
          .one_shape = has_one_shape(request),
          .kernel = request.products,
          .decodes = request.is_generate()};
}

LoadedModel load_model(const Case& request, const Context& context, const WorkerParts& parts,
                       const ModelClasses& classes, Device& device) {
  const EngineOptions options = engine_options(request);
  set_runtime(request);
  if (is_script_file(request.model)) return load_script(request, options, device);
  if (is_backend(request.engine)) return load_in_backend(request, parts, classes, backend_options(request), device);
  check_products(request);
  LoadedModel model = load_weights(request, parts, classes, options.type);
  if (is_zero_shot(request.task)) {
    add_class_weights({request, model.config, parts, context}, options.type, *model.parameters);
  }
  model.parameters->move_to(device.torch_device());
  const auto linears = make_linears(linear_options(request));
  model.observing = std::dynamic_pointer_cast<const ObservingLinears>(linears);
  model.parameters->use_linears(linears);
  model.engine = std::make_unique<InferenceEngine>(parts.models.make(model.config, request.task, *model.parameters),
                                                   options, device);
  let_go(model);
  return model;
}

LoadedModel load_counted_model(const Case& request, const WorkerParts& parts, const ModelClasses& classes,
                               Device& device) {
  BackendOptions asked = backend_options(request);
  asked.counts_nodes = true;
  return load_in_backend(request, parts, classes, asked, device);
}

std::unique_ptr<Tokenizer> load_model_tokenizer(const Case& request, const WorkerParts& parts,
                                                const ModelConfig& config, bool trained, const Context& context) {
  const fs::path bundled = bundled_vocabulary(context.data_directory);
  const fs::path file = is_compiled_file(request.model) ? tokenizer_beside(request.model, bundled)
                        : trained                       ? fs::path(request.model)
                                                        : bundled;
  TokenizerOptions options;
  options.lowercases_first = config.sentence.prepares(request.task) && config.sentence.lowercases;
  options.filled_length = config.filled_length;
  const auto own = parts.tokenizers.find(config.family());
  std::unique_ptr<Tokenizer> tokenizer =
      own == parts.tokenizers.end() ? load_tokenizer(file, options) : own->second(trained ? file : fs::path());
  check_vocabulary(*tokenizer, config, file);
  check_fills_texts(*tokenizer, config);
  if (!trained) return tokenizer;
  check_token_types(*tokenizer, config, request.task);
  check_filled_texts(*tokenizer, config);
  return tokenizer;
}

Json effective_settings(const Case& request, const LoadedModel& model, const Tokenizer* tokenizer) {
  Json effective = runtime_settings(request, request.precision);
  effective["model"] = {{"family", model.config.family()},
                        {"weights", weights_text(request, model)},
                        {"labels", model.config.num_labels},
                        {"parameters", model.parameter_count}};
  // A compiled file does not say whether its weights are trained.
  if (!is_compiled_file(request.model)) effective["model"]["trained"] = model.trained;
  if (model.is_quantized) effective["model"]["quantized"] = true;
  if (request.task == Task::kEmbedding && !is_compiled_file(request.model)) {
    effective["model"]["pooling"] = pooling_of(model.config);
    effective["model"]["normalized"] = model.config.sentence.is_normalized;
    effective["model"]["text_length"] = model.config.text_length(request, tokenizer->traits().max_length);
    if (!model.config.sentence.prompt.empty()) effective["model"]["prompt"] = model.config.sentence.prompt;
  }
  if (is_zero_shot(request.task)) {
    effective["model"]["classes"] = model.config.labels;
    effective["model"]["prompt_template"] = request.prompt_template;
  }
  if (is_backend(request.engine)) {
    for (const char* name : {"weights", "fusion", "products"}) effective[name] = "own";
  } else {
    effective["weights"] = model.linear_form.prepacked ? "prepacked" : "plain";
  }
  effective["head_tokens"] = model.engine->leaves_out_tokens() ? "needed" : "all";
  if (!request.is_generate()) {  // a request is one row, computed by all threads
    effective["batching"] = request.batching;
    effective["streams"] = request.streams.value_or(1);
    effective["chunk_tokens"] = request.chunk_tokens ? Json(*request.chunk_tokens) : Json("none");
  }
  return effective;
}

}  // namespace transformeter
