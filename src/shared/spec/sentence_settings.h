// What a folder of sentence-transformers says beside config.json: how texts are prepared for the task embedding, and
// how the tokens' vectors become one; or that it is a cross-encoder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/task.h"
#include "spec/blueprint.h"

namespace transformeter {

/// Without such files: the mean over the tokens, as it is.
struct SentenceSettings {
  std::string prompt;                                 // before each text
  bool lowercases = false;                            // texts, before they are tokenized
  std::optional<std::int64_t> max_length;             // tokens of a text, special tokens included
  std::vector<Selection> poolings{Selection::kMean};  // one or more; their vectors are put side by side
  std::optional<LinearSpec> dense;                    // after pooling
  std::string dense_folder;                           // of its weights
  std::optional<Activation> activation;               // after the dense layer
  bool is_normalized = false;                         // then divided by its length
  bool is_cross_encoder = false;                      // not for embeddings, but for the scores of pairs
  std::string score_class;                            // of Python, that a cross-encoder's scores go through
  std::vector<std::string> files;                     // that say so, beside modules.json
  std::string refusal;                                // why the task embedding cannot be answered; empty: it can

  /// Whether texts are prepared as the files say: lower-cased, and cut at max_length.
  bool prepares(Task task) const {
    return task == (is_cross_encoder ? Task::kSequenceClassification : Task::kEmbedding);
  }
  bool operator==(const SentenceSettings&) const = default;
};

/// Of a folder without modules.json the settings without such files. What is there but not computed here is said in
/// `refusal`, since other tasks do not need it. Throws Error(kBadInput) for files that are no such.
SentenceSettings read_sentence_settings(const std::filesystem::path& folder);

/// The folder's file with the weights of the dense layer, whose tensors' names begin with its folder's and "."; empty
/// without one.
std::filesystem::path dense_weights(const std::filesystem::path& folder, const SentenceSettings& settings);

/// "mean", "cls", "last", "max", "mean_sqrt_len", "weightedmean"; several joined by "+".
std::string pooling_name(const std::vector<Selection>& poolings);
/// Throws Error(kBadInput) for another name of a single one.
Selection pooling_from_name(std::string_view name);

}  // namespace transformeter
