// Whether a result can be trusted: a level, the reasons for it, and notes that are not problems.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

enum class VerdictLevel { kValid, kDoubtful, kInvalid };

std::string_view name_of(VerdictLevel level);

/// A declared reason or note: its name, the level it causes, its meaning for a reader, and what to do about it.
struct VerdictTerm {
  std::string_view name;
  VerdictLevel level = VerdictLevel::kValid;  // kValid for notes
  std::string_view meaning;
  std::string_view remedy = "";  // of reasons alone
};

std::span<const VerdictTerm> verdict_reasons();
std::span<const VerdictTerm> verdict_notes();

struct Finding {
  std::string name;    // of verdict_reasons() or verdict_notes()
  std::string detail;  // with the measurements behind it
};

struct Verdict {
  VerdictLevel level = VerdictLevel::kValid;
  std::vector<Finding> reasons;
  std::vector<Finding> notes;

  /// Adds a reason and lowers the level to the reason's. Throws Error(kInternal) for a name that is not declared.
  void add_reason(std::string_view name, std::string detail);
  void add_note(std::string_view name, std::string detail);
};

}  // namespace transformeter
