// Keys are SHA-256 of canonical JSON.
#include "run/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "datasets/bundled_data.h"
#include "datasets/classification.h"
#include "datasets/data_of_task.h"
#include "datasets/dataset.h"
#include "datasets/label_match.h"
#include "datasets/length_distribution.h"
#include "datasets/media_data.h"
#include "datasets/vocabulary_check.h"
#include "images/image_processor_options.h"
#include "run/data_location.h"
#include "run/model_location.h"
#include "schema/settings.h"
#include "spec/checkpoint.h"
#include "spec/foreign_architecture.h"
#include "spec/script_inputs.h"
#include "spec/tensor_inventory.h"
#include "tasks/image_inputs.h"
#include "tasks/prompts.h"
#include "tasks/sound_inputs.h"
#include "tasks/whole_text.h"
#include "tasks/zero_shot.h"
#include "tokenizers/tokenizer_files.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// Chat templates are not among them: no workload is a conversation.
std::vector<const char*> description_files() {
  std::vector<const char*> files(kReadVocabularies.begin(), kReadVocabularies.end());
  files.insert(files.end(), kTokenizerSettings.begin(), kTokenizerSettings.end());
  files.insert(files.end(), {kUnreadVocabulary, "config.json", "modules.json", "generation_config.json",
                             "1_Pooling/config.json", kImageProcessorFile, kProcessorFile});
  return files;
}

Json hashes_of_folder(const Checkpoint& checkpoint) {
  Json hashes = Json::object();
  for (const char* name : model_description_files()) {
    const fs::path file = checkpoint.folder / name;
    std::error_code code;
    if (fs::exists(file, code)) hashes[name] = sha256_file(file);
  }
  for (const std::string& name : checkpoint.config.sentence.files) hashes[name] = sha256_file(checkpoint.folder / name);
  for (const WeightsFile& file : checkpoint.files) {
    const bool is_whole = checkpoint.files.size() == 1;
    hashes[is_whole ? "weights" : file.path.lexically_relative(checkpoint.folder).string()] = sha256_file(file.path);
  }
  return hashes;
}

// The worker of each case reads it again; here what is wrong with it is said before one starts. A family that only its
// worker knows may bring a tokenizer of its own; a model of texts and images may lack what one kind needs.
void check_inputs(const Checkpoint& checkpoint) {
  if (is_foreign(*checkpoint.config.architecture)) return;
  if (has_two_towers(*checkpoint.config.architecture)) return;
  if (checkpoint.config.image) {
    model_image_processor(checkpoint.folder.string(), checkpoint.config, true);
    return;
  }
  if (checkpoint.config.waves) {
    model_feature_extractor(checkpoint.folder.string(), checkpoint.config, true);
    return;
  }
  check_vocabulary(*load_tokenizer(checkpoint.folder), checkpoint.config, checkpoint.folder);
}

bool is_in_key(const SettingTerm& term, const Json& requested) {
  if (term.identity != SettingIdentity::kUnlessInitial) return term.identity == SettingIdentity::kAlways;
  const auto value = requested.find(term.name);
  return value != requested.end() && setting_text(*value) != term.initial;
}

bool in_group(const SettingTerm& term, std::initializer_list<SettingGroup> groups) {
  return std::find(groups.begin(), groups.end(), term.group) != groups.end();
}

}  // namespace

std::span<const char* const> model_description_files() {
  static const std::vector<const char*> kFiles = description_files();
  return kFiles;
}

const ModelDescription& Describer::model(const std::string& model) {
  const auto found = models_.find(model);
  if (found != models_.end()) return found->second;
  ModelDescription description;
  if (architectures_.has_preset(model)) {
    description.config = architectures_.preset(model);
    description.identity = {{"preset", model}, {"config", to_json(description.config)}, {"weights", "seeded"}};
  } else if (std::error_code code; is_compiled_file(model) && fs::is_regular_file(model, code)) {
    if (compiled_format(model) == "OpenVINO" && weights_beside(model).empty()) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} needs the file of its weights beside it: {}", model,
                                                    fs::path(model).replace_extension(".bin").string()));
    }
    description.config = compiled_config(model);
    description.identity = {{"weights", description.config.family()}, {"sha256", sha256_file(model)}};
    for (const fs::path& beside : weights_beside(model)) {
      description.identity["sha256_" + beside.filename().string()] = sha256_file(beside);
    }
  } else {
    const ModelLocation place = locate_model(model);
    if (!fs::is_directory(place.path, code)) throw unknown_model(model, architectures_.preset_names(), use_);
    const Checkpoint checkpoint = open_checkpoint(place.path, architectures_);
    check_inputs(checkpoint);
    description.config = checkpoint.config;
    description.identity = {{"weights", "checkpoint"}, {"sha256", hashes_of_folder(checkpoint)}};
    if (place.pinned) {
      description.identity["repository"] = place.pinned->repository.name;
      description.identity["commit"] = place.pinned->revision;
    }
  }
  return models_.emplace(model, std::move(description)).first->second;
}

