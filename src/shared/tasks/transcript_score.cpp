// Each step as jiwer has it: RemoveMultipleSpaces, Strip, ReduceToListOfListOfWords; Strip, ReduceToListOfListOfChars.
#include "tasks/transcript_score.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "stats/edit_distance.h"
#include "tasks/python_text.h"

namespace transformeter {
namespace {

using Characters = std::u32string;

// re.sub(r"\s\s+", " ", text).
Characters with_single_spaces(const Characters& text) {
  Characters result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_python_space(text[end])) ++end;
    const std::size_t run = end - i;
    result += run > 1 ? U' ' : text[i];
    i += run > 1 ? run : 1;
  }
  return result;
}

// str.strip().
Characters stripped(Characters text) {
  while (!text.empty() && is_python_space(text.back())) text.pop_back();
  std::size_t begin = 0;
  while (begin < text.size() && is_python_space(text[begin])) ++begin;
  return text.substr(begin);
}

std::vector<Characters> words_of(const Characters& text) {
  const Characters line = stripped(with_single_spaces(text));
  std::vector<Characters> words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(U' ', begin), line.size());
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

template <typename T>
EditCount edits(const T& reference, const T& transcript) {
  using Unit = typename T::value_type;
  return {edit_distance<Unit>(std::span<const Unit>(reference), std::span<const Unit>(transcript)), reference.size()};
}

Score error_rate(const char* name, const char* units, const std::vector<TranscriptErrors>& sounds,
                 EditCount TranscriptErrors::*kind, const StopCheck& check) {
  EditCount all;
  for (const TranscriptErrors& sound : sounds) {
    all.edits += (sound.*kind).edits;
    all.units += (sound.*kind).units;
  }
  Score score;
  score.name = name;
  score.counts = units;
  const double value = all.units == 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : static_cast<double>(all.edits) / static_cast<double>(all.units);
  score.estimate = {value, {}, all.units};
  const auto statistic = [&](std::span<const std::size_t> chosen) -> std::optional<double> {
    double edited = 0, counted = 0;
    for (const std::size_t i : chosen) {
      edited += static_cast<double>((sounds[i].*kind).edits);
      counted += static_cast<double>((sounds[i].*kind).units);
    }
    if (counted == 0) return std::nullopt;
    return edited / counted;
  };
  add_bootstrap_interval(score, sounds.size(), "sounds", statistic, check);
  return score;
}

}  // namespace

TranscriptErrors transcript_errors(std::string_view reference, std::string_view transcript) {
  const Characters expected = decode_utf8(reference), said = decode_utf8(transcript);
  return {edits(words_of(expected), words_of(said)), edits(stripped(expected), stripped(said))};
}

ScoreReport score_transcripts(const std::vector<TranscriptErrors>& sounds, const StopCheck& check) {
  ScoreReport report{
      Task::kSpeechRecognition, "errors of words and characters as in jiwer 4.0, texts compared as they are", {}, {}};
  report.scores.push_back(error_rate("word_error_rate", "words", sounds, &TranscriptErrors::words, check));
  report.scores.push_back(
      error_rate("character_error_rate", "characters", sounds, &TranscriptErrors::characters, check));
  return report;
}

}  // namespace transformeter
