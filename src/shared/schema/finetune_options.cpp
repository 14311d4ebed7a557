// Numbers that may be missing are null.
#include "schema/finetune_options.h"

namespace transformeter {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <typename T>
void read(const Json& json, const char* name, std::optional<T>& value) {
  const Json& found = json.at(name);
  value = found.is_null() ? std::nullopt : std::optional<T>(found.get<T>());
}

}  // namespace

Json to_json(const FineTuneOptions& options) {
  Json json = {{"output", options.output},
               {"epochs", options.epochs},
               {"steps", or_null(options.steps)},
               {"schedule", options.schedule},
               {"warmup_steps", options.warmup_steps},
               {"warmup_ratio", or_null(options.warmup_ratio)},
               {"evaluation_data", options.evaluation_data},
               {"evaluation_split", options.evaluation_split},
               {"evaluation_share", options.evaluation_share},
               {"evaluation_steps", or_null(options.evaluation_steps)},
               {"checkpoint_steps", or_null(options.checkpoint_steps)},
               {"checkpoint_minutes", or_null(options.checkpoint_minutes)},
               {"kept_checkpoints", options.kept_checkpoints},
               {"patience", or_null(options.patience)},
               {"merges_adapter", options.merges_adapter},
               {"resumes", options.resumes}};
  if (!options.base_model.empty()) json["base_model"] = options.base_model;
  if (!options.base_revision.empty()) json["base_revision"] = options.base_revision;
  return json;
}

FineTuneOptions finetune_options_from_json(const Json& json) {
  FineTuneOptions options;
  json.at("output").get_to(options.output);
  json.at("epochs").get_to(options.epochs);
  read(json, "steps", options.steps);
  json.at("schedule").get_to(options.schedule);
  json.at("warmup_steps").get_to(options.warmup_steps);
  read(json, "warmup_ratio", options.warmup_ratio);
  json.at("evaluation_data").get_to(options.evaluation_data);
  json.at("evaluation_split").get_to(options.evaluation_split);
  json.at("evaluation_share").get_to(options.evaluation_share);
  read(json, "evaluation_steps", options.evaluation_steps);
  read(json, "checkpoint_steps", options.checkpoint_steps);
  read(json, "checkpoint_minutes", options.checkpoint_minutes);
  json.at("kept_checkpoints").get_to(options.kept_checkpoints);
  read(json, "patience", options.patience);
  // Without adapters there is no base model, and earlier versions have no adapters.
  options.merges_adapter = json.value("merges_adapter", false);
  options.base_model = json.value("base_model", "");
  options.base_revision = json.value("base_revision", "");
  json.at("resumes").get_to(options.resumes);
  return options;
}

}  // namespace transformeter
