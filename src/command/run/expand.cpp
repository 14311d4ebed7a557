// Product of axes, resolution of `auto`, and the checks that need no worker.
#include "run/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "base/contains.h"
#include "base/error.h"
#include "datasets/cycle.h"
#include "run/launch_settings.h"
#include "run/model_task.h"
#include "run/workload_settings.h"
#include "schema/beam_settings.h"
#include "schema/settings.h"
#include "spec/formulas.h"
#include "spec/lora.h"
#include "spec/script_inputs.h"
#include "tasks/prompts.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

// Stands for a natural length where only the order of cases depends on it: a sentence's typical token count.
constexpr std::int64_t kTypicalNaturalLength = 32;

// Weights in fp32 learn what bf16 would round away, so that is what `auto` means of a training.
constexpr const char* kTrainedInBf16 = "bf16_autocast";

bool has_native_bf16(const Capabilities& capabilities, const std::string& device) {
  return !capabilities.why_not("precision", "bf16") && capabilities.is_native("precision", "bf16", device);
}

// Where engine `auto` may choose the precision, it begins with fp32.
std::vector<Json> resolved_precision(const Json& point, const Plan& plan) {
  if (is_train(point)) return {"fp32", kTrainedInBf16};
  if (point.value("engine", Json()) == "auto" && plan.number("divergence_limit")) return {"fp32"};
  return {"fp32", "bf16"};
}

// What the engine chooses stays auto. Of precisions all are taken that `auto` may mean on any device; the point's own
// device decides once it is known.
std::vector<Json> resolved_values(const SettingTerm& term, const Json& value, const Json& point,
                                  const ExpandOptions& options, const Plan& plan) {
  if (value != "auto") return {value};
  const Capabilities& capabilities = options.capabilities;
  if (term.name == "threads") return {options.cores};
  if (term.name == "precision") return resolved_precision(point, plan);
  if (term.name == "device") return {capabilities.best_device()};
  return {value};
}

bool engine_lacks_precision(const Json& point, const Capabilities& capabilities) {
  const Json both = {{"engine", point.value("engine", Json())}, {"precision", point.value("precision", Json())}};
  return capabilities.why_not_together(both).has_value();
}

// Whether `auto` stood for a precision that the point's device has no units for, or that its engine does not have.
bool is_left_out_by_auto(const Plan& plan, const Json& point, const Capabilities& capabilities) {
  const auto precision = point.find("precision");
  if (precision == point.end() || (*precision != "bf16" && *precision != kTrainedInBf16)) return false;
  const std::vector<Json>& asked = plan.at("precision").values;
  const bool is_asked = std::find(asked.begin(), asked.end(), *precision) != asked.end();
  return !is_asked &&
         (!has_native_bf16(capabilities, point.value("device", "cpu")) || engine_lacks_precision(point, capabilities));
}

// All points of the product, later axes varying fastest; settings of the run itself are no part of a case.
std::vector<Json> points_of(const Plan& plan, const ExpandOptions& options) {
  std::vector<Json> points{Json::object()};
  for (const SettingTerm& term : setting_terms()) {
    if (term.group == SettingGroup::kRun || !plan.has(term.name)) continue;
    std::vector<Json> longer;
    for (const Json& point : points) {
      for (const Json& value : plan.at(term.name).values) {
        for (const Json& resolved : resolved_values(term, value, point, options, plan)) {
          longer.push_back(point);
          longer.back()[std::string(term.name)] = resolved;
        }
      }
    }
    points = std::move(longer);
  }
  std::erase_if(points, [&](const Json& point) { return is_left_out_by_auto(plan, point, options.capabilities); });
  return points;
}

void set_status(CaseRecord& record, Status status, const std::string& reason) {
  record.status = status;
  record.status_reason = reason;
}

void set_unsupported(CaseRecord& record, const std::string& reason) {
  set_status(record, Status::kUnsupported, reason);
}

// An error of that kind becomes the case's status.
void set_status_if(CaseRecord& record, ErrorKind kind, Status status, const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    if (error.kind() != kind) throw;
    set_status(record, status, error.what());
  }
}

void check_shape(CaseRecord& record, const Case& asked, const ModelConfig& config) {
  const std::optional<std::int64_t>& length = asked.has_fixed_length() ? asked.sequence_length : asked.max_length;
  if (!length || *length <= config.max_length) return;
  set_status(record, Status::kUnsupportedShape,
             fmt::format("{} {} exceeds the {} positions of model '{}'",
                         asked.has_fixed_length() ? "sequence_length" : "max_length", *length, config.max_length,
                         asked.model));
}

void check_sounds(CaseRecord& record, const Case& asked, Describer& describer) {
  set_status_if(record, ErrorKind::kUnsupportedShape, Status::kUnsupportedShape,
                [&] { describer.check_sounds(asked); });
}

