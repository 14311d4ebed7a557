// Panels side by side, as many columns as make rows of three at most.
#include "plots/metric_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "report/case_points.h"

namespace transformeter {
namespace {

std::string title_of(const AlongSetting& along, const std::vector<MetricChoice>& choices) {
  std::vector<std::string> words;
  for (const MetricChoice& choice : choices) words.push_back(choice.words());
  std::string title = fmt::format("{} by {}", fmt::join(words, ", "), words_of(along.setting));
  if (title.front() >= 'a' && title.front() <= 'z') title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

void add_notes(Picture& picture, const AlongSetting& along) {
  std::vector<PlotCurve> curves;
  for (const Panel& panel : picture.panels) {
    picture.notes.push_back(panel.figure.note);
    curves.insert(curves.end(), panel.figure.plot.curves.begin(), panel.figure.plot.curves.end());
  }
  picture.notes.emplace_back(trim(marks_note(curves)));
  if (along.series.size() > kNamedSeries) {
    picture.notes.push_back(fmt::format("{} of {} series are grey and without a name; --where chooses fewer.",
                                        along.series.size() - kNamedSeries, along.series.size()));
  }
}

}  // namespace

std::vector<std::string> source_notes(const PlotCases& cases) {
  std::vector<std::string> notes;
  std::vector<std::string> left_out;
  if (cases.invalid > 0) left_out.push_back(counted(cases.invalid, "invalid case"));
  if (cases.without_result > 0) left_out.push_back(counted(cases.without_result, "case") + " without a result");
  if (!left_out.empty()) notes.push_back(fmt::format("Left out: {}.", fmt::join(left_out, ", ")));
  notes.push_back(fmt::format("Run{} {}; {}.", cases.runs.size() == 1 ? "" : "s", fmt::join(cases.runs, ", "),
                              fmt::join(cases.hosts, "; ")));
  return notes;
}

Picture panels_along(const PlotCases& cases, const AlongSetting& along, const std::vector<MetricChoice>& choices,
                     const AxisScales& scales) {
  constexpr int kSingleWidth = 560;
  constexpr int kSingleHeight = 340;
  constexpr int kWordWidth = 60;  // of each word and series beside it, where there is room for a text
  Picture picture;
  picture.title = title_of(along, choices);
  picture.columns = choices.size() == 4 ? 2 : std::min<std::size_t>(choices.size(), 3);
  for (const MetricChoice& choice : choices) {
    Panel& panel = picture.panels.emplace_back();
    panel.figure = metric_figure(cases, along, choice, scales);
    if (choices.size() == 1) {
      panel.width = std::max(kSingleWidth, kWordWidth * static_cast<int>(along.words.size()));
      panel.height = kSingleHeight;
    }
    panel.figure.title.clear();  // the axis names the metric
  }
  picture.names_lines = choices.size() == 1 && along.is_number() && along.series.size() > 1;
  if (!picture.names_lines) picture.legend = legend_of(along);
  add_notes(picture, along);
  return picture;
}

Picture metric_picture(const PlotCases& cases, const MetricRequest& request) {
  std::vector<MetricChoice> choices;
  for (const std::string& metric : request.metrics) {
    choices.push_back(parse_metric(cases, metric));
    check_has_values(cases, choices.back());
  }
  const std::string x = request.x.empty() ? default_x(cases) : request.x;
  if (x.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("run {} has a single case, and no setting to plot it against; several runs can be plotted "
                            "with --x run",
                            fmt::join(cases.runs, ", ")));
  }
  Picture picture = panels_along(cases, along_setting(cases, x, request.by), choices, request.scales);
  for (std::string& note : source_notes(cases)) picture.notes.push_back(std::move(note));
  return picture;
}

}  // namespace transformeter
