// The case a worker was asked to run, read from the requested settings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "datasets/dataset.h"
#include "schema/scenario.h"
#include "schema/task.h"

namespace transformeter {

/// Of the scenario train.
struct TrainingCase {
  std::string optimizer = "adamw";
  double learning_rate = 0;
  std::int64_t gradient_accumulation = 1;
  bool gradient_checkpointing = false;
  double weight_decay = 0;
  std::optional<double> max_gradient_norm;  // nothing: no clipping
  double label_smoothing = 0;
  bool has_dropout = true;
  std::int64_t stride = 128;
  std::int64_t loader_threads = 1;
  bool deterministic = false;
};

struct WorkerCase {
  std::string model;
  Task task = Task::kSequenceClassification;
  Scenario scenario = Scenario::kBatch;
  std::string data;  // a file, "bundled" or "synthetic"; empty: texts come with `predict`
  DataOptions data_options;
  TrainingCase training;
  std::string length_distribution;  // of synthetic texts of natural lengths
  double padding = 0;               // share, of a fixed length
  std::string pooling;              // of the task embedding: "mean", "cls" or "last"; empty: the model's own
  std::string inputs;               // of a TorchScript file
  std::int64_t batch_size = 1;
  std::optional<std::int64_t> sequence_length;  // nothing: natural
  std::int64_t prompt_length = 0;               // of the scenario generate
  std::int64_t new_tokens = 0;                  // likewise, at least 1
  std::optional<std::int64_t> limit;            // nothing: all
  std::uint64_t seed = 0;
  std::string precision;
  std::string engine = "pytorch";
  std::string attention;
  bool prepacked = false;
  bool fused = false;
  bool needed_tokens = false;  // setting head_tokens
  std::string batching = "padded";
  std::optional<std::int64_t> bucket_window;  // nothing: all examples
  std::int64_t streams = 1;
  std::optional<std::int64_t> chunk_tokens;  // nothing: no bound
  bool attention_mask = true;
  bool graphs = false;     // passes recorded once and replayed
  bool transfers = false;  // inputs and outputs travel within each sample
  std::string device;

  bool is_generate() const { return scenario == Scenario::kGenerate; }
  bool is_train() const { return scenario == Scenario::kTrain; }
  bool is_finetune() const { return scenario == Scenario::kFinetune; }
  bool has_data() const { return !data.empty(); }
};

/// Throws Error(kProtocol) when a setting is missing or malformed, Error(kBadInput) for an unknown task or scenario.
/// What shapes a cycle, or prompts, may be missing without data, and where the scenario is another.
WorkerCase worker_case_from(const Json& settings);

}  // namespace transformeter