void check_pooling(CaseRecord& record, const Case& asked, const ModelConfig& config) {
  set_status_if(record, ErrorKind::kUnsupported, Status::kUnsupported, [&] { check_pooling(config, asked.pooling); });
}

// Text is made by a decoder, pass by pass over a cache that its layers must hand out.
void check_generation(CaseRecord& record, const Case& asked, const ModelConfig& config) {
  if (!asked.is_generate()) return;
  if (!generates_text(asked.task)) {
    return set_unsupported(record,
                           fmt::format("scenario generate needs task {} or {}; task {} does not generate text",
                                       name_of(Task::kCausalLm), name_of(Task::kSeq2SeqLm), name_of(asked.task)));
  }
  if (asked.is_compiled()) {
    return set_unsupported(record, "scenario generate needs a key-value cache, which compiled files do not expose");
  }
  set_status_if(record, ErrorKind::kUnsupportedShape, Status::kUnsupportedShape,
                [&] { check_generation_room(asked.prompt_length, asked.new_tokens, config); });
  if (record.status || asked.num_beams == 1) return;
  set_status_if(record, ErrorKind::kUnsupported, Status::kUnsupported,
                [&] { check_vocabulary_of_beams(asked.num_beams, 0, config.vocab_size); });
}

void check_training(CaseRecord& record, const Case& asked) {
  if (!asked.is_train()) return;
  if (asked.is_compiled()) {
    return set_unsupported(record, fmt::format("scenario train: {} files cannot be trained; use a model folder or a "
                                               "preset",
                                               compiled_format(asked.model)));
  }
  if (asked.label_smoothing > 0) {
    const auto reason = why_not_smoothed(asked.task, asked.batching == "packed");
    if (reason) return set_unsupported(record, *reason);
  }
  set_status_if(record, ErrorKind::kBadInput, Status::kUnsupported,
                [&] { check_batch_size(asked.task, asked.batch_size); });
  if (record.status || asked.has_fixed_length()) return;
  if (asked.task == Task::kCausalLm) {
    return set_unsupported(record, "scenario train with task causal_lm needs a fixed sequence_length");
  }
  if (asked.data == kSyntheticData && reads_texts(asked.task)) {
    set_unsupported(record, "scenario train with synthetic data needs a fixed sequence_length");
  }
}

// A target that no module has is the user's mistake, whatever other cases there are.
void check_adapters(CaseRecord& record, const Case& asked, const ModelConfig& config) {
  if (!asked.is_train()) return;
  set_status_if(record, ErrorKind::kUnsupported, Status::kUnsupported, [&] { plan_lora(asked, config); });
}

void check_streams(CaseRecord& record, const Case& asked) {
  const std::int64_t streams = asked.streams.value_or(1);
  if (streams == 1 || !asked.threads) return;
  if (*asked.threads % streams != 0) {
    return set_unsupported(
        record, fmt::format("{} threads cannot be divided evenly among {} streams", *asked.threads, streams));
  }
  if (asked.pinning == "threads") {
    set_unsupported(record, "pinning threads does not support several streams; use streams 1, or pinning cores");
  }
}

void check_engine(CaseRecord& record, const Case& asked, const Capabilities& capabilities) {
  if (const auto reason = capabilities.why_unsupported(record.requested)) return set_unsupported(record, *reason);
  // A worker that declares no engines runs what settings ask for, but has none that need more than that.
  const bool needs_no_more = asked.engine == "pytorch" || asked.engine == "fast";
  if (!needs_no_more && !capabilities.values.empty() && !capabilities.engines.contains(asked.engine)) {
    return set_unsupported(record, fmt::format("engine {}: this worker declares no engine of that name", asked.engine));
  }
  if (const auto reason = why_not_batched(asked)) return set_unsupported(record, *reason);
  check_streams(record, asked);
}

// What is compiled into a file cannot be exchanged, nor its batches cut.
void check_compiled(CaseRecord& record, const Case& asked) {
  if (!asked.is_compiled()) return;
  if (!asked.inputs.empty()) parse_script_inputs(asked.inputs);
  const std::vector<std::string> engines = graph_engines(asked.model);
  const bool runs =
      asked.is_graph() ? contains(engines, asked.engine) : !contains(graph_engines(".onnx"), asked.engine);
  if (!runs) {
    return set_unsupported(
        record,
        fmt::format("engine {} does not run {} files; use engine {}", asked.engine, compiled_format(asked.model),
                    asked.is_script() ? "pytorch" : fmt::to_string(fmt::join(engines, " or "))));
  }
  if (asked.is_graph()) {
    if (!asked.pooling.empty()) set_unsupported(record, "pooling: the file's outputs are as it pools them");
    return;
  }
  if (asked.attention != "sdpa") return set_unsupported(record, kScriptAttention);
  static const std::map<std::string, Json> kOnly = {{"weights", "plain"},   {"fusion", "none"},
                                                    {"head_tokens", "all"}, {"batching", "padded"},
                                                    {"streams", 1},         {"chunk_tokens", "none"}};
  for (const auto& [name, only] : kOnly) {
    const Json value = record.requested.value(name, only);
    if (value == only || (name == "batching" && value == "bucketed")) continue;
    return set_unsupported(
        record, fmt::format("{} {}: a TorchScript file runs as compiled, on whole padded batches; use {} {}", name,
                            setting_text(value), name, setting_text(only)));
  }
  if (asked.precision.starts_with("int8")) {
    set_unsupported(record, fmt::format("precision {}: a TorchScript file cannot be quantized here", asked.precision));
  }
}

