// The sections of a report of runs: to add one, write its file, declare its function here and put it into the list.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/case_profiles.h"
#include "analysis/run_comparison.h"
#include "report/document.h"

namespace transformeter {

/// Cases whose samples are drawn, over all runs of a report; each run has one at least.
inline constexpr std::size_t kMaxCaseFigures = 12;

struct SectionInput {
  std::span<const AnalyzedRun> runs;          // all of the report, one at least
  const AnalyzedRun& run;                     // the section's; the first, for a section about all of them
  const RunComparison* comparison = nullptr;  // of that run with another one; null: there is none
  const RunProfiles* profiles = nullptr;      // of that run's cases; null: none were looked for
};

enum class SectionPlace { kBeforeRuns, kOfEachRun, kAfterRuns };

struct ReportSection {
  const char* id;
  const char* title;
  std::vector<Block> (*make)(const SectionInput& input);  // no blocks: the report has no such section
  SectionPlace place = SectionPlace::kOfEachRun;
  bool is_for_pages = false;  // for forms that show figures and fold details
  bool is_on_slides = false;  // which show what was found rather than all that was measured
};

std::vector<Block> overview_section(const SectionInput& input);
std::vector<Block> results_section(const SectionInput& input);
std::vector<Block> comparison_section(const SectionInput& input);
std::vector<Block> other_run_section(const SectionInput& input);
std::vector<Block> figures_section(const SectionInput& input);
std::vector<Block> cases_section(const SectionInput& input);
std::vector<Block> samples_section(const SectionInput& input);
std::vector<Block> profile_section(const SectionInput& input);
std::vector<Block> machine_section(const SectionInput& input);
std::vector<Block> memory_section(const SectionInput& input);
std::vector<Block> verdicts_section(const SectionInput& input);
std::vector<Block> environment_section(const SectionInput& input);
std::vector<Block> settings_section(const SectionInput& input);
std::vector<Block> reproduce_section(const SectionInput& input);
std::vector<Block> meaning_section(const SectionInput& input);

/// In the order of the report.
inline constexpr std::array kReportSections = std::to_array<ReportSection>({
    {"overview", "Overview", overview_section, SectionPlace::kBeforeRuns, false, true},
    {"results", "Results", results_section, SectionPlace::kOfEachRun, false, true},
    {"comparison", "Compared with the baseline", comparison_section, SectionPlace::kOfEachRun, false, true},
    {"other-run", "Compared with another run", other_run_section, SectionPlace::kOfEachRun, false, true},
    {"figures", "Figures", figures_section, SectionPlace::kOfEachRun, true, true},
    {"cases", "Cases", cases_section, SectionPlace::kOfEachRun, false, true},
    {"samples", "Samples", samples_section, SectionPlace::kOfEachRun, true},
    {"profile", "Where the time goes", profile_section, SectionPlace::kOfEachRun, false, true},
    {"machine", "The machine during the run", machine_section},
    {"memory", "Memory", memory_section},
    {"verdicts", "Verdicts and notes", verdicts_section},
    {"environment", "Environment", environment_section, SectionPlace::kOfEachRun, false, true},
    {"settings", "Settings", settings_section},
    {"reproduce", "Reproduce", reproduce_section, SectionPlace::kOfEachRun, false, true},
    {"meaning", "What the numbers mean", meaning_section, SectionPlace::kAfterRuns},
});

/// Those of slides, in the same order.
std::vector<ReportSection> slide_sections();

}  // namespace transformeter
