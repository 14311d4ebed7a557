// A table of settings with the condition of each.
#include "run/workload_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "datasets/bundled_data.h"
#include "datasets/synthetic.h"
#include "schema/scenario.h"
#include "schema/settings.h"
#include "spec/script_inputs.h"

namespace transformeter {
namespace {

constexpr const char* kDefaultDistribution = "uniform:8:128";
constexpr std::string_view kDefaultOrigin = "default";

bool is_file(const Json& point) {
  return point.at("data") != kBundledData && point.at("data") != kSyntheticData;
}
bool has_batches(const Json& point) {
  return !is_generate(point);
}
bool is_fixed(const Json& point) {
  return is_batch(point) && point.at("sequence_length").is_number();
}
bool is_synthetic_natural(const Json& point) {
  return is_batch(point) && point.at("data") == kSyntheticData && !is_fixed(point);
}
bool is_bucketed(const Json& point) {
  return is_batch(point) && point.value("batching", Json()) == "bucketed";
}
bool is_trained_reader(const Json& point) {
  return is_train(point) && point.at("task").get<Task>() == Task::kQuestionAnswering;
}
bool is_embedding(const Json& point) {
  return point.at("task").get<Task>() == Task::kEmbedding;
}
bool is_script(const Json& point) {
  return is_script_file(point.at("model").get<std::string>());
}

struct Condition {
  const char* setting;
  bool (*holds)(const Json& point);
  const char* what;  // completes "applies to ..."
};
constexpr const char* kBatchOnly = "scenario batch";
constexpr const char* kGenerateOnly = "scenario generate";
constexpr const char* kTrainOnly = "scenario train";
constexpr const char* kBatches = "scenarios batch and train";
constexpr std::string_view kTrainWith = "scenario train with ";
constexpr Condition kConditions[] = {
    {"text_column", is_file, "a data file"},
    {"text_pair_column", is_file, "a data file"},
    {"label_column", is_file, "a data file"},
    {"labels", is_file, "a data file"},
    {"split", is_file, "a data file"},
    {"batch_size", has_batches, kBatches},
    {"sequence_length", has_batches, kBatches},
    {"attention_mask", is_batch, kBatchOnly},
    {"batching", has_batches, kBatches},
    {"streams", is_batch, kBatchOnly},
    {"chunk_tokens", is_batch, kBatchOnly},
    {"prompt_length", is_generate, kGenerateOnly},
    {"new_tokens", is_generate, kGenerateOnly},
    {"gradient_accumulation", is_train, kTrainOnly},
    {"learning_rate", is_train, kTrainOnly},
    {"weight_decay", is_train, kTrainOnly},
    {"max_gradient_norm", is_train, kTrainOnly},
    {"label_smoothing", is_train, kTrainOnly},
    {"dropout", is_train, kTrainOnly},
    {"optimizer", is_train, kTrainOnly},
    {"gradient_checkpointing", is_train, kTrainOnly},
    {"deterministic", is_train, kTrainOnly},
    {"loader_threads", is_train, kTrainOnly},
    {"price_per_hour", is_train, kTrainOnly},
    {"stride", is_trained_reader, "scenario train with task question_answering"},
    {"padding", is_fixed, "scenario batch with a numeric sequence_length; natural lengths determine their own padding"},
    {"length_distribution", is_synthetic_natural, "data synthetic with sequence_length natural"},
    {"pooling", is_embedding, "task embedding"},
    {"bucket_window", is_bucketed, "scenario batch with batching bucketed"},
    {"inputs", is_script, "a TorchScript file"}};

}  // namespace

std::int64_t batch_size_of(const Json& point) {
  return point.value("batch_size", std::int64_t{1});
}

std::optional<std::int64_t> fixed_length_of(const Json& point) {
  const auto length = point.find("sequence_length");
  if (length == point.end() || !length->is_number()) return std::nullopt;
  return length->get<std::int64_t>();
}

void settle_workload(Json& point) {
  for (const Condition& condition : kConditions) {
    if (!condition.holds(point)) point.erase(condition.setting);
  }
  if (is_synthetic_natural(point)) point.emplace("length_distribution", kDefaultDistribution);
  if (is_script(point)) point.emplace("inputs", kDefaultScriptInputs);
}

void check_workload_use(const Plan& plan, std::span<const Json> points) {
  for (const Condition& condition : kConditions) {
    if (!plan.has(condition.setting) || plan.at(condition.setting).origin == kDefaultOrigin) continue;
    if (std::any_of(points.begin(), points.end(), condition.holds)) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} only applies to {}; no case in the plan matches", condition.setting, condition.what));
  }
}

void check_finetune_use(const Json& settings, const std::vector<std::string>& given) {
  Json step = settings;
  step["scenario"] = Scenario::kTrain;
  for (const Condition& condition : kConditions) {
    const bool is_given = std::find(given.begin(), given.end(), condition.setting) != given.end();
    if (!is_given || condition.holds(step)) continue;
    std::string_view what = condition.what;
    if (what.starts_with(kTrainWith)) what.remove_prefix(kTrainWith.size());
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} only applies to {} and would have no effect here", condition.setting, what));
  }
}

std::optional<std::string> why_not_batched(const Json& point) {
  if (point.value("batching", Json()) != "bucketed" || !fixed_length_of(point)) return std::nullopt;
  return "batching bucketed needs sequence_length natural, since rows of a fixed length are all equal; use batching "
         "padded";
}

bool is_of_training(std::string_view setting) {
  return std::any_of(std::begin(kConditions), std::end(kConditions), [&](const Condition& condition) {
    return condition.holds == &is_train && condition.setting == setting;
  });
}

DataOptions data_options(const Json& point) {
  const auto text = [&](const char* name) { return point.value(name, std::string()); };
  return {text("text_column"), text("text_pair_column"), text("label_column"), text("labels"), text("split")};
}

}  // namespace transformeter
