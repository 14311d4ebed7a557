// The keys by which results are found again and compared; a case's plan_key is in schema/record.h, where readers of
// results find it too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "datasets/dataset.h"
#include "run/unknown_model.h"
#include "schema/case.h"
#include "spec/architecture.h"

namespace transformeter {

/// A model as known before a worker starts.
struct ModelDescription {
  ModelConfig config;
  // A preset's name and configuration, seeded; or the SHA-256 of each file of a folder, with repository and commit of a
  // model of the hub.
  Json identity;
};

/// Describes models and data by content. Hashes each file once; not thread-safe.
class Describer {
 public:
  /// `data_directory` holds the bundled texts; `architectures` are the families that the worker knows; `use` decides
  /// what an error about an unknown model offers.
  explicit Describer(std::filesystem::path data_directory, Architectures architectures = builtin_architectures(),
                     ModelUse use = ModelUse::kMeasurement)
      : data_directory_(std::move(data_directory)), architectures_(std::move(architectures)), use_(use) {}

  /// The families that a worker knows beside those built in. What is described already stays.
  void learn(Architectures architectures) { architectures_ = std::move(architectures); }

  /// `model` is a preset's name, a folder, or "org/name@COMMIT" of the hub's cache. Throws unknown_model for a name
  /// that is none of them; Error(kBadInput) for a checkpoint or a tokenizer that is broken or does not fit the
  /// checkpoint; Error(kUnsupported) for what is understood but not computed.
  const ModelDescription& model(const std::string& model);
  /// Throws like model(), and when the folder's tensors do not serve `task`: Error(kUnsupported) for a task the
  /// architecture has no head for, Error(kBadInput) for missing, surplus or misshapen tensors.
  void check_task(const std::string& model, Task task);
  /// The same of a training, which draws a head that the folder lacks.
  void check_trained_task(const std::string& model, Task task);
  /// Samples of each synthetic sound of a case whose model reads sounds. Errors as synthetic_samples and
  /// model_feature_extractor.
  std::int64_t sound_samples(const Case& asked);
  /// Throws as sound_samples and check_sound_room. Cases that read no sounds, or files of them, pass.
  void check_sounds(const Case& asked);
  /// SHA-256 of the data file, of the list of its classes, of the file whose lengths synthetic texts have, and of the
  /// bundled vocabulary that serves models without a tokenizer of their own. Reads the files whole, so that what is
  /// wrong with them is said before anything starts: Error(kBadInput) as "FILE:LINE".
  const Json& data(const Case& asked);

  /// What is measured, as far as it is known before anything starts: model, data and every workload setting of
  /// `requested`. Throws Error(kBadInput) also where a case would be scored on labels outside its checkpoint's classes,
  /// or on transcripts without its vocabulary, and for zero-shot classification without names of classes.
  Json workload(const Json& requested);

 private:
  /// Whether a folder's tensors are to be looked at.
  bool needs_checkpoint(const std::string& model, Task task);

  struct KnownData {
    Json description;
    std::optional<DataSet> data;  // without the examples; nothing for synthetic ones
    std::int64_t examples = 0;    // of it
    bool has_transcripts = false;
  };
  KnownData known(const Case& asked);
  KnownData known_texts(const Case& asked) const;
  static KnownData known_files(const Case& asked);
  const KnownData& known_data(const Case& asked);
  void check_labels(const Case& asked);
  void check_listed_classes(const Case& asked);
  void check_zero_shot(const Case& asked);
  void check_images(const Case& asked);
  void check_transcripts(const Case& asked);

  std::filesystem::path data_directory_;
  Architectures architectures_;
  ModelUse use_;
  std::map<std::string, ModelDescription> models_;
  std::map<std::string, KnownData> data_;
};

/// The files of a model's folder, beside its weights, that decide what the model computes, by their names there.
std::span<const char* const> model_description_files();

/// Of what was measured. `cut_examples`: to how many the command cut the cycle; nothing when it did not.
std::string workload_key(const Json& workload, std::optional<std::int64_t> cut_examples);

/// Of the texts and the model that reads them: alike for all batch sizes.
std::string text_key(const Json& workload);

/// Of the case as it ran: the workload and, for each engine, launch, scenario and device setting, the value read back
/// from the worker, or the requested one where it reports none; and the attention kernel that ran. memory_limit counts
/// as requested, since what `auto` comes to changes with the free memory. `environment`: the variables the worker was
/// started with that change how its libraries run.
std::string case_key(const std::string& workload_key, const Json& requested, const Json& effective,
                     const std::map<std::string, std::string>& environment);

}  // namespace transformeter
