// What a case was asked to do: the values of its settings. Text, JSON, help and documentation come from the table of
// settings (schema/settings.h), whose rows name these members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "schema/scenario.h"
#include "schema/task.h"

namespace transformeter {

/// Values of the setting `data` that name no file: the texts that come with the program, and random tokens.
inline constexpr const char* kBundledData = "bundled";
inline constexpr const char* kSyntheticData = "synthetic";

/// What a model's name says of a file that holds the whole model, compiled: "TorchScript" (.pt, .ts, .torchscript),
/// "ONNX" (.onnx) or "OpenVINO" (.xml, its weights in .bin beside it); empty: none of them.
std::string_view compiled_format(std::string_view model);
/// Whether `text` is one of those words.
bool is_compiled_format(std::string_view text);
/// Whether LibTorch runs it, and whether another library does.
bool is_script_file(std::string_view model);
bool is_graph_file(std::string_view model);
inline bool is_compiled_file(std::string_view model) {
  return !compiled_format(model).empty();
}

/// A count, or the word that stands in its place; an empty word where nothing was asked.
using CountOrWord = std::variant<std::string, std::int64_t>;

/// A setting that a case lacks has the value here. "Nothing" is any word in a number's place, such as natural or auto.
struct Case {
  // What is asked of which model.
  std::string model;
  Task task = Task::kSequenceClassification;
  Scenario scenario = Scenario::kBatch;
  std::string pooling;  // of the task embedding: "mean", "cls" or "last"; empty: the model's own
  std::string inputs;   // of a compiled file
  std::string prompt_template = "a photo of a {}";  // of zero-shot classification: around the name of a class
  std::uint64_t seed = 0;

  // Texts.
  std::string data;  // a file, or one of the words above; empty: texts come with `predict`
  std::string text_column;
  std::string text_pair_column;
  std::string label_column;
  std::string labels;
  std::string split;
  std::optional<std::int64_t> limit;  // nothing: all
  std::string length_distribution;    // of synthetic texts; empty: rows of a fixed length are full

  // Shape of batches and requests.
  std::int64_t batch_size = 1;
  std::optional<std::int64_t> sequence_length;  // nothing: natural
  std::optional<std::int64_t> max_length;       // tokens of a text, where lengths are natural; nothing: the model's
  double padding = 0;                           // share, of a fixed length
  double audio_seconds = 5;                     // of each synthetic sound
  std::int64_t prompt_length = 0;               // of the scenario generate
  std::int64_t new_tokens = 0;                  // likewise, at least 1
  std::int64_t num_beams = 1;                   // likewise; 1: greedy

  // Training.
  std::string optimizer = "adamw";
  double learning_rate = 0;
  std::int64_t gradient_accumulation = 1;
  bool gradient_checkpointing = false;
  std::optional<std::int64_t> lora_rank;  // of adapters; nothing: all weights are trainable
  double lora_alpha = 8;                  // adapters are scaled by alpha / rank
  std::string lora_targets;               // modules with an adapter; empty: the default ones
  double weight_decay = 0;
  std::optional<double> max_gradient_norm;  // nothing: no clipping
  double label_smoothing = 0;
  bool has_dropout = true;
  std::int64_t stride = 128;
  std::int64_t loader_threads = 1;
  bool deterministic = false;
  std::optional<double> price_per_hour;  // US dollars

  // Engine and device.
  std::string engine = "pytorch";
  std::string precision = "fp32";
  std::string attention;
  bool prepacked = false;
  bool fused = false;
  bool needed_tokens = false;  // setting head_tokens
  std::string batching = "padded";
  std::optional<std::int64_t> bucket_window;  // nothing: all examples
  std::optional<std::int64_t> streams;        // nothing: one
  std::optional<std::int64_t> chunk_tokens;   // nothing: no bound
  bool one_dnn = true;                        // kernels that LibTorch may choose
  std::string products = "auto";
  bool attention_mask = true;
  bool graphs = false;     // passes recorded once and replayed
  bool transfers = false;  // inputs and outputs travel within each sample
  std::string device = "cpu";

  // How the worker is launched.
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> interop_threads;
  std::string allocator;
  std::string huge_pages;
  std::string pinning;
  CountOrWord numa;
  std::optional<std::int64_t> memory_limit;  // bytes

  std::string arm;  // tells equal cases of a run apart; empty: none

  // How long it is measured.
  std::optional<std::int64_t> warmup;
  std::optional<std::int64_t> samples;
  std::optional<std::int64_t> cycles;  // whole ones, of all texts; not beside samples

  bool is_forward() const { return work_of(scenario) == OfferedWork::kForwardPasses; }
  bool samples_batches() const { return unit_of(scenario) == SampledUnit::kBatch; }
  /// Whether the user fixed how much is measured.
  bool has_fixed_count() const { return samples || cycles; }
  bool is_generate() const { return scenario == Scenario::kGenerate; }
  /// The first new token comes from the pass over the prompt, so one new token needs no step.
  bool has_decode_steps() const { return is_generate() && new_tokens > 1; }
  bool is_train() const { return scenario == Scenario::kTrain; }
  bool is_finetune() const { return scenario == Scenario::kFinetune; }
  bool is_script() const { return is_script_file(model); }
  bool is_graph() const { return is_graph_file(model); }
  bool is_compiled() const { return is_compiled_file(model); }
  bool has_data() const { return !data.empty(); }
  bool has_data_file() const { return has_data() && data != kBundledData && data != kSyntheticData; }
  bool has_fixed_length() const { return sequence_length.has_value(); }
  /// Whether rows of a fixed length hold a text each, of a length drawn from a distribution, and padding.
  bool draws_row_lengths() const {
    return has_fixed_length() && data == kSyntheticData && !length_distribution.empty();
  }
  /// Whether texts fill rows of a fixed length.
  bool has_filled_rows() const { return has_fixed_length() && !draws_row_lengths(); }
  /// One batch, run again and again: of rows that texts fill, or of drawn images or sounds.
  bool has_one_batch() const {
    return has_filled_rows() || (modality_of(task) != Modality::kText && data == kSyntheticData);
  }
};

/// Of a case's settings as a plan, a store or a message has them; others are passed over. The task is settled: not
/// auto. Throws Error(kProtocol) for a value of the wrong type, Error(kBadInput) for an unknown task or scenario.
Case case_from(const Json& settings);

}  // namespace transformeter
