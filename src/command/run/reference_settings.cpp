// Derived from the table of settings, so that a new engine setting is plain here without being named.
#include "run/reference_settings.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/text.h"
#include "schema/outputs.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Of batches padded to their longest text, and the tokens of a batch of a fixed length.
struct BatchBounds {
  std::int64_t natural_rows;
  std::int64_t fixed_rows;
  std::int64_t fixed_tokens;
};

// Logits over a vocabulary take much memory and few of them are compared: small batches do.
BatchBounds batch_bounds(Task task) {
  const OutputRequest request;
  const HeadKind head = head_of(task);
  if (head == HeadKind::kMaskedTokens || generates_text(task)) return {1, 8, request.most_tokens / 4};
  return {8, request.most_inputs, request.most_tokens};
}

// Where plain is not the default. A setting that no case has is passed over.
struct EngineValue {
  std::string_view setting;
  std::string_view value;
};
constexpr EngineValue kReferenceEngine[] = {
    {"engine", "pytorch"}, {"precision", "fp32"}, {"attention", "eager"}, {"attention_mask", "on"}};

// Of what is kept: one without controls is never looked for.
constexpr int kReferenceVersion = 2;

// Parts of a workload that change neither prompts, nor the logits after them, nor first losses.
constexpr const char* kOfNoAnswer[] = {"new_tokens", "num_beams",    "learning_rate",     "gradient_accumulation",
                                       "dropout",    "weight_decay", "max_gradient_norm", "label_smoothing"};

// Nothing for `auto` and for a setting without a default: the worker does what it does when nobody asks.
std::optional<Json> plain_value(const SettingTerm& term) {
  for (const EngineValue& one : kReferenceEngine) {
    if (one.setting == term.name) return Json(one.value);
  }
  if (term.initial.empty() || term.initial == "auto") return std::nullopt;
  return parse_setting(term, split(term.initial, ',').front());
}

// Rows of a fixed length are the same for all batch sizes unless a share of padding does not come out even in a row.
std::int64_t fixed_batch_size(const Case& asked) {
  const std::int64_t length = *asked.sequence_length;
  const double padding = asked.padding * static_cast<double>(length);
  if (std::fabs(padding - std::round(padding)) > 1e-9) return asked.batch_size;
  const BatchBounds bounds = batch_bounds(asked.task);
  return std::clamp<std::int64_t>(bounds.fixed_tokens / length, 1, bounds.fixed_rows);
}

}  // namespace

Json reference_settings(const Json& requested, int cores) {
  const Case asked = case_from(requested);
  Json settings = requested;
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    const bool is_plain = term.group == SettingGroup::kEngine || term.group == SettingGroup::kLaunch;
    if (!is_plain || !settings.contains(name)) continue;
    if (const auto value = is_of_training(term) && !asked.is_train() ? std::nullopt : plain_value(term)) {
      settings[name] = *value;
    } else {
      settings.erase(name);
    }
  }
  settings["threads"] = cores;
  settings["device"] = "cpu";
  settings.erase("transfers");   // the CPU has none
  settings.erase("lora_alpha");  // a reference has no adapters
  if (asked.is_generate()) settings["num_beams"] = 1;
  if (asked.is_compiled()) settings["attention"] = asked.attention;
  if (asked.is_graph()) settings["engine"] = asked.engine;
  if (!asked.is_forward()) return settings;
  if (asked.has_fixed_length()) {
    settings["batch_size"] = fixed_batch_size(asked);
    return settings;
  }
  settings["batch_size"] = batch_bounds(asked.task).natural_rows;
  // Not every model of sounds takes a batch of several lengths.
  if (reads_audio(asked.task) && asked.has_data_file()) settings["batch_size"] = 1;
  // Synthetic texts are drawn for as many as there are; of a file's, those of a limit are the first of all.
  if (asked.data != kSyntheticData) {
    const std::int64_t most = OutputRequest().most_inputs;
    settings["limit"] = std::min(asked.limit.value_or(most), most);
  }
  return settings;
}

std::string reference_key(const Json& settings, const Json& workload, const Json& worker) {
  Json description = {{"version", kReferenceVersion}, {"worker", worker}, {"workload", workload}};
  for (const char* name : {"batch_size", "limit"}) {
    if (settings.contains(name)) description["workload"][name] = settings.at(name);
  }
  for (const char* name : kOfNoAnswer) description["workload"].erase(name);
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (term.group == SettingGroup::kEngine && settings.contains(name)) description[name] = settings.at(name);
  }
  return sha256_hex(canonical_json(description));
}

}  // namespace transformeter
