// Warm-up is often far above the rest, so the vertical axis fits the samples that count; what lies beyond is marked at
// its edge.
#include "report/sample_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "metrics/scenario_type.h"
#include "metrics/slices.h"
#include "report/loss_figure.h"
#include "report/metric_text.h"

namespace transformeter {
namespace {

// A sample as drawn: its place among all of the case's samples, from 1 on.
struct Sample {
  double place = 0;
  double seconds = 0;
  bool is_counted = false;  // in no cut, warm-up or unsteady part
};

struct SampleRun {
  std::vector<Sample> samples;  // finite ones
  std::vector<PlotBand> cut;    // up to the steady window, for each slice
  std::vector<double> borders;  // between slices
  std::size_t length = 0;       // samples, whether finite or not
  std::size_t cut_count = 0;
  std::size_t tail_count = 0;  // of cycles that were cut off
  std::size_t unsteady = 0;    // slices without a steady window
  std::size_t slices = 0;

  // More lines and bands than this would hide the samples.
  bool has_room_for_lines() const { return slices <= 12; }
};

// The samples that count follow the cut; of several batches per cycle those of complete cycles do.
void add_slice(SampleRun& run, const Series& latency, const SampleWindow& window) {
  const auto offset = static_cast<double>(run.length);
  if (run.slices++ > 0) run.borders.push_back(offset + 0.5);
  const bool has_flags = latency.flags.size() == latency.value.size();
  std::size_t warm_up = 0;
  while (has_flags && warm_up < latency.flags.size() && (latency.flags[warm_up] & kSampleWarmup) != 0) ++warm_up;
  const std::size_t from = std::max(window.from.value_or(warm_up), warm_up);
  const std::size_t to =
      window.has_cycles() && !window.samples.empty() ? from + window.samples.size() : latency.value.size();
  if (!window.from) ++run.unsteady;
  if (from > 0) run.cut.push_back({offset + 0.5, offset + static_cast<double>(from) + 0.5});
  run.cut_count += from;
  if (to < latency.value.size()) run.tail_count += latency.value.size() - to;
  for (std::size_t i = 0; i < latency.value.size(); ++i) {
    const double place = offset + static_cast<double>(i) + 1;
    if (std::isfinite(latency.value[i])) run.samples.push_back({place, latency.value[i], i >= from && i < to});
  }
  run.length += latency.value.size();
}

SampleRun samples_of(const Slices& slices) {
  SampleRun run;
  for (std::size_t i = 0; i < slices.all.size(); ++i) {
    const Series* latency = find_series(slices.all[i]->series, "latency");
    if (latency != nullptr && !latency->value.empty()) add_slice(run, *latency, slices.windows[i]);
  }
  return run;
}

// Least and greatest of each stretch of `size` neighbours that are all counted or all not.
std::vector<Sample> thinned(const std::vector<Sample>& samples, std::size_t size) {
  if (size < 2) return samples;
  std::vector<Sample> kept;
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin;
    while (end < samples.size() && end < begin + size && samples[end].is_counted == samples[begin].is_counted) ++end;
    const auto [least, greatest] = std::minmax_element(
        samples.begin() + static_cast<std::ptrdiff_t>(begin), samples.begin() + static_cast<std::ptrdiff_t>(end),
        [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
    kept.push_back(*std::min(least, greatest));
    if (least != greatest) kept.push_back(*std::max(least, greatest));
    begin = end;
  }
  return kept;
}

const char* unit_time_of(const AnalyzedCase& one) {
  return scenario_type(scenario_of(one.record->requested)).unit_time;
}

PlotAxis seconds_axis(const std::vector<Sample>& samples, const char* unit_time) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const bool counted : {true, false}) {
    for (const Sample& sample : samples) {
      if (sample.is_counted != counted) continue;
      low = std::min(low, sample.seconds);
      high = std::max(high, sample.seconds);
    }
    if (low <= high) break;  // those that count are enough
  }
  // Room above, so that a warm-up a little slower than the rest shows as it is.
  PlotAxis axis = make_axis({unit_time, "s", low, high + 0.25 * (high - low), false, false});
  axis.has_grid = true;
  return axis;
}

PlotCurve marks(PlotRole role) {
  PlotCurve curve;
  curve.role = role;
  curve.has_line = false;
  return curve;
}

void add_samples(Plot& plot, const std::vector<Sample>& samples, std::size_t& beyond) {
  PlotCurve counted = marks(PlotRole::kSeries1);
  PlotCurve others = marks(PlotRole::kContext);
  const double size = samples.size() > 300 ? 0.28 : samples.size() > 80 ? 0.4 : 0.55;
  counted.mark_size = others.mark_size = size;
  const double edge = plot.y.to - 0.03 * (plot.y.to - plot.y.from);
  for (const Sample& sample : samples) {
    PlotPoint point{sample.place, sample.seconds, std::nullopt, std::nullopt, PlotMark::kFilled};
    if (sample.seconds > plot.y.to || sample.seconds < plot.y.from) {
      point.y = sample.seconds > plot.y.to ? edge : plot.y.from;
      point.mark = PlotMark::kBeyond;
      ++beyond;
    }
    (sample.is_counted ? counted : others).points.push_back(point);
  }
  plot.curves.push_back(std::move(others));
  plot.curves.push_back(std::move(counted));
}

std::string series_note(const SampleRun& run, std::size_t beyond, std::size_t stretch) {
  std::string note = run.cut_count == 0
                         ? "No warm-up samples were cut."
                         : fmt::format("{}: warm-up, {} not counted.", run.has_room_for_lines() ? "Shaded" : "Grey",
                                       counted(run.cut_count, "sample"));
  if (run.tail_count > 0) {
    note += fmt::format(" Grey at the end: incomplete cycle, {} not counted.", counted(run.tail_count, "sample"));
  }
  if (run.unsteady > 0 && run.slices == 1) note += " No steady state was found.";
  if (run.unsteady > 0 && run.slices > 1) {
    note += fmt::format(" {} of {} slices have no steady state.", run.unsteady, run.slices);
  }
  if (run.slices > 1) {
    note += fmt::format(" {} slices{}.", run.slices, run.has_room_for_lines() ? ", separated by lines" : "");
  }
  if (beyond > 0) {
    const Sample& longest = *std::max_element(run.samples.begin(), run.samples.end(),
                                              [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
    const bool is_cut = std::any_of(run.cut.begin(), run.cut.end(), [&](const PlotBand& band) {
      return band.from < longest.place && longest.place < band.to;
    });
    note += fmt::format(" Triangles: {} off the scale; the longest took {}{}.", beyond,
                        format_duration(longest.seconds), is_cut ? " (warm-up)" : "");
  }
  if (stretch > 1) note += fmt::format(" Drawn: minimum and maximum of every {} samples.", stretch);
  return note;
}

Figure series_figure(const AnalyzedCase& one, const SampleRun& run) {
  Figure figure;
  figure.id = "samples";
  figure.title = "Samples in order";
  const std::size_t stretch = (2 * run.samples.size() + kMaxMarks - 1) / kMaxMarks;
  const std::size_t size = run.samples.size() > kMaxMarks ? stretch : 1;
  Plot& plot = figure.plot;
  plot.height = 250;
  plot.x = make_axis({"sample", "", 1, static_cast<double>(std::max<std::size_t>(run.length, 2)), false, false});
  plot.x.from = 0.5;
  plot.x.to = static_cast<double>(run.length) + 0.5;
  std::erase_if(plot.x.tics, [&](const PlotTic& tic) {
    return tic.at < plot.x.from || tic.at > plot.x.to || tic.at != std::floor(tic.at);
  });
  plot.y = seconds_axis(run.samples, unit_time_of(one));
  if (run.has_room_for_lines()) {
    plot.bands = run.cut;
    for (const PlotBand& band : run.cut) plot.vertical.push_back(band.to);
    plot.vertical.insert(plot.vertical.end(), run.borders.begin(), run.borders.end());
  }
  const MetricRow* median = find_metric(one.analysis.metrics, "latency", "median");
  if (median != nullptr && median->value) plot.centre = *median->value;
  std::size_t beyond = 0;
  add_samples(plot, thinned(run.samples, size), beyond);
  figure.note = series_note(run, beyond, size);
  if (plot.centre) figure.note += " Dashed: median.";
  figure.description = fmt::format("{} in measuring order. {}", counted(run.length, "sample"), figure.note);
  return figure;
}

struct Carried {
  const char* statistic;
  double share;
};
constexpr std::array kCarried{Carried{"median", 0.5}, Carried{"p90", 0.9}, Carried{"p95", 0.95}, Carried{"p99", 0.99},
                              Carried{"p99.9", 0.999}};

// Percentiles that the samples carry, on the curve, each with its interval where it has one.
PlotCurve percentile_curve(const AnalyzedCase& one, std::vector<std::string>& words) {
  PlotCurve curve = marks(PlotRole::kSeries2);
  curve.intervals_in_x = true;
  curve.mark_size = 0.6;
  for (const Carried& carried : kCarried) {
    const MetricRow* row = find_metric(one.analysis.metrics, "latency", carried.statistic);
    if (row == nullptr || !row->value || !std::isfinite(*row->value)) continue;
    curve.points.push_back({*row->value, carried.share, row->low, row->high, PlotMark::kFilled});
    words.push_back(fmt::format("{} {}", carried.statistic, format_quantity(*row->value, row->unit)));
  }
  return curve;
}

std::optional<Figure> distribution_figure(const AnalyzedCase& one, const std::vector<SampleWindow>& windows) {
  std::vector<double> sorted;
  bool over_inputs = false;
  for (const SampleWindow& window : windows) {
    sorted.insert(sorted.end(), window.samples.begin(), window.samples.end());
    over_inputs = over_inputs || window.has_cycles();
  }
  if (sorted.size() < 2) return std::nullopt;
  std::sort(sorted.begin(), sorted.end());
  Figure figure;
  figure.id = "distribution";
  figure.title = over_inputs ? "Distribution over inputs" : "Distribution";
  Plot& plot = figure.plot;
  plot.height = 250;
  constexpr double kLogFrom = 8;
  const bool is_log = sorted.front() > 0 && sorted.back() / sorted.front() > kLogFrom;
  plot.x = make_axis({unit_time_of(one), "s", sorted.front(), sorted.back(), is_log, false});
  plot.y = make_axis({"share of samples", "ratio", 0, 1, false, true});
  plot.y.has_grid = true;
  plot.curves.push_back(distribution_curve(sorted));
  std::vector<std::string> words;
  PlotCurve percentiles = percentile_curve(one, words);
  if (!percentiles.points.empty()) plot.curves.push_back(std::move(percentiles));
  figure.note = fmt::format("{}, warm-up excluded.", counted(sorted.size(), "sample"));
  if (!words.empty()) {
    figure.note += fmt::format(" Marked: {}{}.", fmt::join(words, ", "),
                               windows.size() > 1 ? ", means over slices or processes" : "");
  }
  if (is_log) figure.note += " The horizontal axis is logarithmic.";
  figure.description = "Cumulative distribution of sample times. " + figure.note;
  return figure;
}

bool has_samples(const AnalyzedCase& one) {
  const auto holds_any = [](const ReplicateRecord& replicate) {
    const Series* latency = find_series(replicate.series, "latency");
    return replicate.status == Status::kOk && latency != nullptr &&
           std::any_of(latency->value.begin(), latency->value.end(), [](double value) { return std::isfinite(value); });
  };
  return one.is_ok() && std::any_of(one.record->replicates.begin(), one.record->replicates.end(), holds_any);
}

}  // namespace

PlotCurve distribution_curve(const std::vector<double>& sorted) {
  PlotCurve curve;
  curve.has_marks = false;
  const auto n = static_cast<double>(sorted.size());
  const std::size_t stride = (sorted.size() + kMaxMarks / 2 - 1) / (kMaxMarks / 2);
  double share = 0;
  for (std::size_t i = 0; i < sorted.size(); i += stride) {
    const std::size_t last = std::min(i + stride, sorted.size()) - 1;
    curve.points.push_back({sorted[last], share, std::nullopt, std::nullopt, PlotMark::kFilled});
    share = static_cast<double>(last + 1) / n;
    curve.points.push_back({sorted[last], share, std::nullopt, std::nullopt, PlotMark::kFilled});
  }
  return curve;
}

std::vector<double> counted_samples(const AnalyzedCase& one) {
  std::vector<double> sorted;
  if (!has_samples(one)) return sorted;
  for (const SampleWindow& window : slices_of(*one.record).windows) {
    sorted.insert(sorted.end(), window.samples.begin(), window.samples.end());
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<Figure> sample_figures(const AnalyzedCase& one) {
  if (!has_samples(one)) return {};
  const Slices slices = slices_of(*one.record);
  std::vector<Figure> figures{series_figure(one, samples_of(slices))};
  if (auto distribution = distribution_figure(one, slices.windows)) figures.push_back(std::move(*distribution));
  if (auto losses = loss_figure(one)) figures.push_back(std::move(*losses));
  return figures;
}

std::vector<const AnalyzedCase*> cases_with_figures(const AnalyzedRun& run, std::size_t most) {
  std::set<const AnalyzedCase*> chosen;
  for (const bool wants_valid : {false, true}) {
    for (const AnalyzedCase& one : run.cases) {
      const bool is_valid = one.analysis.verdict.level == VerdictLevel::kValid;
      if (chosen.size() < most && is_valid == wants_valid && has_samples(one)) chosen.insert(&one);
    }
  }
  std::vector<const AnalyzedCase*> cases;
  for (const AnalyzedCase& one : run.cases) {
    if (chosen.count(&one) != 0) cases.push_back(&one);
  }
  return cases;
}

}  // namespace transformeter
