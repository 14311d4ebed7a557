// What a model's config.json says, typed and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/task.h"
#include "spec/blueprint.h"
#include "spec/generation_settings.h"
#include "spec/sentence_settings.h"

namespace transformeter {

struct Architecture;
class Architectures;
class ConfigReader;
struct Case;  // schema/case.h

/// What every family has. Sizes are positive unless said otherwise. What only one family has is read from `source` when
/// its blueprint is drawn.
struct ModelConfig {
  std::shared_ptr<const Architecture> architecture;  // never null once parsed
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_heads = 0;
  std::int64_t max_length = 0;    // tokens a text may have; of images alone, those of an image
  std::int64_t image_tokens = 0;  // that an image becomes; 0: the model reads none
  // Texts are filled to so many tokens with the tokenizer's padding, which the model reads like any other token.
  std::optional<std::int64_t> filled_length;
  std::optional<std::int64_t> pad_token_id;  // in [0, vocab_size)
  std::vector<std::int64_t> eos_token_ids;   // any of them ends a generated text
  std::int64_t num_labels = 2;
  // Tokens that a key-value cache may hold: a longer text rotates otherwise, so that its first pass beyond computes all
  // of it again. Nothing: a cache stays good.
  std::optional<std::int64_t> cache_limit;
  std::optional<ImageShape> image;         // of a model that reads images
  std::optional<WaveSpec> waves;           // of a model that reads sounds
  double initializer_range = 0.02;         // standard deviation of weights that training begins with
  std::vector<std::string> labels;         // by index; empty when the file names none, else num_labels entries
  std::vector<std::string> architectures;  // the classes that saved the checkpoint, as "BertForSequenceClassification"
  SentenceSettings sentence;               // of the task embedding
  GenerationSettings generation;           // of causal_lm
  /// The weights hold a decoder of words that differs from the table of words, though config.json ties the two:
  /// Transformers does not tie them then.
  bool has_own_decoder = false;
  std::vector<std::string> unread_keys;  // of config.json: neither the original reads them nor anything here
  Json source;                           // config.json without its labels

  /// Tokens a text is cut to for `task`, unless asked otherwise; `tokenizer_limit` is the tokenizer's own, which
  /// sentence-transformers replaces where its files say max_seq_length.
  std::int64_t text_length(Task task, std::optional<std::int64_t> tokenizer_limit) const;
  /// The same for a case, which may ask otherwise: its max_length, even if the model holds fewer.
  std::int64_t text_length(const Case& asked, std::optional<std::int64_t> tokenizer_limit) const;
  /// Of the longest row of the task: tokens of an image, or positions of a text.
  std::int64_t row_length(Task task) const { return reads_images(task) ? image_tokens : max_length; }
  /// "bert": what config.json calls model_type.
  const std::string& family() const;
  bool operator==(const ModelConfig&) const = default;
};

/// Reads a config.json. A key that is missing has Transformers' default for the model type. Throws Error(kBadInput)
/// naming `what`, the key and its value: an unknown model_type or activation, a wrong type, a size that is not positive
/// or beyond reason; Error(kUnsupported) for what is understood but not computed here, and for a key that is not known
/// and may change the maths.
ModelConfig parse_model_config(const Json& json, std::string_view what, const Architectures& architectures);
/// Of the built-in architectures.
ModelConfig parse_model_config(const Json& json, std::string_view what = "config.json");

/// Of a part of config.json with settings of its own, which its family calls for it, as parse_model_config does for the
/// whole. Throws Error(kUnsupported) for settings that all families share and that are not the family's usual ones.
void check_what_changes_the_maths(const ConfigReader& reader, const Architecture& architecture);
/// Keys that nobody asked for: throws Error(kUnsupported) for one that the original reads, and adds the others to
/// config.unread_keys, with `prefix` before them.
void note_unknown_keys(const ConfigReader& reader, std::string_view prefix, ModelConfig& config);

/// The config.json that parse_model_config reads back to the same configuration.
Json to_json(const ModelConfig& config);

/// Whether any of its classes has a name, other than the one that Transformers gives where there is none ("LABEL_0").
bool has_class_names(const ModelConfig& config);

/// How the task embedding makes one vector of a text's tokens: as pooling_name, or "own" of a family that pools itself.
std::string pooling_of(const ModelConfig& config);

/// {channels, height, width}
Json to_json(const ImageShape& image);

/// What config.json calls the problem that a task's head of classes is for; nothing for other tasks.
std::optional<std::string_view> problem_type_of(Task task);

/// The task named by config.architectures ("BertForSequenceClassification" is sequence classification unless
/// problem_type names another, "BertModel" embedding); nothing when the list is empty or names none that is known.
std::optional<Task> task_of(const ModelConfig& config);

}  // namespace transformeter
