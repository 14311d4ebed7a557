// What the slices of all cases did together, round by round: whether the machine kept its speed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "report/report_sections.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewestOfACase = 3;  // slices, before their median says what is usual
constexpr std::size_t kFewestRounds = 3;   // that several cases shared
constexpr double kSteady = 0.02;           // a machine that moves less than a run's target precision kept its speed

constexpr std::size_t kMostMarks = 1200;  // more hide each other

/// Slices of one round of the run, each ÷ the median slice of its case.
struct Round {
  std::vector<double> times;
  std::set<const AnalyzedCase*> cases;

  /// One case alone cannot tell the machine's moods from its own.
  bool is_shared() const { return cases.size() > 1; }
};

std::map<std::int64_t, Round> rounds_of(const AnalyzedRun& run) {
  std::map<std::int64_t, Round> rounds;
  for (const AnalyzedCase& one : run.cases) {
    const std::vector<SliceTime>& slices = one.analysis.slices;
    if (!one.is_ok() || slices.size() < kFewestOfACase) continue;
    std::vector<double> seconds;
    for (const SliceTime& slice : slices) seconds.push_back(slice.seconds);
    const double usual = median_of(seconds).value();
    for (const SliceTime& slice : slices) {
      Round& round = rounds[slice.round];
      round.times.push_back(slice.seconds / usual);
      round.cases.insert(&one);
    }
  }
  return rounds;
}

struct Course {
  PlotCurve slices;  // each of them, or those of a round that `every` chooses, with its least and greatest
  std::size_t count = 0;
  std::size_t every = 1;
  PlotCurve medians;  // of each shared round
  double lowest = 0;  // of the medians
  double highest = 0;
};

std::vector<double> every_nth(std::vector<double> times, std::size_t n) {
  if (n == 1) return times;
  std::sort(times.begin(), times.end());
  std::vector<double> kept;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i % n == 0 || i + 1 == times.size()) kept.push_back(times[i]);
  }
  return kept;
}

// Nothing for too few shared rounds.
std::optional<Course> course_of(const std::map<std::int64_t, Round>& rounds) {
  Course course;
  course.slices.role = PlotRole::kContext;
  course.slices.has_line = false;
  course.slices.mark_size = 0.4;
  for (const auto& [index, round] : rounds) course.count += round.times.size();
  course.every = (course.count + kMostMarks - 1) / kMostMarks;
  std::vector<double> medians;
  for (const auto& [index, round] : rounds) {
    const auto place = static_cast<double>(index + 1);
    for (const double time : every_nth(round.times, course.every))
      course.slices.points.push_back({place, time, std::nullopt, std::nullopt});
    if (!round.is_shared()) continue;
    medians.push_back(median_of(round.times).value());
    course.medians.points.push_back({place, medians.back(), std::nullopt, std::nullopt});
  }
  if (medians.size() < kFewestRounds) return std::nullopt;
  course.lowest = *std::min_element(medians.begin(), medians.end());
  course.highest = *std::max_element(medians.begin(), medians.end());
  return course;
}

PlotAxis round_axis(const std::vector<PlotPoint>& slices) {
  const auto last = std::max_element(slices.begin(), slices.end(),
                                     [](const PlotPoint& left, const PlotPoint& right) { return left.x < right.x; });
  PlotAxis axis = make_axis({"round", "", 1, last->x, false, false});
  axis.from = 0.5;
  axis.to = last->x + 0.5;
  std::erase_if(axis.tics, [&](const PlotTic& tic) {
    return tic.at < axis.from || tic.at > axis.to || tic.at != std::floor(tic.at);
  });
  return axis;
}

Figure figure_of(Course course) {
  Figure figure;
  figure.id = "machine";
  figure.title = "Time of slices by round";
  figure.note =
      "1 is the median slice of the same case. The line is the median of the rounds that several cases shared.";
  if (course.every > 1)
    figure.note += " Of the slices of each round the least, the greatest and some between are drawn.";
  figure.legend = {{PlotRole::kSeries1, false, "median of the round"}, {PlotRole::kContext, false, "a slice"}};
  figure.description = fmt::format("{} slices; medians of {} rounds from {:.3f} to {:.3f}.", course.count,
                                   course.medians.points.size(), course.lowest, course.highest);
  double low = course.lowest;
  double high = course.highest;
  for (const PlotPoint& point : course.slices.points) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  }
  figure.plot.x = round_axis(course.slices.points);
  figure.plot.y = make_axis({"time of a slice / median", "", low, high, false, false});
  figure.plot.y.has_grid = true;
  figure.plot.horizontal = {1};
  figure.curves = {"a slice", "median of the round"};
  figure.plot.curves = {std::move(course.slices), std::move(course.medians)};
  return figure;
}

std::string words_of(const Course& course) {
  const std::string range = fmt::format(
      "In the {} rounds that several cases shared, the median slice took {:.3f} to {:.3f} times what is usual "
      "for its case",
      course.medians.points.size(), course.lowest, course.highest);
  if (course.highest / course.lowest - 1 <= kSteady) return range + ": the machine kept its speed.";
  return range +
         ". Where slices of all cases moved together, so did the machine's speed: intervals between slices include "
         "that, and pairs of slices (--baseline) cancel it.";
}

}  // namespace

std::vector<Block> machine_section(const SectionInput& input) {
  std::optional<Course> course = course_of(rounds_of(input.run));
  if (!course) return {};
  const std::string words = words_of(*course);
  return {Paragraph{words}, figures_of({figure_of(*std::move(course))})};
}

}  // namespace transformeter