void check_padding(CaseRecord& record, const Case& asked) {
  if (const auto reason = why_no_row_lengths(asked)) return set_unsupported(record, reason->what());
  if (!asked.has_fixed_length() || !record.requested.contains("padding")) return;
  set_status_if(record, ErrorKind::kUnsupportedShape, Status::kUnsupportedShape,
                [&] { padded_row_lengths(asked.batch_size, *asked.sequence_length, asked.padding); });
}

void check_launch(CaseRecord& record, const Case& asked, const LaunchHost& host) {
  set_status_if(record, ErrorKind::kUnsupported, Status::kUnsupported, [&] { launch_of(asked, host); });
}

void check_task(CaseRecord& record, const Case& asked, Describer& describer) {
  set_status_if(record, ErrorKind::kUnsupported, Status::kUnsupported, [&] {
    if (asked.is_train()) {
      describer.check_trained_task(asked.model, asked.task);
    } else {
      describer.check_task(asked.model, asked.task);
    }
  });
}

// The first of these that objects is the answer.
void check_case(PlannedCase& planned, const ModelConfig& config, const ExpandOptions& options, Describer& describer) {
  CaseRecord& record = planned.record;
  const Case& asked = planned.asked;
  check_task(record, asked, describer);
  // No engine would change it.
  if (!record.status && asked.is_compiled()) check_generation(record, asked, config);
  if (!record.status && asked.is_compiled()) check_training(record, asked);
  if (!record.status) check_engine(record, asked, options.capabilities);
  if (!record.status) check_launch(record, asked, options.launch_host);
  if (!record.status) check_compiled(record, asked);
  if (!record.status) check_shape(record, asked, config);
  if (!record.status) check_sounds(record, asked, describer);
  if (!record.status) check_pooling(record, asked, config);
  if (!record.status) check_padding(record, asked);
  if (!record.status) check_generation(record, asked, config);
  if (!record.status) check_training(record, asked);
  if (!record.status) check_adapters(record, asked, config);
}

// The prompt in one pass, then a pass for each further token, over all beams; of an encoder-decoder model the encoder
// once, and a pass for each token. What tokens attend to is left out.
double request_flops(const Case& asked, const ModelConfig& config) {
  const auto flops = [&](Task task, std::int64_t tokens) { return forward_flops(config, task, 1, tokens); };
  const auto later = static_cast<double>((asked.new_tokens - 1) * asked.num_beams);
  if (asked.task == Task::kSeq2SeqLm) {
    const double step = flops(asked.task, 1) - flops(Task::kEmbedding, 1);
    return flops(Task::kEmbedding, asked.prompt_length) + (1 + later) * step;
  }
  return flops(asked.task, asked.prompt_length) + later * flops(asked.task, 1);
}

// Of a row; of sounds at the usual rate, of files as of synthetic ones.
std::int64_t natural_length(const Case& asked, const ModelConfig& config) {
  if (reads_images(asked.task)) return config.image_tokens;
  if (!reads_audio(asked.task) || !config.waves) return config.filled_length.value_or(kTypicalNaturalLength);
  constexpr double kUsualRate = 16'000, kMostSamples = 1e12;
  const double samples = std::min(asked.audio_seconds * kUsualRate, kMostSamples);
  return std::max<std::int64_t>(config.waves->frames(static_cast<std::int64_t>(samples)), 1);
}

// Of images with captions.
double pair_flops(const Case& asked, const ModelConfig& config) {
  const auto rows = static_cast<std::size_t>(asked.batch_size);
  const std::int64_t caption = asked.sequence_length.value_or(config.filled_length.value_or(kTypicalNaturalLength));
  return forward_flops(config, asked.task, std::vector(rows, config.image_tokens), std::vector(rows, caption));
}

