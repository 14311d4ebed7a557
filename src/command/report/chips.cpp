// Failures are bad; an answer without figures, or with figures in doubt, is a warning.
#include "report/chips.h"

#include <fmt/format.h>

#include <algorithm>

namespace transformeter {
namespace {

Tone tone_of(const AnalyzedCase& one) {
  if (!one.record->status) return Tone::kPending;
  if (!one.is_ok()) return is_answer(*one.record->status) ? Tone::kWarn : Tone::kBad;
  switch (one.analysis.verdict.level) {
    case VerdictLevel::kValid:
      return Tone::kGood;
    case VerdictLevel::kDoubtful:
      return Tone::kWarn;
    case VerdictLevel::kInvalid:
      return Tone::kBad;
  }
  return Tone::kNeutral;
}

Tone tone_of(SpeedAnswer answer) {
  switch (answer) {
    case SpeedAnswer::kFaster:
      return Tone::kGood;
    case SpeedAnswer::kSlower:
      return Tone::kBad;
    case SpeedAnswer::kSame:
      return Tone::kNeutral;
    case SpeedAnswer::kUndecided:
      return Tone::kWarn;
  }
  return Tone::kNeutral;
}

}  // namespace

Chip result_chip(const AnalyzedCase& one) {
  if (!one.is_ok()) return {std::string(status_word(*one.record)), tone_of(one)};
  return {fmt::format("ok, {}", name_of(one.analysis.verdict.level)), tone_of(one)};
}

Chip answer_chip(SpeedAnswer answer) {
  return {std::string(name_of(answer)), tone_of(answer)};
}

std::vector<Chip> result_counts(const AnalyzedRun& run) {
  std::vector<Chip> kinds;
  std::vector<std::size_t> counts;
  for (const AnalyzedCase& one : run.cases) {
    const Chip chip = result_chip(one);
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Chip& c) { return c.text == chip.text; });
    const auto place = static_cast<std::size_t>(kind - kinds.begin());
    if (kind == kinds.end()) {
      kinds.push_back(chip);
      counts.push_back(0);
    }
    ++counts[place];
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].text = fmt::format("{} {}", counts[i], kinds[i].text);
  return kinds;
}

}  // namespace transformeter
