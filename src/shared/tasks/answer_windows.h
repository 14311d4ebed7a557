// Windows over the context of a question, the same for answering and for learning to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizers/tokenizer.h"

namespace transformeter {

/// encode_pair_windows, but a pair that fits is one window whatever the stride: it needs no room to overlap in.
std::vector<PairWindow> answer_windows(const Tokenizer& tokenizer, std::string_view question, std::string_view context,
                                       const WindowOptions& options);

/// How many those are, by the tokens of each text alone. 0: answer_windows would throw, for they do not fit.
std::int64_t count_answer_windows(const Tokenizer& tokenizer, std::int64_t question_tokens, std::int64_t context_tokens,
                                  const WindowOptions& options);

}  // namespace transformeter
