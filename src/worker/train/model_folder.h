// Writes a trained model as a folder that AutoModelFor… and AutoTokenizer of Hugging Face Transformers, and this
// program, can load.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "spec/model_config.h"
#include "train/named_tensor.h"

namespace transformeter {

struct TrainedModel {
  ModelConfig config;  // with the labels of the classes that were learnt
  Task task = Task::kSequenceClassification;
  std::vector<NamedTensor> weights;  // of the task's inventory, all of one type; tied ones once
  /// The folder of the checkpoint that the training began with: its files of tokenizer, image processor or feature
  /// extractor go along. Empty: a preset.
  std::filesystem::path checkpoint;
  /// The vocab.txt used for tokenization, if it is not part of the checkpoint.
  std::optional<std::filesystem::path> vocabulary;
  WrittenValue written = {};  // null: the weights as they are
};

/// Writes model.safetensors, config.json and the tokenizer's files (a vocab.txt alone with a tokenizer_config.json that
/// says how it is used here), or of a model that reads images preprocessor_config.json, as `folder`, which appears
/// whole and takes the place of an older one (see AtomicFolder). It is read back before, so that what is there can be
/// read. Throws Error(kEnvironment) when it cannot be written, and Error(kBadInput) when a tokenizer's file cannot be
/// read; an older folder then stays.
void write_model_folder(const std::filesystem::path& folder, const TrainedModel& model);

}  // namespace transformeter
