// Product of axes, resolution of `auto`, and the checks that need no worker.
#include "run/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "datasets/cycle.h"
#include "datasets/synthetic.h"
#include "run/launch_settings.h"
#include "run/model_task.h"
#include "run/workload_settings.h"
#include "schema/settings.h"
#include "spec/formulas.h"
#include "spec/script_inputs.h"
#include "tasks/prompts.h"

namespace transformeter {
namespace {

// Stands for a natural length where only the order of cases depends on it: a sentence's typical token count.
constexpr std::int64_t kTypicalNaturalLength = 32;

// Weights in fp32 learn what bf16 would round away, so that is what `auto` means of a training.
constexpr const char* kTrainedInBf16 = "bf16_autocast";

bool has_native_bf16(const Capabilities& capabilities, const std::string& device) {
  return !capabilities.why_not("precision", "bf16") && capabilities.is_native("precision", "bf16", device);
}

// What the engine chooses stays auto. Of precisions all are taken that `auto` may mean on any device; the point's own
// device decides once it is known.
std::vector<Json> resolved_values(const SettingTerm& term, const Json& value, const Json& point,
                                  const ExpandOptions& options) {
  if (value != "auto") return {value};
  const Capabilities& capabilities = options.capabilities;
  if (term.name == "threads") return {options.cores};
  if (term.name == "precision") return {"fp32", is_train(point) ? kTrainedInBf16 : "bf16"};
  if (term.name == "device") return {capabilities.best_device()};
  return {value};
}

// Whether `auto` stood for a precision that the point's device has no units for.
bool is_emulated_by_auto(const Plan& plan, const Json& point, const Capabilities& capabilities) {
  const auto precision = point.find("precision");
  if (precision == point.end() || (*precision != "bf16" && *precision != kTrainedInBf16)) return false;
  const std::vector<Json>& asked = plan.at("precision").values;
  const bool is_asked = std::find(asked.begin(), asked.end(), *precision) != asked.end();
  return !is_asked && !has_native_bf16(capabilities, point.value("device", "cpu"));
}

// All points of the product, later axes varying fastest; settings of the run itself are no part of a case.
std::vector<Json> points_of(const Plan& plan, const ExpandOptions& options) {
  std::vector<Json> points{Json::object()};
  for (const SettingTerm& term : setting_terms()) {
    if (term.group == SettingGroup::kRun || !plan.has(term.name)) continue;
    std::vector<Json> longer;
    for (const Json& point : points) {
      for (const Json& value : plan.at(term.name).values) {
        for (const Json& resolved : resolved_values(term, value, point, options)) {
          longer.push_back(point);
          longer.back()[std::string(term.name)] = resolved;
        }
      }
    }
    points = std::move(longer);
  }
  std::erase_if(points, [&](const Json& point) { return is_emulated_by_auto(plan, point, options.capabilities); });
  // What stays auto is found while running: memory_limit, warmup.
  for (Json& point : points) options.capabilities.take_choices_of_engine(point);
  return points;
}

void set_status(CaseRecord& record, Status status, const std::string& reason) {
  record.status = status;
  record.status_reason = reason;
}

void check_capabilities(CaseRecord& record, const Capabilities& capabilities) {
  if (const auto reason = capabilities.why_not_all(record.requested)) set_status(record, Status::kUnsupported, *reason);
}

void check_shape(CaseRecord& record, const ModelConfig& config) {
  const auto length = fixed_length_of(record.requested);
  if (!length || *length <= config.max_length) return;
  set_status(record, Status::kUnsupportedShape,
             fmt::format("sequence_length {} exceeds the {} positions of model '{}'", *length, config.max_length,
                         record.requested.at("model").get<std::string>()));
}

// Text is made by a causal model, pass by pass over a cache that its layers must hand out.
void check_generation(CaseRecord& record, const ModelConfig& config) {
  const Json& requested = record.requested;
  if (!is_generate(requested)) return;
  if (const auto task = requested.at("task").get<Task>(); task != Task::kCausalLm) {
    return set_status(record, Status::kUnsupported,
                      fmt::format("scenario generate needs task {}; task {} does not generate text",
                                  name_of(Task::kCausalLm), name_of(task)));
  }
  if (is_script_file(requested.at("model").get<std::string>())) {
    return set_status(record, Status::kUnsupported,
                      "scenario generate needs a key-value cache, which TorchScript files do not expose");
  }
  try {
    check_generation_room(requested.at("prompt_length"), requested.at("new_tokens"), config.max_length);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupportedShape) throw;
    set_status(record, Status::kUnsupportedShape, error.what());
  }
}

void check_training(CaseRecord& record) {
  const Json& requested = record.requested;
  if (!is_train(requested)) return;
  const auto reason = [&](std::string_view text) { set_status(record, Status::kUnsupported, std::string(text)); };
  if (is_script_file(requested.at("model").get<std::string>())) {
    return reason("scenario train: a TorchScript file cannot be trained; use a model folder or a preset");
  }
  const bool is_fixed = requested.at("sequence_length").is_number();
  if (!is_fixed && requested.at("task").get<Task>() == Task::kCausalLm) {
    return reason("scenario train with task causal_lm needs a fixed sequence_length");
  }
  if (!is_fixed && requested.at("data") == kSyntheticData) {
    return reason("scenario train with synthetic data needs a fixed sequence_length");
  }
}

void check_streams(CaseRecord& record) {
  const Json streams = record.requested.value("streams", Json(1));
  const Json threads = record.requested.at("threads");
  if (!streams.is_number() || !threads.is_number() || streams == 1) return;
  const auto reason = [&](std::string_view text) { set_status(record, Status::kUnsupported, std::string(text)); };
  if (threads.get<std::int64_t>() % streams.get<std::int64_t>() != 0) {
    return reason(
        fmt::format("{1} threads cannot be divided evenly among {0} streams", streams.dump(), threads.dump()));
  }
  if (record.requested.value("pinning", Json()) == "threads") {
    reason("pinning threads does not support several streams; use pinning cores");
  }
}

void check_engine(CaseRecord& record, const Capabilities& capabilities) {
  if (const auto reason = capabilities.why_not_together(record.requested)) {
    set_status(record, Status::kUnsupported, *reason);
    return;
  }
  if (const auto reason = why_not_batched(record.requested)) {
    set_status(record, Status::kUnsupported, *reason);
    return;
  }
  check_streams(record);
}

// What is compiled into a file cannot be exchanged, nor its batches cut.
void check_script(CaseRecord& record) {
  if (!is_script_file(record.requested.at("model").get<std::string>())) return;
  parse_script_inputs(record.requested.at("inputs").get<std::string>());
  if (record.requested.at("attention") != "sdpa") return set_status(record, Status::kUnsupported, kScriptAttention);
  static const std::map<std::string, Json> kOnly = {{"weights", "plain"},   {"fusion", "none"},
                                                    {"head_tokens", "all"}, {"batching", "padded"},
                                                    {"streams", 1},         {"chunk_tokens", "none"}};
  for (const auto& [name, only] : kOnly) {
    const Json asked = record.requested.value(name, only);
    if (asked == only || (name == "batching" && asked == "bucketed")) continue;
    return set_status(record, Status::kUnsupported,
                      fmt::format("{} {}: a TorchScript file runs as compiled, on whole padded batches; use {} {}",
                                  name, setting_text(asked), name, setting_text(only)));
  }
  const auto precision = record.requested.at("precision").get<std::string>();
  if (precision.rfind("int8", 0) == 0) {
    set_status(record, Status::kUnsupported,
               fmt::format("precision {}: a TorchScript file cannot be quantized here", precision));
  }
}

void check_padding(CaseRecord& record) {
  const auto padding = record.requested.find("padding");
  if (padding == record.requested.end()) return;
  try {
    padded_row_lengths(record.requested.at("batch_size"), record.requested.at("sequence_length"), *padding);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupportedShape) throw;
    set_status(record, Status::kUnsupportedShape, error.what());
  }
}

