// What a model said, read from files that any program can write, in the forms each task's scripts use. Classes are
// read by class_predictions.h.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/conll.h"

namespace transformeter {

/// Question answering: one JSON object of id → text, as the official SQuAD scripts take it. Throws Error(kBadInput) for
/// another shape and an id that comes twice.
std::map<std::string, std::string> read_predicted_answers(const std::string& where, std::string_view text);

/// Token classification: tags in the order of `sentences`, a blank line between sentences; the tag is the last column,
/// and where there are further ones the first is the token, which must be the data set's. Throws Error(kBadInput) with
/// the line for what does not fit.
std::vector<std::vector<std::string>> read_predicted_tags(const std::string& where, std::string_view text,
                                                          const std::vector<TaggedSentence>& sentences);

/// Causal language models: a JSON list of natural log probabilities a line, one line a text, null where a token has
/// none (the first); or an object with that list under log_probabilities, logprobs or token_logprobs. Throws
/// Error(kBadInput) with the line for numbers above 0 and anything else.
std::vector<std::vector<double>> read_log_probabilities(const std::string& where, std::string_view text);

struct TokenIds {
  std::size_t line = 0;  // of the file
  std::vector<int> ids;
};

/// Masked language models: a JSON list of token ids a line, or an object with that list under labels or predictions.
/// Throws Error(kBadInput) with the line for anything else, a number beyond int's range among it.
std::vector<TokenIds> read_token_ids(const std::string& where, std::string_view text);

}  // namespace transformeter
