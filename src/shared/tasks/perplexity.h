// Perplexity of running text under a causal language model: which tokens each window scores, and the arithmetic.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tasks/score.h"

namespace transformeter {

/// One pass of the model over tokens [begin, end), of which [scored, end) count: those before are context only.
struct TextWindow {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t scored = 0;
};

/// Windows of at most `length` tokens, each `stride` further than the last, that score every token but the first of the
/// text exactly once, with as much context as fits (the strided sliding window of Transformers' documentation on
/// perplexity). A stride equal to the length gives disjoint windows, whose first tokens have no context and are not
/// scored. Throws Error(kBadInput) unless 1 ≤ stride ≤ length and length ≥ 2. Empty for fewer than two tokens.
std::vector<TextWindow> sliding_windows(std::size_t token_count, std::size_t length, std::size_t stride);

/// What a text is counted in, for perplexities that do not depend on the tokenizer.
struct TextSize {
  std::size_t words = 0;
  std::size_t bytes = 0;
};

/// perplexity = exp(−mean log probability) over all tokens of all texts, natural logarithms. With a text's size also
/// word_perplexity = exp(−Σ ÷ words) and bits_per_byte = −Σ ÷ (bytes · ln 2). The interval is a bootstrap over blocks
/// of 128 successive tokens of a text, since neighbours depend on each other (Carlstein 1986). The notes say
/// how many bytes a token stands for on average. Throws Error(kBadInput) for no tokens, and where the mean is so low
/// that the perplexity is beyond a double; a score of the text that is beyond it is left out, with a note.
ScoreReport score_perplexity(const std::vector<std::vector<double>>& log_probabilities, const TextSize* size,
                             const StopCheck& check = {});

}  // namespace transformeter