bool Describer::needs_checkpoint(const std::string& model_name, Task task) {
  const ModelDescription& description = model(model_name);
  transformeter::check_task(description.config, task);
  // The tensors of a family that only its worker knows are the worker's to check.
  if (is_foreign(*description.config.architecture)) return false;
  draw_blueprint(description.config, task);
  return !architectures_.has_preset(model_name);
}

void Describer::check_trained_task(const std::string& model_name, Task task) {
  if (!needs_checkpoint(model_name, task)) return;
  match_for_training(open_checkpoint(locate_model(model_name).path, architectures_), task, std::nullopt);
}

void Describer::check_task(const std::string& model_name, Task task) {
  if (!needs_checkpoint(model_name, task)) return;
  const Checkpoint checkpoint = open_checkpoint(locate_model(model_name).path, architectures_);
  transformeter::check_task(checkpoint, task);
  match_checkpoint(checkpoint, task);
}

const Describer::KnownData& Describer::known_data(const Case& asked) {
  const DataOptions options = data_options(asked);
  const std::string& distribution = asked.length_distribution;
  const std::string key =
      canonical_json({asked.data, options.text_column, options.text_pair_column, options.label_column, options.labels,
                      options.split, options.has_label_lists, options.has_target_texts, distribution,
                      modality_of(asked.task), asked.task == Task::kSpeechRecognition, has_captions(asked.task)});
  const auto found = data_.find(key);
  if (found != data_.end()) return found->second;
  return data_.emplace(key, known(asked)).first->second;
}

Describer::KnownData Describer::known(const Case& asked) {
  switch (modality_of(asked.task)) {
    case Modality::kImage:
    case Modality::kAudio:
      return known_files(asked);
    case Modality::kText:
      break;
  }
  return known_texts(asked);
}

Describer::KnownData Describer::known_files(const Case& asked) {
  KnownData known;
  DataOptions options = data_options(asked);
  if (asked.data == kSyntheticData) {
    known.description = {{"synthetic", true}};
  } else {
    const DataLocation place = locate_data(asked.data, asked.split);
    options.split = place.split;
    known.data = load_data_of_task(place.path, asked.task, options);
    known.description = {{"sha256", sha256_of_media(*known.data)}};
  }
  if (!options.labels.empty()) known.description["labels_sha256"] = sha256_of_label_list(options.labels);
  if (!known.data) return known;
  known.examples = static_cast<std::int64_t>(known.data->examples.size());
  known.has_transcripts = has_transcripts(*known.data);
  known.data->examples.clear();
  return known;
}

Describer::KnownData Describer::known_texts(const Case& asked) const {
  DataOptions options = data_options(asked);
  const std::string& distribution = asked.length_distribution;
  KnownData known;
  known.description = {{"bundled_vocabulary_sha256", sha256_file(bundled_vocabulary(data_directory_))}};
  if (asked.data == kSyntheticData) {
    known.description["synthetic"] = true;
    if (!distribution.empty()) {
      const std::string file = parse_length_distribution(distribution).file;
      if (!file.empty()) known.description["lengths_sha256"] = load_dataset(file).sha256;
    }
  } else {
    const DataLocation place = locate_data(asked.data, asked.split);
    options.split = place.split;
    known.data =
        load_dataset(asked.data == kBundledData ? bundled_texts(data_directory_) : fs::path(place.path), options);
    known.data->examples.clear();
    known.description["sha256"] = known.data->sha256;
    if (!options.labels.empty()) known.description["labels_sha256"] = sha256_of_label_list(options.labels);
  }
  return known;
}

const Json& Describer::data(const Case& asked) {
  return known_data(asked).description;
}

// Only what would be scored: rows of a fixed length hold several texts, and the bundled texts serve any model.
void Describer::check_labels(const Case& asked) {
  if (is_zero_shot(asked.task)) return;  // the classes are the data's own, or listed
  const bool is_scored =
      is_scored_in_runs(asked.task) && asked.is_forward() && !asked.has_fixed_length() && asked.data != kBundledData;
  if (!is_scored || architectures_.has_preset(asked.model)) return;
  const KnownData& known = known_data(asked);
  if (!known.data) return;
  DataSet data = *known.data;
  match_labels(data, model(asked.model).config, asked.data);
}

// A list that numbers no labels would change the key alone.
void Describer::check_listed_classes(const Case& asked) {
  if (asked.labels.empty() || is_zero_shot(asked.task) || !is_scored_in_runs(asked.task) || !asked.is_forward()) return;
  const KnownData& known = known_data(asked);
  if (!known.data || known.data->label_count > 0) return;
  throw refused_value("labels", asked.labels, fmt::format("'{}' has no labels for them", asked.data),
                      "Leave the list out, or " + std::string(needed_class(asked.task).hint));
}

