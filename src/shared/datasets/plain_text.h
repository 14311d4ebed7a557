// Running text for language models, and what it is counted in.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct PlainText {
  std::string name;  // folder and file without endings
  std::string sha256;
  std::string text;  // not empty
};

/// Also from a file packed by gzip. Throws Error(kBadInput) as DataFile does.
PlainText load_plain_text(const std::filesystem::path& path);

/// Lines that hold anything but white space, in order.
std::vector<std::string_view> text_lines(std::string_view text);

/// Runs of characters other than ASCII white space: the words of a word-level perplexity.
std::size_t count_words(std::string_view text);

}  // namespace transformeter
