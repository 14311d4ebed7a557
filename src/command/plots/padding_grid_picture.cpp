// A row for each task and length: speed-up, then memory saved, along the share of padding.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plots/metric_figure.h"
#include "plots/pictures.h"
#include "report/case_points.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostGroups = 12;
const std::vector<std::string> kGroupSettings{"task", "sequence_length"};

struct CaseGroup {
  std::string label;
  PlotCases cases;
};

std::vector<std::string> only(const std::vector<std::string>& axes, bool of_groups) {
  std::vector<std::string> some;
  for (const std::string& axis : axes) {
    const bool is_of_groups = std::find(kGroupSettings.begin(), kGroupSettings.end(), axis) != kGroupSettings.end();
    if (is_of_groups == of_groups && axis != "padding") some.push_back(axis);
  }
  return some;
}

// In the order of their first cases.
std::vector<CaseGroup> groups_of(const PlotCases& cases) {
  const std::vector<std::string> settings = only(cases.axes, true);
  std::vector<CaseGroup> groups;
  for (const PlotCase& one : cases.cases) {
    const std::string label = settings.empty() ? "" : series_label(cases, one, settings);
    auto found =
        std::find_if(groups.begin(), groups.end(), [&](const CaseGroup& group) { return group.label == label; });
    if (found == groups.end()) {
      groups.push_back({label, cases});
      found = groups.end() - 1;
      found->cases.cases.clear();
    }
    found->cases.cases.push_back(one);
  }
  return groups;
}

bool has_two_paddings(const CaseGroup& group) {
  const std::vector<PlotCase>& cases = group.cases.cases;
  return std::any_of(cases.begin(), cases.end(), [&](const PlotCase& one) {
    return value_of(one, "padding") != value_of(cases.front(), "padding");
  });
}

// The baseline has nothing to show.
void drop_empty_series(AlongSetting& along, const std::vector<MetricChoice>& choices) {
  std::erase_if(along.series, [&](const CaseSeries& series) {
    return std::none_of(series.points.begin(), series.points.end(), [&](const SeriesPoint& point) {
      return std::any_of(choices.begin(), choices.end(),
                         [&](const MetricChoice& choice) { return chosen_row(*point.one, choice).has_value(); });
    });
  });
}

// A series has one colour in all panels: each group gets the series of all, some without points.
void align_series(std::vector<AlongSetting>& alongs) {
  std::vector<std::string> labels;
  for (const AlongSetting& along : alongs) {
    for (const CaseSeries& series : along.series) {
      if (std::find(labels.begin(), labels.end(), series.label) == labels.end()) labels.push_back(series.label);
    }
  }
  for (AlongSetting& along : alongs) {
    std::vector<CaseSeries> aligned;
    for (const std::string& label : labels) {
      const auto found = std::find_if(along.series.begin(), along.series.end(),
                                      [&](const CaseSeries& series) { return series.label == label; });
      aligned.push_back(found == along.series.end() ? CaseSeries{label, {}} : std::move(*found));
    }
    along.series = std::move(aligned);
  }
}

}  // namespace

PictureAnswer padding_grid_picture(const PlotCases& cases) {
  if (!cases.has_baseline) return {std::nullopt, "a baseline"};
  std::vector<CaseGroup> groups = groups_of(cases);
  std::erase_if(groups, [](const CaseGroup& group) { return !has_two_paddings(group); });
  if (groups.empty()) return {std::nullopt, "two values of padding"};
  Picture picture;
  picture.title = "Speed-up and memory saved against the share of padding";
  if (groups.size() > kMostGroups) {
    picture.notes.push_back(
        fmt::format("The first {} of {} tasks and lengths; --where chooses others.", kMostGroups, groups.size()));
    groups.resize(kMostGroups);
  }
  std::vector<MetricChoice> choices;
  for (const char* name : {"speed_up", "memory_saved"}) {
    if (value_count(cases, metric_choice(name)) > 0) choices.push_back(metric_choice(name));
  }
  if (choices.empty()) check_has_values(cases, metric_choice("speed_up"));  // throws, saying why
  const std::vector<std::string> by = only(cases.axes, false);
  std::vector<AlongSetting> alongs;
  for (const CaseGroup& group : groups) {
    alongs.push_back(along_setting(group.cases, "padding", by));
    drop_empty_series(alongs.back(), choices);
  }
  align_series(alongs);
  std::vector<PlotCurve> curves;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const MetricChoice& choice : choices) {
      Panel& panel = picture.panels.emplace_back();
      panel.figure = metric_figure(groups[i].cases, alongs[i], choice, {});
      panel.figure.title = groups[i].label;
      curves.insert(curves.end(), panel.figure.plot.curves.begin(), panel.figure.plot.curves.end());
    }
  }
  picture.columns = choices.size();
  picture.legend = legend_of(alongs.front());
  picture.notes.push_back("Against the baseline with the same padding." + marks_note(curves));
  return {std::move(picture), ""};
}

}  // namespace transformeter
