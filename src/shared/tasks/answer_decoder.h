// From start and end scores to an answer, as the question answering example of Hugging Face Transformers finds it
// (examples/pytorch/question-answering, utils_qa.py: postprocess_qa_predictions).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "schema/prediction.h"
#include "tokenizers/text_span.h"

namespace transformeter {

/// One row of the model: a question with a window of its context. Borrows everything.
struct AnswerWindow {
  std::span<const float> start;          // a score for each token of the row
  std::span<const float> end;            // as many
  TextSpan context;                      // positions of the context's tokens in the row
  std::span<const TextSpan> characters;  // of each token in its own text
  std::span<const TextSpan> bytes;       // the same in bytes
};

struct AnswerOptions {
  std::size_t best_count = 20;         // starts and ends tried of each window, and answers kept
  std::size_t max_answer_tokens = 30;  // of an answer
  bool allow_no_answer = false;        // SQuAD v2.0: the first token stands for "no answer"
};

/// Of each window the best starts and ends are paired; of all pairs that begin before they end, lie in the context and
/// are not too long, the one of the largest sum is the answer, its score the softmax over the best pairs of all
/// windows. With allow_no_answer, "no answer" is worth its smallest sum over the windows, and the answer is empty where
/// that is above every pair. Without any pair the answer is empty, with score 0. At least one window.
AnswerPrediction decode_answer(std::span<const AnswerWindow> windows, std::string_view context,
                               const AnswerOptions& options);

}  // namespace transformeter
