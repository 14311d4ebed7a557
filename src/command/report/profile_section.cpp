// Where the time of the run's cases goes, by the profiles that the store has of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/bottlenecks.h"
#include "analysis/profile_tables.h"
#include "analysis/profile_text.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "report/metric_text.h"
#include "report/report_sections.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::size_t kShownModules = 6;

// Those that are left out are added up, so that the table holds the whole pass. Modules that only hold others have no
// time of their own.
std::vector<ProfileRow> shown_rows(std::vector<ProfileRow> rows, std::size_t most) {
  std::erase_if(rows, [](const ProfileRow& row) { return row.self_s <= 0; });
  if (rows.size() <= most + 1) return rows;
  ProfileRow others{.name = fmt::format("{} others", rows.size() - most)};
  for (std::size_t i = most; i < rows.size(); ++i) {
    others.self_s += rows[i].self_s;
    others.backward_s += rows[i].backward_s;
    others.decode_s += rows[i].decode_s;
  }
  rows.resize(most);
  rows.push_back(std::move(others));
  return rows;
}

// What matters most comes first: a narrow page shows the first columns.
Table self_time_table(const std::string& caption, const std::vector<ProfileRow>& rows, const ProfileRecord& record) {
  const double whole_s = pass_s(*record.profile);
  const auto time_or_dash = [](double seconds) { return seconds > 0 ? format_duration(seconds) : "-"; };
  Table table;
  table.caption = caption;
  table.columns = {{.heading = "name", .is_wide = true},
                   {"self time", true},
                   {fmt::format("share of the {}", profiled_unit(record.requested)), true}};
  if (is_train(record.requested)) table.columns.push_back({"backward", true});
  if (is_generate(record.requested)) table.columns.push_back({"decode", true});
  table.columns.push_back({"calls", true});
  for (const ProfileRow& row : rows) {
    std::vector<Cell> cells{row.name, format_duration(row.self_s), share_text(row.self_s, whole_s)};
    if (is_train(record.requested)) cells.emplace_back(time_or_dash(row.backward_s));
    if (is_generate(record.requested)) cells.emplace_back(time_or_dash(row.decode_s));
    cells.emplace_back(row.calls > 0 ? calls_number(row.calls) : "-");
    add_row(table, std::move(cells));
  }
  return table;
}

std::string origin_text(const CaseProfile& one) {
  const ProfileRecord& record = one.record;
  const std::string name = record.name.empty() ? "" : fmt::format(" ({})", record.name);
  std::string text = fmt::format("Profile {} {}{}, started {}.", record.id, record.case_id, name, record.started_at);
  if (one.differences.empty()) return text;
  std::vector<std::string> differences;
  for (const Difference& difference : one.differences) differences.push_back(difference.text());
  return fmt::format("{} It differs from the run: {}.", text, fmt::join(differences, "; "));
}

// Beside what the profile has without the profiler. The time of a cycle is no pass's.
std::string measured_text(const AnalyzedCase& the_case) {
  const MetricRow* row = headline_time(the_case);
  if (row == nullptr || !row->value || row->name != "latency") return "";
  return fmt::format(" The run measured a median of {}.", value_text(row));
}

// Of texts of several lengths a profile has the first batches alone.
std::string batches_text(const ProfileRecord& record) {
  const std::int64_t batches = record.profile->batches;
  const auto all = number_of_path(record.effective, {"cycle_batches"});
  if (!all || *all <= static_cast<double>(batches)) return "";
  return fmt::format(" It has the first {} of the cycle's {:.0f} batches.", batches, *all);
}

SubSection case_section(const AnalyzedRun& run, const CaseProfile& one) {
  const ProfileRecord& record = one.record;
  const Profile& profile = *record.profile;
  const AnalyzedCase& the_case = run.cases.at(one.case_place);
  SubSection section{the_case.record->id, the_case.label, {}, {}};
  section.blocks.emplace_back(
      Paragraph{fmt::format("{}.{}{} {}", fmt::join(profile_facts(profile, record.requested), "; "),
                            batches_text(record), measured_text(the_case), origin_text(one))});
  const ProfileLimits limits = profile_limits(record.effective);
  std::vector<std::string> sentences;
  for (const Bottleneck& bottleneck : find_bottlenecks(profile, limits)) {
    sentences.push_back(bottleneck_sentence(bottleneck, limits));
  }
  section.blocks.emplace_back(list_of(sentences));
  if (!limits.missing.empty()) {
    section.blocks.emplace_back(Paragraph{fmt::format("Not every limit is known ({}).", limits.missing)});
  }
  section.blocks.emplace_back(
      self_time_table(fmt::format("Phases of {}", the_case.label), phase_rows(profile), record));
  section.blocks.emplace_back(self_time_table(fmt::format("Modules of {}, layers added up", the_case.label),
                                              shown_rows(merged_module_rows(profile), kShownModules), record));
  return section;
}

}  // namespace

std::vector<Block> profile_section(const SectionInput& input) {
  if (input.profiles == nullptr || input.profiles->shown.empty()) return {};
  std::vector<Block> blocks{Paragraph{
      "Bottlenecks and tables are times with the profiler, whose cost is stated first; shares are of the profiled "
      "pass. All other sections were measured without it. docs/profile.md explains the tables."}};
  for (const CaseProfile& one : input.profiles->shown) blocks.emplace_back(case_section(input.run, one));
  if (input.profiles->left_out > 0) {
    blocks.emplace_back(Paragraph{fmt::format("The store has profiles of {}; `transformeter profiles` lists them.",
                                              counted(input.profiles->left_out, "further case"))});
  }
  const std::size_t cases = input.run.cases.size();
  const std::size_t with_profile = input.profiles->shown.size() + input.profiles->left_out;
  if (with_profile < cases) {
    blocks.emplace_back(Paragraph{fmt::format(
        "{} of {} have no profile of their own: `transformeter profile` makes one; cases that are alike share one, "
        "and engine auto has none (docs/profile.md).",
        cases - with_profile, counted(cases, "case"))});
  }
  return blocks;
}

}  // namespace transformeter
