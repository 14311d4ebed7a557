// Whether the machine kept its speed: what the slices of all cases did together, round by round.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "report/report_sections.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewestOfACase = 3;  // of a case, before its median says what is usual
constexpr std::size_t kFewestRounds = 3;
constexpr double kSteady = 0.02;  // a machine that moves less than a run's target precision kept its speed

/// Times of slices ÷ the median slice of their case, by the run's round.
using RelativeTimes = std::map<std::int64_t, std::vector<double>>;

RelativeTimes relative_times(const AnalyzedRun& run) {
  RelativeTimes rounds;
  for (const AnalyzedCase& one : run.cases) {
    const std::vector<SliceTime>& slices = one.analysis.slices;
    if (!one.is_ok() || slices.size() < kFewestOfACase) continue;
    std::vector<double> seconds;
    for (const SliceTime& slice : slices) seconds.push_back(slice.seconds);
    const double usual = median_of(seconds).value();
    for (const SliceTime& slice : slices) rounds[slice.round].push_back(slice.seconds / usual);
  }
  return rounds;
}

struct Course {
  PlotCurve slices;   // each of them
  PlotCurve medians;  // of each round
  double lowest = 1;  // of the medians
  double highest = 1;
  std::size_t slice_count = 0;
};

Course course_of(const RelativeTimes& rounds) {
  Course course;
  course.slices.role = PlotRole::kContext;
  course.slices.has_line = false;
  course.slices.mark_size = 0.4;
  std::vector<double> medians;
  for (const auto& [round, times] : rounds) {
    const auto place = static_cast<double>(round + 1);
    for (const double time : times) course.slices.points.push_back({place, time, std::nullopt, std::nullopt});
    medians.push_back(median_of(times).value());
    course.medians.points.push_back({place, medians.back(), std::nullopt, std::nullopt});
    course.slice_count += times.size();
  }
  course.lowest = *std::min_element(medians.begin(), medians.end());
  course.highest = *std::max_element(medians.begin(), medians.end());
  return course;
}

Figure figure_of(Course course, std::size_t cases) {
  Figure figure;
  figure.id = "machine";
  figure.title = "Time of slices by round";
  figure.note =
      "1 is the median slice of the same case. The line is the median of a round's slices, whatever their case.";
  figure.legend = {{PlotRole::kSeries1, false, "median of the round"}, {PlotRole::kContext, false, "a slice"}};
  figure.description =
      fmt::format("Medians of {} rounds over {} slices of {} cases, from {:.3f} to {:.3f}.",
                  course.medians.points.size(), course.slice_count, cases, course.lowest, course.highest);
  double low = course.lowest;
  double high = course.highest;
  for (const PlotPoint& point : course.slices.points) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  }
  const std::vector<PlotPoint>& rounds = course.medians.points;
  figure.plot.x = make_axis({"round", "", rounds.front().x, rounds.back().x, false, false});
  figure.plot.y = make_axis({"time of a slice / median", "", low, high, false, false});
  figure.plot.y.has_grid = true;
  figure.plot.horizontal = {1};
  figure.curves = {"a slice", "median of the round"};
  figure.plot.curves = {std::move(course.slices), std::move(course.medians)};
  return figure;
}

std::string finding(const Course& course) {
  const std::string range =
      fmt::format("The median slice of a round took {:.3f} to {:.3f} times what is usual for its case", course.lowest,
                  course.highest);
  if (course.highest / course.lowest - 1 <= kSteady) return range + ": the machine kept its speed.";
  return range +
         ": the machine's speed moved, or cases disturbed each other. Intervals between slices hold that; cases are "
         "best "
         "compared by pairs of slices (--baseline), in which it cancels.";
}

}  // namespace

std::vector<Block> machine_section(const SectionInput& input) {
  const RelativeTimes rounds = relative_times(input.run);
  if (rounds.size() < kFewestRounds) return {};
  Course course = course_of(rounds);
  const auto cases = static_cast<std::size_t>(std::count_if(
      input.run.cases.begin(), input.run.cases.end(),
      [](const AnalyzedCase& one) { return one.is_ok() && one.analysis.slices.size() >= kFewestOfACase; }));
  const std::string words = finding(course);
  return {Paragraph{words}, figures_of({figure_of(std::move(course), cases)})};
}

}  // namespace transformeter
