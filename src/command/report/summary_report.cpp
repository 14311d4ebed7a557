// Rows by metric, then by value: neighbours are what one compares.
#include "report/summary_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/results.h"
#include "base/units.h"
#include "report/metric_text.h"

namespace transformeter {
namespace {

constexpr std::array<std::string_view, 14> kShownMetrics{"latency",
                                                         "cycle_time",
                                                         "time_to_first_token",
                                                         "throughput_samples",
                                                         "throughput_audio_seconds",
                                                         "throughput_useful_tokens",
                                                         "throughput_decode_tokens",
                                                         "peak_allocated",
                                                         "peak_rss",
                                                         "mfu",
                                                         "energy",
                                                         "cost_per_step",
                                                         "loss",
                                                         "loss_convergence_rate"};

const MetricSummary* metric_of(const ValueSummary& value, std::string_view name) {
  const auto found = std::find_if(value.metrics.begin(), value.metrics.end(),
                                  [&](const MetricSummary& metric) { return metric.metric == name; });
  return found == value.metrics.end() ? nullptr : &*found;
}

Table table_of(const SettingSummary& summary) {
  Table table;
  table.columns = {{"metric"},         {axis_heading(summary.setting)},
                   {"cases", true},    {"min", true},
                   {"mean", true},     {"max", true},
                   {"deviation", true}};
  for (const std::string_view name : kShownMetrics) {
    for (const ValueSummary& value : summary.values) {
      const MetricSummary* metric = metric_of(value, name);
      if (metric == nullptr) continue;
      const auto text = [&](double number) { return format_quantity(number, metric->unit); };
      const Summary& cases = metric->cases;
      add_row(table, {std::string(name), value.value, fmt::format("{}", cases.n), text(cases.min), text(cases.mean),
                      text(cases.max), cases.stddev ? text(*cases.stddev) : "-"});
    }
  }
  return table;
}

std::string title_of(const SettingSummary& summary) {
  const SummaryGroup& group = summary.group;
  std::vector<std::string> words;
  for (const std::string& word : {group.scenario, group.model, group.task, group.data, group.device}) {
    if (!word.empty()) words.push_back(word);
  }
  const std::string title = fmt::format("by {}", summary.setting);
  return words.empty() ? title : fmt::format("{}: {}", title, fmt::join(words, ", "));
}

// Of the metrics that are shown, those whose values rest on different cases.
std::string unmatched_metrics(const SettingSummary& summary) {
  std::vector<std::string_view> names;
  for (const std::string_view name : kShownMetrics) {
    const bool is_unmatched = std::any_of(summary.values.begin(), summary.values.end(), [&](const ValueSummary& value) {
      const MetricSummary* metric = metric_of(value, name);
      return metric != nullptr && !metric->is_matched;
    });
    if (is_unmatched) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> lines_of(const SettingSummary& summary) {
  std::vector<std::string> lines;
  if (!summary.also_differ.empty()) {
    lines.push_back(fmt::format("cases with the same {} also differ in {}, which affects these values", summary.setting,
                                fmt::join(summary.also_differ, ", ")));
  }
  if (!summary.is_matched) {
    lines.push_back(
        fmt::format("rows cover different cases, because no other settings were measured with every {}; differences "
                    "between rows may come from these cases",
                    summary.setting));
  } else if (const std::string names = unmatched_metrics(summary); !names.empty()) {
    lines.push_back(fmt::format("for {}, each {} covers different cases", names, summary.setting));
  }
  if (const auto& steps = summary.differing_steps) {
    lines.push_back(
        fmt::format("cases took {} to {} steps; loss and loss_convergence_rate depend on the number of steps",
                    steps->fewest, steps->most));
  }
  if (!summary.unmatched.empty()) {
    lines.push_back(fmt::format("excluded, because not every {} was measured with their other settings: {}",
                                summary.setting, fmt::join(summary.unmatched, ", ")));
  }
  return lines;
}

std::vector<std::string> closing_lines(const AnalyzedRun& run, const SettingSummaries& summaries) {
  std::vector<std::string> lines;
  if (!summaries.left_out.empty()) {
    lines.push_back(
        fmt::format("excluded, because they are not ok or not valid: {}", fmt::join(summaries.left_out, ", ")));
  }
  lines.push_back(
      fmt::format("run {}; one value per case; deviation: sample standard deviation over cases", run.run->id));
  return lines;
}

Json metric_summary_json(const MetricSummary& metric) {
  const Summary& cases = metric.cases;
  return {{"name", metric.metric}, {"unit", metric.unit},
          {"cases", cases.n},      {"is_matched", metric.is_matched},
          {"min", cases.min},      {"mean", cases.mean},
          {"max", cases.max},      {"stddev", cases.stddev ? Json(*cases.stddev) : Json()}};
}

Json setting_summary_json(const SettingSummary& summary) {
  const SummaryGroup& group = summary.group;
  Json json = {{"setting", summary.setting},
               {"group",
                {{"scenario", text_or_null(group.scenario)},
                 {"model", text_or_null(group.model)},
                 {"task", text_or_null(group.task)},
                 {"data", text_or_null(group.data)},
                 {"device", text_or_null(group.device)}}},
               {"also_differ", summary.also_differ},
               {"is_matched", summary.is_matched},
               {"unmatched", summary.unmatched},
               {"differing_steps", Json()},
               {"values", Json::array()}};
  if (const auto& steps = summary.differing_steps) {
    json["differing_steps"] = {{"fewest", steps->fewest}, {"most", steps->most}};
  }
  for (const ValueSummary& value : summary.values) {
    Json one = {{"value", value.value}, {"cases", value.cases}, {"metrics", Json::array()}};
    for (const MetricSummary& metric : value.metrics) one["metrics"].push_back(metric_summary_json(metric));
    json["values"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

Document summary_document(const AnalyzedRun& run, const SettingSummaries& summaries) {
  Document document;
  for (const SettingSummary& summary : summaries.settings) {
    Table table = table_of(summary);
    table.notes = lines_of(summary);
    document.sections.push_back({"", title_of(summary), {std::move(table)}});
  }
  document.closing = {{"", "", {list_of(closing_lines(run, summaries))}}};
  return document;
}

Json summary_json(const AnalyzedRun& run, const SettingSummaries& summaries) {
  Json json = {{"schema_version", kResultSchemaVersion},
               {"run", run_name_json(*run.run)},
               {"summaries", Json::array()},
               {"left_out", summaries.left_out}};
  for (const SettingSummary& summary : summaries.settings) json["summaries"].push_back(setting_summary_json(summary));
  return json;
}

}  // namespace transformeter
