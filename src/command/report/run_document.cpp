// What all sections have in common: the run's name, and where it was measured.
#include "report/run_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_label.h"
#include "report/legend.h"
#include "report/metric_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

Facts about_run(const AnalyzedRun& run, const std::string& store) {
  Facts facts{"", {{"Run", run.run->id}, {"started", run.run->started_at}}};
  if (!store.empty()) facts.facts.push_back({"stored in", store});
  return facts;
}

// What every case has that has it at all; empty where they differ, as what follows from the engine does in two engines.
std::string common_value(const AnalyzedRun& run, std::string_view setting) {
  std::string common;
  for (const AnalyzedCase& one : run.cases) {
    const std::string value = setting_value_text(*one.record, setting);
    if (value.empty()) continue;
    if (!common.empty() && value != common) return "";
    common = value;
  }
  return common;
}

// The values that all cases have in common.
Facts common_settings(const AnalyzedRun& run) {
  Facts facts{run.cases.size() == 1 ? "Settings" : "Same in all cases", {}};
  for (const SettingTerm& term : setting_terms()) {
    const bool varies = std::find(run.axes.begin(), run.axes.end(), term.name) != run.axes.end();
    const std::string value = term.group == SettingGroup::kRun || varies ? "" : common_value(run, term.name);
    if (value.empty()) continue;
    std::string words = axis_heading(term.name);
    std::replace(words.begin(), words.end(), '_', ' ');
    facts.facts.push_back({std::move(words), value});
  }
  return facts;
}

std::vector<Block> lead_of(const AnalyzedRun& run, const std::string& store) {
  std::vector<Block> lead{about_run(run, store), Facts{"Host", {{"", host_line(run)}}}};
  Facts common = common_settings(run);
  if (!common.facts.empty()) lead.emplace_back(std::move(common));
  return lead;
}

std::vector<Section> sections_at(SectionPlace place, const SectionInput& input, const RunDocumentOptions& options) {
  std::vector<Section> sections;
  for (const ReportSection& section : options.sections) {
    if (section.place != place || (section.is_for_pages && !options.is_page)) continue;
    std::vector<Block> blocks = section.make(input);
    if (!blocks.empty()) sections.push_back({section.id, section.title, std::move(blocks)});
  }
  return sections;
}

}  // namespace

Document run_document(std::span<const AnalyzedRun> runs, const RunDocumentOptions& options) {
  const SectionInput all{runs, runs.front()};
  const bool is_one = runs.size() == 1;
  Document document;
  document.title = is_one ? "Run " + run_title(runs.front()) : fmt::format("{} runs", runs.size());
  if (is_one) document.lead = lead_of(runs.front(), options.store);
  document.sections = sections_at(SectionPlace::kBeforeRuns, all, options);
  for (const AnalyzedRun& run : runs) {
    Part part;
    part.id = part_id(document.parts.size());
    part.run = run.run->id;
    if (!is_one) {
      part.title = "Run " + run_title(run);
      part.lead = lead_of(run, options.store);
    }
    const std::size_t index = document.parts.size();
    const RunComparison* comparison = options.comparisons.empty() ? nullptr : &options.comparisons[index];
    const RunProfiles* profiles = options.profiles.empty() ? nullptr : &options.profiles[index];
    part.sections = sections_at(SectionPlace::kOfEachRun, {runs, run, comparison, profiles}, options);
    document.parts.push_back(std::move(part));
  }
  document.closing = sections_at(SectionPlace::kAfterRuns, all, options);
  return document;
}

std::string part_id(std::size_t index) {
  return fmt::format("run-{}", index + 1);
}

std::string run_title(const AnalyzedRun& run) {
  return run.run->name.empty() ? run.run->id : run.run->name;
}

}  // namespace transformeter
