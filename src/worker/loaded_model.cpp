// Presets are seeded, folders are mapped.
#include "worker/loaded_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "device/runtime.h"
#include "host/limits.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "spec/presets.h"
#include "text/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// Seeded weights serve any number of classes: the head takes the data set's.
LoadedModel load_preset(const WorkerCase& request, std::int64_t label_count, c10::ScalarType type) {
  LoadedModel loaded;
  loaded.config = preset(request.model);
  if (request.task == "sequence_classification" && label_count > 0) loaded.config.num_labels = label_count;
  loaded.parameters = std::make_shared<Parameters>(seeded_parameters(
      tensor_inventory(loaded.config, request.task), loaded.config.initializer_range, request.seed, type));
  return loaded;
}

LoadedModel load_folder(const WorkerCase& request, c10::ScalarType type) {
  Checkpoint checkpoint = open_checkpoint(request.model);
  check_task(checkpoint, request.task);
  LoadedModel loaded;
  loaded.config = checkpoint.config;
  loaded.parameters = std::make_shared<Parameters>(checkpoint_parameters(std::move(checkpoint), request.task, type));
  loaded.trained = true;
  return loaded;
}

void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config, const fs::path& path) {
  if (tokenizer.vocabulary_size() > config.vocab_size) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("tokenizer '{}' has {} ids but the model's vocabulary has {}; use the model's own tokenizer",
                    path.string(), tokenizer.vocabulary_size(), config.vocab_size));
  }
}

}  // namespace

LoadedModel load_model(const WorkerCase& request, std::int64_t label_count, Device& device) {
  const c10::ScalarType type = scalar_type_of(request.precision);
  LoadedModel model = is_preset(request.model) ? load_preset(request, label_count, type) : load_folder(request, type);
  ModelRegistry registry;
  register_builtin_models(registry);
  const EngineOptions options{type, request.attention, request.attention_mask};
  model.engine =
      std::make_unique<InferenceEngine>(registry.make(model.config, request.task, *model.parameters), options, device);
  return model;
}

std::unique_ptr<Tokenizer> load_model_tokenizer(const WorkerCase& request, const LoadedModel& model,
                                                const Context& context) {
  const fs::path file = model.trained ? fs::path(request.model) : context.data_directory / "texts" / "vocab.txt";
  std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(file);
  check_vocabulary(*tokenizer, model.config, file);
  return tokenizer;
}

Json effective_settings(const WorkerCase& request, const LoadedModel& model) {
  Json effective = Json::object();
  effective["model"] = {{"family", model.config.family()},
                        {"weights", model.trained ? "checkpoint" : fmt::format("seeded random, seed {}", request.seed)},
                        {"trained", model.trained},
                        {"labels", model.config.num_labels},
                        {"parameters", model.parameters->count()}};
  effective["instruction_set"] = describe_runtime().value("instruction_set", Json());
  if (const auto limit = memory_limit_bytes()) effective["memory_limit"] = *limit;
  effective["precision_native"] = inference_capabilities().is_native("precision", request.precision);
  effective["engine"] = "pytorch";
  effective["threads"] = at::get_num_threads();
  effective["interop_threads"] = at::get_num_interop_threads();
  return effective;
}

}  // namespace transformeter
