// Long texts are broken at blanks and go on below their column.
#include "cli/diagnosis_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr std::size_t kLevelWidth = 9;  // of "limited" and "problem" with two blanks
constexpr std::size_t kNarrowest = 30;  // of the text, however small the window
constexpr std::size_t kPlainWidth = 120;

std::string coloured(DiagnosisLevel level, bool has_colour) {
  std::string padded = fmt::format("{:<{}}", name_of(level), kLevelWidth);
  if (!has_colour || level == DiagnosisLevel::kOk) return padded;
  return fmt::format("\x1b[{}m{}\x1b[0m", level == DiagnosisLevel::kProblem ? 31 : 33, padded);
}

}  // namespace

std::string diagnosis_table(const Diagnoses& diagnoses) {
  const Terminal terminal = terminal_at(stdout);
  std::size_t what_width = 0;
  for (const Diagnosis& one : diagnoses) what_width = std::max(what_width, display_width(one.what));
  const std::size_t indent = kLevelWidth + what_width + 2;
  const std::size_t total = terminal.is_terminal ? terminal.width : kPlainWidth;
  const std::size_t width = std::max(indent + kNarrowest, total);
  const std::size_t deeper = indent + 5;
  std::string text;
  for (const Diagnosis& one : diagnoses) {
    text += coloured(one.level, terminal.has_colour);
    text += fmt::format("{:<{}}{}\n", one.what, what_width + 2, wrapped(one.state, width, indent, indent));
    if (one.level == DiagnosisLevel::kOk) continue;
    text += fmt::format("{:{}}why: {}\n", "", indent, wrapped(one.why, width, deeper, deeper));
    if (!one.advice.empty())
      text += fmt::format("{:{}}do:  {}\n", "", indent, wrapped(one.advice, width, deeper, deeper));
  }
  return text;
}

std::string diagnosis_summary(const Diagnoses& findings, const Diagnoses& tests) {
  const auto count = [&](DiagnosisLevel level) {
    const auto has_level = [level](const Diagnosis& one) { return one.level == level; };
    return std::count_if(findings.begin(), findings.end(), has_level) +
           std::count_if(tests.begin(), tests.end(), has_level);
  };
  const char* verdict = "measuring is possible";
  if (worst_level(tests) == DiagnosisLevel::kProblem) verdict = "the self-test failed";
  if (worst_level(findings) == DiagnosisLevel::kProblem)
    verdict = "fix the problems first; nothing can be measured until then";
  return fmt::format("{} ok, {} limited, {} problem(s): {}.\n", count(DiagnosisLevel::kOk),
                     count(DiagnosisLevel::kLimited), count(DiagnosisLevel::kProblem), verdict);
}

}  // namespace transformeter