void check_launch(CaseRecord& record, const LaunchHost& host) {
  try {
    launch_of(record.requested, host);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    set_status(record, Status::kUnsupported, error.what());
  }
}

void check_task(CaseRecord& record, Describer& describer) {
  try {
    const Json& requested = record.requested;
    if (is_train(requested)) {
      describer.check_trained_task(requested.at("model"), requested.at("task"));
    } else {
      describer.check_task(requested.at("model"), requested.at("task"));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    set_status(record, Status::kUnsupported, error.what());
  }
}

// The prompt in one pass, then a pass for each further token. The further tokens' attention to what came before is left
// out: it does not change the order.
double request_flops(const Json& requested, const ModelConfig& config) {
  const auto task = requested.at("task").get<Task>();
  const auto steps = requested.at("new_tokens").get<double>() - 1;
  return forward_flops(config, task, 1, requested.at("prompt_length")) + steps * forward_flops(config, task, 1, 1);
}

double cost_of(const CaseRecord& record, const ModelConfig& config) {
  const Json& requested = record.requested;
  const std::int64_t tokens = is_generate(requested) ? requested.at("prompt_length").get<std::int64_t>()
                                                     : fixed_length_of(requested).value_or(kTypicalNaturalLength);
  const std::int64_t batch = batch_size_of(requested);
  try {
    if (is_generate(requested)) return request_flops(requested, config);
    return forward_flops(config, requested.at("task").get<Task>(), batch, tokens);
  } catch (const Error&) {
    return static_cast<double>(batch) * static_cast<double>(tokens);  // no formula for the task
  }
}

// Training draws the head that a folder lacks, so that it does not matter what the folder was saved for.
void settle_tasks(std::vector<Json>& points, Describer& describer) {
  std::map<std::string, Task> tasks;  // by model
  for (Json& point : points) {
    if (point.at("task") != "auto") continue;
    const auto model = point.at("model").get<std::string>();
    if (is_generate(point)) {
      point["task"] = Task::kCausalLm;
    } else if (is_train(point)) {
      point["task"] = usual_task(describer.model(model).config);
    } else {
      const auto [task, is_new] = tasks.try_emplace(model);
      if (is_new) task->second = task_of_model(model, describer);
      point["task"] = task->second;
    }
  }
}

void name_cases(std::vector<PlannedCase>& cases) {
  const int width = std::max<int>(2, static_cast<int>(std::to_string(cases.size()).size()));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].record.position = static_cast<int>(i);
    cases[i].record.id = fmt::format("c{:0{}}", i + 1, width);
  }
}

}  // namespace

