// From settings to typed values; words such as "natural" become absent numbers.
#include "measure/worker_case.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {
namespace {

std::optional<std::int64_t> count_or_word(const Json& value) {
  if (value.is_string()) return std::nullopt;
  return value.get<std::int64_t>();
}

TrainingCase training_case_from(const Json& settings) {
  TrainingCase training;
  settings.at("optimizer").get_to(training.optimizer);
  settings.at("learning_rate").get_to(training.learning_rate);
  settings.at("gradient_accumulation").get_to(training.gradient_accumulation);
  training.gradient_checkpointing = settings.at("gradient_checkpointing") == "on";
  settings.at("weight_decay").get_to(training.weight_decay);
  const Json& norm = settings.at("max_gradient_norm");
  if (norm.is_number()) training.max_gradient_norm = norm.get<double>();
  settings.at("label_smoothing").get_to(training.label_smoothing);
  training.has_dropout = settings.at("dropout") == "config";
  training.stride = settings.value("stride", training.stride);
  settings.at("loader_threads").get_to(training.loader_threads);
  training.deterministic = settings.value("deterministic", "off") == "on";
  return training;
}

}  // namespace

WorkerCase worker_case_from(const Json& settings) {
  try {
    WorkerCase result;
    settings.at("model").get_to(result.model);
    settings.at("task").get_to(result.task);
    const auto text = [&](const char* name) { return settings.value(name, std::string()); };
    result.data = text("data");
    result.data_options = {text("text_column"), text("text_pair_column"), text("label_column"), text("labels"),
                           text("split")};
    result.length_distribution = text("length_distribution");
    result.pooling = text("pooling");
    result.inputs = text("inputs");
    result.padding = settings.value("padding", 0.0);
    result.scenario = settings.value("scenario", result.scenario);
    if (result.is_generate()) {
      settings.at("prompt_length").get_to(result.prompt_length);
      settings.at("new_tokens").get_to(result.new_tokens);
    } else {
      settings.at("batch_size").get_to(result.batch_size);
    }
    if (result.has_data()) {
      if (!result.is_generate()) result.sequence_length = count_or_word(settings.at("sequence_length"));
      result.limit = count_or_word(settings.at("limit"));
    }
    if (result.is_train() || result.is_finetune()) result.training = training_case_from(settings);
    settings.at("seed").get_to(result.seed);
    settings.at("precision").get_to(result.precision);
    settings.at("attention").get_to(result.attention);
    result.engine = settings.value("engine", result.engine);
    result.prepacked = settings.value("weights", std::string()) == "prepacked";
    result.fused = settings.value("fusion", std::string()) == "fused";
    // A case of an earlier version, which had no such setting, goes on as it began.
    result.needed_tokens = settings.value("head_tokens", result.fused ? "needed" : "all") == std::string("needed");
    result.batching = settings.value("batching", result.batching);
    result.bucket_window = count_or_word(settings.value("bucket_window", Json("all")));
    result.streams = count_or_word(settings.value("streams", Json("auto"))).value_or(result.streams);
    result.chunk_tokens = count_or_word(settings.value("chunk_tokens", Json("none")));
    result.attention_mask = settings.value("attention_mask", "on") == "on";
    result.graphs = settings.value("graphs", "off") == "on";
    result.transfers = settings.value("transfers", "off") == "on";
    settings.at("device").get_to(result.device);
    return result;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kProtocol, fmt::format("the case's settings are malformed: {}", error.what()));
  }
}

}  // namespace transformeter
