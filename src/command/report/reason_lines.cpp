// Cases with the same reason share a line, so that a hundred rows do not make a hundred lines.
#include "report/reason_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/case_label.h"
#include "report/legend.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxLines = 12;
constexpr std::size_t kMaxLabels = 4;
constexpr std::size_t kMinSharedCases = 3;  // of two both labels are shorter

struct ReasonGroup {
  std::string general;  // without figures
  std::string exact;    // with those of its first case
  bool has_one_text = true;
  std::vector<const AnalyzedCase*> cases;
};

// Why a case has no result or a doubtful one; empty for a pending case or a valid result.
struct CaseReason {
  std::string general;
  std::string exact;
};

CaseReason doubts_about(const AnalyzedCase& one) {
  const Verdict& verdict = one.analysis.verdict;
  CaseReason reason;
  std::vector<Finding> exact;  // of neighbours with the same figures one
  for (const Finding& finding : verdict.reasons) {
    const std::string meaning = meaning_of_reason(finding.name);
    reason.general += fmt::format("{}{}: {}", reason.general.empty() ? "" : "; ", finding.name, meaning);
    if (!exact.empty() && !finding.detail.empty() && exact.back().detail == finding.detail) {
      exact.back().name += ", " + finding.name;
    } else {
      exact.push_back({finding.name, finding.detail.empty() ? meaning : finding.detail});
    }
  }
  for (const Finding& finding : exact) {
    reason.exact += fmt::format("{}{}: {}", reason.exact.empty() ? "" : "; ", finding.name, finding.detail);
  }
  if (verdict.reasons.empty()) return reason;
  const std::string level = fmt::format("{}: ", name_of(verdict.level));
  return {level + reason.general, level + reason.exact};
}

CaseReason reason_of(const AnalyzedCase& one) {
  if (one.is_ok()) return doubts_about(one);
  const std::string& stored = one.record->status_reason;
  if (!one.record->status && stored.empty()) return {};
  const std::string text =
      fmt::format("{}: {}", status_word(*one.record), stored.empty() ? "no reason was stored" : stored);
  return {text, text};
}

std::vector<ReasonGroup> reason_groups_of(const AnalyzedRun& run) {
  std::vector<ReasonGroup> groups;
  for (const AnalyzedCase& one : run.cases) {
    CaseReason reason = reason_of(one);
    if (reason.general.empty()) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const ReasonGroup& g) { return g.general == reason.general; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {std::move(reason.general), reason.exact, true, {}});
    }
    group->has_one_text = group->has_one_text && group->exact == reason.exact;
    group->cases.push_back(&one);
  }
  return groups;
}

// The settings that the run varies and these cases share, where no other case has the same values.
std::vector<std::string> shared_settings(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases) {
  const auto has_value_of_first = [&](const AnalyzedCase& one, const std::string& axis) {
    return setting_value_text(*one.record, axis) == setting_value_text(*cases.front()->record, axis);
  };
  std::vector<std::string> common;
  std::copy_if(run.axes.begin(), run.axes.end(), std::back_inserter(common), [&](const std::string& axis) {
    return std::all_of(cases.begin(), cases.end(),
                       [&](const AnalyzedCase* one) { return has_value_of_first(*one, axis); });
  });
  const auto matching = std::count_if(run.cases.begin(), run.cases.end(), [&](const AnalyzedCase& one) {
    return std::all_of(common.begin(), common.end(),
                       [&](const std::string& axis) { return has_value_of_first(one, axis); });
  });
  if (static_cast<std::size_t>(matching) != cases.size()) common.clear();
  return common;
}

}  // namespace

std::string cases_text(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases) {
  if (cases.size() == run.cases.size() && cases.size() > 1) return "all cases";
  const bool are_ok = std::all_of(cases.begin(), cases.end(), [](const AnalyzedCase* one) { return one->is_ok(); });
  const auto ok_count = static_cast<std::size_t>(
      std::count_if(run.cases.begin(), run.cases.end(), [](const AnalyzedCase& one) { return one.is_ok(); }));
  if (are_ok && cases.size() == ok_count && cases.size() > 1) return "all measured cases";
  if (cases.size() >= kMinSharedCases) {
    if (const std::vector<std::string> common = shared_settings(run, cases); !common.empty()) {
      return fmt::format("{} ({} cases)", short_label(*cases.front()->record, common), cases.size());
    }
  }
  const std::size_t named = cases.size() > kMaxLabels ? kMaxLabels - 1 : cases.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : "; ") + cases[i]->label;
  return named < cases.size() ? text + fmt::format(" and {} more", cases.size() - named) : text;
}

std::vector<std::string> reason_lines(const AnalyzedRun& run) {
  const std::vector<ReasonGroup> groups = reason_groups_of(run);
  const std::size_t shown = groups.size() > kMaxLines ? kMaxLines - 1 : groups.size();
  std::vector<std::string> lines;
  std::size_t others = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ReasonGroup& group = groups[i];
    if (i < shown) {
      lines.push_back(
          fmt::format("{}: {}", cases_text(run, group.cases), group.has_one_text ? group.exact : group.general));
    } else {
      others += group.cases.size();
    }
  }
  if (others > 0) lines.push_back(fmt::format("{} more cases, for other reasons: see --format markdown", others));
  return lines;
}

}  // namespace transformeter