std::vector<PlannedCase> expand(const Plan& plan, const ExpandOptions& options, Describer& describer) {
  std::vector<PlannedCase> cases;
  std::set<std::string> keys;
  std::vector<Json> points = points_of(plan, options);
  settle_tasks(points, describer);
  check_workload_use(plan, points);
  for (Json& point : points) {
    settle_workload(point);
    if (point.value("streams", Json()) == "threads") point["streams"] = point.at("threads");
    PlannedCase planned;
    planned.record.requested = std::move(point);
    planned.workload = describer.workload(planned.record.requested);
    planned.record.plan_key = plan_key(planned.record.requested, planned.workload);
    if (!keys.insert(planned.record.plan_key).second) continue;
    const ModelConfig& config = describer.model(planned.record.requested.at("model")).config;
    planned.cost = cost_of(planned.record, config);
    check_task(planned.record, describer);
    if (!planned.record.status) check_capabilities(planned.record, options.capabilities);
    if (!planned.record.status) check_engine(planned.record, options.capabilities);
    if (!planned.record.status) check_launch(planned.record, options.launch_host);
    if (!planned.record.status) check_script(planned.record);
    if (!planned.record.status) check_shape(planned.record, config);
    if (!planned.record.status) check_padding(planned.record);
    if (!planned.record.status) check_generation(planned.record, config);
    if (!planned.record.status) check_training(planned.record);
    cases.push_back(std::move(planned));
  }
  if (cases.empty()) throw Error(ErrorKind::kBadInput, "no case in the plan matches");
  name_cases(cases);
  return cases;
}

PlannedCase planned_again(const CaseRecord& record, Describer& describer) {
  PlannedCase planned;
  planned.record = record;
  planned.workload = describer.workload(record.requested);
  if (plan_key(record.requested, planned.workload) != record.plan_key) {
    throw Error(ErrorKind::kBadInput, fmt::format("case {}: model '{}' or data '{}' has changed since the run started; "
                                                  "results would not be comparable. Start a new run.",
                                                  record.id, record.requested.at("model").get<std::string>(),
                                                  record.requested.at("data").get<std::string>()));
  }
  planned.cost = cost_of(record, describer.model(record.requested.at("model")).config);
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
