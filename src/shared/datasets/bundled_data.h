// The texts and the vocabulary that come with the program.
#pragma once

#include <filesystem>

namespace transformeter {

/// Sentences with their classes. `data_directory` as in Context.
inline std::filesystem::path bundled_texts(const std::filesystem::path& data_directory) {
  return data_directory / "texts" / "reviews.tsv";
}

/// By which a preset without a tokenizer of its own cuts texts.
inline std::filesystem::path bundled_vocabulary(const std::filesystem::path& data_directory) {
  return data_directory / "texts" / "vocab.txt";
}

}  // namespace transformeter
