// Compares sizes only: a vocabulary of another model with as many words goes undetected.
#include "datasets/vocabulary_check.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {

void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config, const std::filesystem::path& path) {
  if (tokenizer.vocabulary_size() <= config.vocab_size) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("tokenizer '{}' has {} IDs, but the model's vocabulary has {}; use the model's own tokenizer",
                          path.string(), tokenizer.vocabulary_size(), config.vocab_size));
}

}  // namespace transformeter
