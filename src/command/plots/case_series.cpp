// Nothing is averaged: a series with two cases at one place is an error that says how to part them.
#include "plots/case_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.h"
#include "report/plot_colours.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::array kUsualAxes{"batch_size", "sequence_length", "prompt_length", "new_tokens",
                                "num_beams",  "threads",         "padding"};

std::vector<std::string> texts_of(const PlotCases& cases, const std::string& setting) {
  std::vector<std::string> texts;
  for (const PlotCase& one : cases.cases) {
    std::string text = value_text(cases, one, setting);
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

bool is_number(const PlotCases& cases, const std::string& setting) {
  return std::all_of(cases.cases.begin(), cases.cases.end(), [&](const PlotCase& one) {
    const Json value = value_of(one, setting);
    return value.is_null() || value.is_number();
  });
}

void check_varies(const PlotCases& cases, const std::string& setting) {
  const std::vector<std::string> texts = texts_of(cases, setting);
  if (texts.size() > 1) return;
  const std::string value = texts.empty() ? "no value" : fmt::format("the value {}", texts.front());
  if (cases.axes.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("--x {}: all cases have {}, and no setting varies among them. Plot "
                                                  "a run with more cases, or several runs with --x run",
                                                  setting, value));
  }
  throw Error(ErrorKind::kBadInput, fmt::format("--x {}: all cases have {}; settings that vary: {}", setting, value,
                                                fmt::join(cases.axes, ", ")));
}

// Numbers ascend, then words in the order of their first cases.
std::vector<std::string> ordered_words(const PlotCases& cases, const std::string& setting) {
  std::vector<std::pair<Json, std::string>> values;
  for (const PlotCase& one : cases.cases) {
    const Json value = value_of(one, setting);
    const bool is_known =
        std::any_of(values.begin(), values.end(), [&](const auto& other) { return other.first == value; });
    if (!value.is_null() && !is_known) values.emplace_back(value, value_text(cases, one, setting));
  }
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    if (a.first.is_number() && b.first.is_number())
      return a.first.template get<double>() < b.first.template get<double>();
    return a.first.is_number() && !b.first.is_number();
  });
  std::vector<std::string> words;
  for (auto& [value, text] : values) words.push_back(std::move(text));
  return words;
}

std::optional<double> place_of(const PlotCases& cases, const AlongSetting& along, const PlotCase& one) {
  const Json value = value_of(one, along.setting);
  if (value.is_null()) return std::nullopt;
  if (along.is_number()) return value.get<double>();
  const auto found = std::find(along.words.begin(), along.words.end(), value_text(cases, one, along.setting));
  return static_cast<double>(found - along.words.begin());
}

std::string key_of(const PlotCase& one, const std::vector<std::string>& settings) {
  Json key = Json::array();
  for (const std::string& setting : settings) key.push_back(value_of(one, setting));
  return canonical_json(key);
}

[[noreturn]] void refuse_same_place(const PlotCases& cases, const AlongSetting& along, const CaseSeries& series,
                                    const PlotCase& one, const PlotCase& other, const std::vector<std::string>& by) {
  std::vector<std::string> differing;
  for (const std::string& axis : cases.axes) {
    if (value_of(one, axis) != value_of(other, axis)) differing.push_back(axis);
  }
  std::vector<std::string> wanted = by;
  wanted.insert(wanted.end(), differing.begin(), differing.end());
  const std::string cure =
      differing.empty()
          ? "choose one run"
          : fmt::format("add them to --by (--by {}) or choose one value with --where", fmt::join(wanted, ","));
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("series '{}' has several cases at {} {}: cases {} and {} differ in {}; {}", series.label,
                  along.setting, value_text(cases, one, along.setting), one.one->record->id, other.one->record->id,
                  differing.empty() ? "nothing" : fmt::format("{}", fmt::join(differing, ", ")), cure));
}

void sort_points(const PlotCases& cases, const AlongSetting& along, CaseSeries& series,
                 const std::vector<std::string>& by) {
  std::stable_sort(series.points.begin(), series.points.end(),
                   [](const SeriesPoint& a, const SeriesPoint& b) { return a.x < b.x; });
  const auto same = std::adjacent_find(series.points.begin(), series.points.end(),
                                       [](const SeriesPoint& a, const SeriesPoint& b) { return a.x == b.x; });
  if (same != series.points.end()) {
    refuse_same_place(cases, along, series, *same->one, *std::next(same)->one, by);
  }
}

}  // namespace

PlotRole role_of_series(std::size_t place) {
  return place < kNamedSeries ? series_role(place % kSeriesRoles) : PlotRole::kContext;
}

bool is_dashed_series(std::size_t place) {
  return place < kNamedSeries && (place % 2 == 1) != (place >= kSeriesRoles);
}

AlongSetting along_setting(const PlotCases& cases, const std::string& x,
                           const std::optional<std::vector<std::string>>& by) {
  check_setting(cases, "--x: setting", x);
  if (by) {
    for (const std::string& setting : *by) check_setting(cases, "--by: setting", setting);
  }
  check_varies(cases, x);
  std::vector<std::string> others = by.value_or(cases.axes);
  std::erase(others, x);
  AlongSetting along;
  along.setting = x;
  if (!is_number(cases, x)) along.words = ordered_words(cases, x);
  std::map<std::string, std::size_t> places;
  for (const PlotCase& one : cases.cases) {
    const std::optional<double> at = place_of(cases, along, one);
    if (!at) {
      ++along.without;
      continue;
    }
    const auto [place, is_new] = places.emplace(key_of(one, others), along.series.size());
    if (is_new) along.series.push_back({series_label(cases, one, others), {}});
    along.series[place->second].points.push_back({*at, &one});
  }
  for (CaseSeries& series : along.series) sort_points(cases, along, series, others);
  return along;
}

std::string default_x(const PlotCases& cases) {
  for (const char* axis : kUsualAxes) {
    const bool varies = std::find(cases.axes.begin(), cases.axes.end(), axis) != cases.axes.end();
    if (varies && is_number(cases, axis) && texts_of(cases, axis).size() > 1) return axis;
  }
  return cases.axes.empty() ? "" : cases.axes.front();
}

std::vector<LegendEntry> legend_of(const AlongSetting& along) {
  std::vector<LegendEntry> legend;
  if (along.series.size() < 2) return legend;  // a line alone needs no name
  for (std::size_t i = 0; i < std::min(along.series.size(), kNamedSeries); ++i) {
    legend.push_back({role_of_series(i), is_dashed_series(i), along.series[i].label});
  }
  if (along.series.size() > kNamedSeries) {
    legend.push_back({PlotRole::kContext, false, fmt::format("{} others", along.series.size() - kNamedSeries)});
  }
  return legend;
}

}  // namespace transformeter