double cost_of(const Case& asked, const ModelConfig& config) {
  const std::int64_t tokens =
      asked.is_generate() ? asked.prompt_length : asked.sequence_length.value_or(natural_length(asked, config));
  try {
    if (asked.is_generate()) return request_flops(asked, config);
    if (has_captions(asked.task)) return pair_flops(asked, config);
    return forward_flops(config, asked.task, asked.batch_size, tokens);
  } catch (const Error&) {
    return static_cast<double>(asked.batch_size) * static_cast<double>(tokens);  // no formula for the task
  }
}

// Training draws the head that a folder lacks, so that it does not matter what the folder was saved for.
void settle_tasks(std::vector<Json>& points, Describer& describer) {
  std::map<std::pair<std::string, bool>, Task> tasks;  // by model, and whether classes are listed
  for (Json& point : points) {
    if (point.at("task") != "auto") continue;
    const auto model = point.at("model").get<std::string>();
    if (is_generate(point)) {
      const Task usual = usual_task(describer.model(model).config);
      point["task"] = generates_text(usual) ? usual : Task::kCausalLm;
    } else if (is_train(point)) {
      point["task"] = usual_trained_task(describer.model(model).config);
    } else {
      const bool lists_classes = point.contains("labels");
      const auto [task, is_new] = tasks.try_emplace({model, lists_classes});
      if (is_new) {
        task->second = lists_classes ? task_of_model_with_classes(model, describer) : task_of_model(model, describer);
      }
      point["task"] = task->second;
    }
  }
}

// The usual length is more than some models of images and captions hold, whose texts are short.
void settle_caption_lengths(const Plan& plan, std::vector<Json>& points, Describer& describer) {
  if (!plan.has("sequence_length") || plan.at("sequence_length").is_typed()) return;
  for (Json& point : points) {
    const Case asked = case_from(point);
    if (!has_captions(asked.task) || !asked.sequence_length) continue;
    point["sequence_length"] = std::min(*asked.sequence_length, describer.model(asked.model).config.max_length);
  }
}

// The names by which a live comparison is known.
void check_arms(const std::vector<Json>& points) {
  for (const Json& point : points) {
    if (!is_live(point)) continue;
    throw refused_value("arm", point.at("arm").get<std::string>(), "it is the name of an arm of compare --live",
                        "Choose another name.");
  }
}

PlannedCase described(Json requested, Describer& describer) {
  PlannedCase planned;
  planned.asked = case_from(requested);
  planned.workload = describer.workload(requested);
  planned.record.plan_key = plan_key(requested, planned.workload);
  planned.record.requested = std::move(requested);
  return planned;
}

}  // namespace

void name_cases(std::vector<PlannedCase>& cases) {
  const int width = std::max<int>(2, static_cast<int>(std::to_string(cases.size()).size()));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].record.position = static_cast<int>(i);
    cases[i].record.id = fmt::format("c{:0{}}", i + 1, width);
  }
}

PlannedCase planned_point(Json requested, const ExpandOptions& options, Describer& describer) {
  PlannedCase planned = described(std::move(requested), describer);
  const ModelConfig& config = describer.model(planned.asked.model).config;
  planned.cost = cost_of(planned.asked, config);
  check_case(planned, config, options, describer);
  return planned;
}

std::vector<PlannedCase> expand(const Plan& plan, const ExpandOptions& options, Describer& describer) {
  std::vector<PlannedCase> cases;
  std::set<std::string> keys;
  std::vector<Json> points = points_of(plan, options);
  settle_tasks(points, describer);
  settle_caption_lengths(plan, points, describer);
  check_workload_use(plan, points);
  check_counts(plan);
  check_arms(points);
  for (Json& point : points) settle_workload(point);
  check_row_lengths(points);
  for (Json& point : points) {
    // What stays auto is found while running: memory_limit, warmup.
    options.capabilities.take_choices_of_engine(point);
    if (point.value("streams", Json()) == "threads") point["streams"] = point.at("threads");
    PlannedCase planned = planned_point(std::move(point), options, describer);
    if (keys.insert(planned.record.plan_key).second) cases.push_back(std::move(planned));
  }
  if (cases.empty()) throw Error(ErrorKind::kBadInput, "no case in the plan matches");
  name_cases(cases);
  return cases;
}

PlannedCase planned_again(const CaseRecord& record, Describer& describer) {
  PlannedCase planned = described(record.requested, describer);
  if (planned.record.plan_key != record.plan_key) {
    throw Error(ErrorKind::kBadInput, fmt::format("case {}: model '{}' or data '{}' has changed since the run started; "
                                                  "results would not be comparable. Start a new run.",
                                                  record.id, planned.asked.model, planned.asked.data));
  }
  planned.record = record;
  planned.cost = cost_of(planned.asked, describer.model(planned.asked.model).config);
  return planned;
}

std::vector<std::size_t> cheapest_first(const std::vector<PlannedCase>& cases) {
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return cases[left].cost < cases[right].cost; });
  return order;
}

}  // namespace transformeter
