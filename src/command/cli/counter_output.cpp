// Reasons stand below the table, one line for each, since most events share theirs.
#include "cli/counter_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/profile_counters.h"
#include "cli/text_table.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

std::string figure_beside(const std::vector<CounterFigure>& figures, const std::string& event) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const CounterFigure& figure) { return figure.event == event; });
  return found == figures.end() ? std::string() : found->text;
}

std::string reason_lines(const std::vector<EventCount>& events) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const EventCount& event : events) {
    if (event.value) continue;
    auto place =
        std::find_if(reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == event.reason; });
    if (place == reasons.end()) place = reasons.insert(reasons.end(), {event.reason, {}});
    place->second.push_back(counter_label(event.name));
  }
  std::string text;
  for (const auto& [reason, labels] : reasons) {
    text += one_line(fmt::format("not counted: {}: {}", fmt::join(labels, ", "), reason)) + "\n";
  }
  return text;
}

}  // namespace

std::string counter_table(const Profile& profile, const char* unit) {
  if (!profile.counters) return "";
  const std::vector<EventCount>& events = *profile.counters;
  const std::vector<CounterFigure> figures = counter_figures(events, unprofiled_mean_s(profile.unprofiled_s));
  std::vector<std::vector<std::string>> cells;
  for (const EventCount& event : events) {
    if (!event.value) continue;
    cells.push_back({counter_label(event.name), counter_text(event.name, *event.value),
                     fmt::format("{:.0f} %", 100 * (1 - event.scaled_share)), figure_beside(figures, event.name)});
  }
  std::string text;
  if (!cells.empty()) {
    text += text_table({{fmt::format("counters, of a {}", unit)}, {"count", true}, {"counted", true}, {""}}, cells);
    text += fmt::format("mean of {}, counted {}without the profiler, in all threads of the worker\n", profile.passes,
                        profile.gpu ? "on the host, not on the GPU, " : "");
  }
  return text + reason_lines(events);
}

std::string counter_comparison(const ProfileSummary& before, const ProfileSummary& after) {
  std::vector<std::vector<std::string>> cells;
  for (const ComparedCounter& row :
       compared_counters(before.counters, before.unprofiled_mean_s, after.counters, after.unprofiled_mean_s)) {
    cells.push_back(
        {row.name, row.before, row.after, row.change_ratio ? fmt::format("{:+.1f} %", 100 * *row.change_ratio) : "-"});
  }
  if (cells.empty()) return "";
  return text_table({{"counters"}, {"before", true}, {"after", true}, {"change", true}}, cells);
}

Json counters_json(const Profile& profile) {
  return profile.counters ? named_json(*profile.counters) : Json();
}

Json counter_figures_json(const Profile& profile) {
  if (!profile.counters) return Json();
  Json named = Json::object();
  for (const CounterFigure& figure : counter_figures(*profile.counters, unprofiled_mean_s(profile.unprofiled_s))) {
    named[std::string(figure.name)] = figure.value ? Json(*figure.value) : Json();
  }
  return named;
}

}  // namespace transformeter
