// The names by which columns are found where none is chosen.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace transformeter {

inline constexpr std::array<const char*, 9> kTextColumns = {"text",      "sentence", "content",  "review", "query",
                                                            "utterance", "tweet",    "question", "input"};
inline constexpr std::array<std::pair<const char*, const char*>, 4> kPairColumns = {
    {{"sentence1", "sentence2"}, {"premise", "hypothesis"}, {"question1", "question2"}, {"text1", "text2"}}};
/// A text's column and its target's.
inline constexpr std::array<std::pair<const char*, const char*>, 10> kTargetColumns = {{{"text", "target"},
                                                                                        {"text", "summary"},
                                                                                        {"source", "target"},
                                                                                        {"input", "target"},
                                                                                        {"input", "output"},
                                                                                        {"document", "summary"},
                                                                                        {"article", "highlights"},
                                                                                        {"article", "summary"},
                                                                                        {"dialogue", "summary"},
                                                                                        {"question", "answer"}}};
inline constexpr std::array<const char*, 7> kLabelColumns = {"label", "labels",    "category", "intent",
                                                             "class", "sentiment", "target"};
inline constexpr std::array<const char*, 3> kIdColumns = {"id", "idx", "guid"};
/// Of images, or of their paths.
inline constexpr std::array<const char*, 7> kImageColumns = {"path",  "file",       "file_name", "filename",
                                                             "image", "image_path", "img"};

/// Of sounds, or of their paths; `audio` comes first, since data sets of the Hub have a path beside it.
inline constexpr std::array<const char*, 9> kSoundColumns = {
    "audio", "path", "file", "file_name", "filename", "audio_path", "audio_filepath", "wav", "sound"};
/// Of what is said in sounds.
inline constexpr std::array<const char*, 5> kTranscriptColumns = {"transcript", "transcription", "sentence", "text",
                                                                  "normalized_text"};
/// Of texts about images.
inline constexpr std::array<const char*, 4> kCaptionColumns = {"caption", "text", "sentence", "description"};

template <std::size_t N>
constexpr bool is_one_of(const std::array<const char*, N>& names, std::string_view column) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return name == column; });
}

/// The first or second names of usual pairs, each once, in their order.
inline std::vector<std::string_view> names_of_pairs(const char* std::pair<const char*, const char*>::*place) {
  std::vector<std::string_view> names;
  for (const auto& pair : kTargetColumns) {
    const std::string_view name = pair.*place;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}
inline std::vector<std::string_view> source_columns() {
  return names_of_pairs(&std::pair<const char*, const char*>::first);
}
inline std::vector<std::string_view> target_columns() {
  return names_of_pairs(&std::pair<const char*, const char*>::second);
}

/// Whether a column of that name may be a text with a target.
constexpr bool is_source_column(std::string_view column) {
  return std::any_of(kTargetColumns.begin(), kTargetColumns.end(),
                     [&](const auto& pair) { return pair.first == column; });
}

/// Whether a column of that name may be a target.
constexpr bool is_target_column(std::string_view column) {
  return std::any_of(kTargetColumns.begin(), kTargetColumns.end(),
                     [&](const auto& pair) { return pair.second == column; });
}

/// Whether a column of that name may be what a model is given.
constexpr bool is_input_column(std::string_view column) {
  return is_one_of(kTextColumns, column) || is_one_of(kImageColumns, column) || is_one_of(kSoundColumns, column) ||
         std::any_of(kPairColumns.begin(), kPairColumns.end(), [&](const auto& pair) {
           return std::string_view(pair.first) == column || std::string_view(pair.second) == column;
         });
}

}  // namespace transformeter