void Describer::check_zero_shot(const Case& asked) {
  if (!is_zero_shot(asked.task) || !asked.is_forward()) return;
  zero_shot_classes(asked.labels, known_data(asked).data.value_or(DataSet()));
  check_prompt_template(asked.prompt_template);
}

// All images of a cycle lie in memory; those that are trained on come and go.
void Describer::check_images(const Case& asked) {
  const ModelConfig& config = model(asked.model).config;
  if (!reads_images(asked.task) || !config.image || !asked.is_forward()) return;
  const KnownData& known = known_data(asked);
  const std::int64_t all =
      known.data ? std::min(known.examples, asked.limit.value_or(known.examples)) : asked.batch_size;
  check_image_room(asked, config, all);
}

std::int64_t Describer::sound_samples(const Case& asked) {
  const ModelConfig& config = model(asked.model).config;
  const bool is_trained = !architectures_.has_preset(asked.model);
  const std::string place = is_trained ? locate_model(asked.model).path : asked.model;
  return synthetic_samples(asked, model_feature_extractor(place, config, is_trained), *config.waves);
}

void Describer::check_sounds(const Case& asked) {
  if (!reads_audio(asked.task) || !model(asked.model).config.waves || asked.has_data_file()) return;
  if (!asked.is_forward() && !asked.is_train()) return;
  const std::int64_t samples = sound_samples(asked);
  if (asked.is_forward()) check_sound_room(asked, samples);  // a training keeps a few
}

// What a model says is text only with its vocabulary, and it learns only from a loss.
void Describer::check_transcripts(const Case& asked) {
  if (!reads_audio(asked.task) || architectures_.has_preset(asked.model)) return;
  const bool is_learnt = asked.is_train() && asked.task == Task::kSpeechRecognition;
  if (is_learnt) model_ctc(model(asked.model).config);
  const bool reads_them = asked.is_forward() || (asked.is_train() && asked.has_data_file());
  if (!reads_them || !known_data(asked).has_transcripts) return;
  const std::string place = locate_model(asked.model).path;
  const CtcVocabulary vocabulary = model_ctc_vocabulary(place, model(asked.model).config, true);
  if (is_learnt) check_blank(vocabulary, model(asked.model).config, place);
}

Json Describer::workload(const Json& requested) {
  const Case asked = case_from(requested);
  Json description = Json::object();
  for (const SettingTerm& term : setting_terms()) {
    const auto value = requested.find(term.name);
    if (term.group == SettingGroup::kWorkload && value != requested.end() && is_in_key(term, requested)) {
      description[std::string(term.name)] = *value;
    }
  }
  description["model"] = model(asked.model).identity;
  description["data"] = data(asked);
  if (asked.is_generate()) description["prompts"] = kMeasuredPrompts;
  check_labels(asked);
  check_listed_classes(asked);
  check_zero_shot(asked);
  check_images(asked);
  check_transcripts(asked);
  return description;
}

std::string text_key(const Json& workload) {
  Json description = workload;
  description.erase("batch_size");
  return sha256_hex(canonical_json(description));
}

std::string workload_key(const Json& workload, std::optional<std::int64_t> cut_examples) {
  Json description = workload;
  if (cut_examples) description["cycle_examples"] = *cut_examples;
  return sha256_hex(canonical_json(description));
}

std::string case_key(const std::string& workload_key, const Json& requested, const Json& effective,
                     const std::map<std::string, std::string>& environment) {
  using enum SettingGroup;
  Json description = {{"workload_key", workload_key}};
  for (const SettingTerm& term : setting_terms()) {
    if (!in_group(term, {kEngine, kLaunch, kScenario, kDevice})) continue;
    const std::string name(term.name);
    // No scenario is the scenario batch, as in records from before there were others.
    if (name == "scenario" && scenario_of(requested) == Scenario::kBatch) continue;
    if (!is_train(requested) && is_of_training(term)) continue;  // keys are as they were before there were these
    if (!is_in_key(term, requested)) continue;
    const bool as_requested = name == "memory_limit" || !effective.contains(name);
    description[name] = as_requested ? requested.value(name, Json()) : effective.at(name);
  }
  description["environment"] = environment;
  description["instruction_set"] = effective.value("instruction_set", Json());
  // Where a trial chose, another process may take another kernel: that is the same case.
  if (requested.value("attention", Json()) != "trial") {
    description["attention_kernel"] = effective.value("attention_kernel", Json());
    for (const char* read_back : {"attention_kernel_prefill", "attention_kernel_decode"}) {
      if (effective.contains(read_back)) description[read_back] = effective.at(read_back);
    }
  }
  return sha256_hex(canonical_json(description));
}

}  // namespace transformeter
