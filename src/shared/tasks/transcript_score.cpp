// Each step as jiwer has it: RemoveMultipleSpaces, Strip, ReduceToListOfListOfWords; Strip, ReduceToListOfListOfChars.
#include "tasks/transcript_score.h"

#include <algorithm>
#include <span>
#include <string>

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
EditCount edits(const T& reference, const T& transcript, const StopCheck& check) {
  using Unit = typename T::value_type;
  const std::span<const Unit> expected(reference), said(transcript);
  return {edit_distance<Unit>(expected, said, check), reference.size()};
}

Score error_rate_score(const char* name, const char* units, const std::vector<TranscriptErrors>& sounds,
                       EditCount TranscriptErrors::*kind, const StopCheck& check) {
  std::vector<EditCount> counts;
  std::size_t counted = 0;
  for (const TranscriptErrors& sound : sounds) {
    counts.push_back(sound.*kind);
    counted += counts.back().units;
  }
  const auto statistic = [&](std::span<const std::size_t> chosen) { return error_rate(counts, chosen); };
  Score score = bootstrapped_score(name, sounds.size(), "sounds", statistic, check);
  score.counts = units;
  score.estimate.n = counted;
  return score;
}

}  // namespace

TranscriptErrors transcript_errors(std::string_view reference, std::string_view transcript, const StopCheck& check) {
  const Characters expected = decode_utf8(reference), said = decode_utf8(transcript);
  return {edits(words_of(expected), words_of(said), check), edits(stripped(expected), stripped(said), check)};
}

ScoreReport score_transcripts(const std::vector<TranscriptErrors>& sounds, const StopCheck& check) {
  ScoreReport report{
      Task::kSpeechRecognition, "errors of words and characters as in jiwer 4.0, texts compared as they are", {}, {}};
  report.scores.push_back(error_rate_score("word_error_rate", "words", sounds, &TranscriptErrors::words, check));
  report.scores.push_back(
      error_rate_score("character_error_rate", "characters", sounds, &TranscriptErrors::characters, check));
  return report;
}

}  // namespace transformeter
