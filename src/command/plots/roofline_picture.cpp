// Williams, Waterman, Patterson 2009. The bytes are those of the weights, read once per pass: activations are not
// counted, so that the true intensity is lower.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "metrics/case_settings.h"
#include "plots/case_rows.h"
#include "plots/case_series.h"
#include "plots/metric_choice.h"
#include "plots/pictures.h"
#include "report/case_points.h"

namespace transformeter {
namespace {

constexpr double kGiga = 1e9;

MetricRow in_giga(MetricRow row) {
  for (std::optional<double>* value : {&row.value, &row.low, &row.high}) {
    if (*value) **value /= kGiga;
  }
  return row;
}

struct Roof {
  double compute = 0;  // operations per second
  double reading = 0;  // bytes per second

  bool operator<(const Roof& other) const {
    return compute != other.compute ? compute < other.compute : reading < other.reading;
  }
};

struct Position {
  const PlotCase* one;
  double intensity;  // operations per byte
  MetricRow rate;
  Roof roof;
};

// Operations of a cycle by the bytes of the weights that its passes read.
std::optional<double> intensity_of(const PlotCase& one) {
  for (const ReplicateRecord& replicate : one.one->record->replicates) {
    const Series* flops = find_series(replicate.series, "useful_flops");
    const Series* bytes = find_series(replicate.series, "weight_bytes_read");
    if (flops == nullptr || bytes == nullptr || flops->value.empty() || bytes->value.empty()) continue;
    const double sum = std::accumulate(flops->value.begin(), flops->value.end(), 0.0);
    const double read = bytes->value.front() * static_cast<double>(flops->value.size());
    if (sum > 0 && read > 0) return sum / read;
  }
  return std::nullopt;
}

std::optional<Position> position_of(const PlotCase& one) {
  const Json& effective = one.one->record->effective;
  const auto compute = number_of_path(effective, {"peaks", "gemm", "value"});
  const auto reading = number_of_path(effective, {"peaks", "read_bandwidth", "value"});
  const auto rate = chosen_row(one, metric_choice("throughput_flops"));
  const auto intensity = intensity_of(one);
  if (!compute || !reading || !rate || !intensity || !(*compute > 0) || !(*reading > 0)) return std::nullopt;
  return Position{&one, *intensity, *rate, {*compute, *reading}};
}

PlotCurve roof_curve(const Roof& roof, double from, double to) {
  PlotCurve curve;
  curve.role = PlotRole::kAxis;
  curve.has_marks = false;
  const double knee = roof.compute / roof.reading;
  for (const double x : {from, std::clamp(knee, from, to), to}) {
    curve.points.push_back(
        {x, std::min(roof.compute, roof.reading * x) / kGiga, std::nullopt, std::nullopt, PlotMark::kFilled});
  }
  return curve;
}

}  // namespace

PictureAnswer roofline_picture(const PlotCases& cases) {
  std::vector<Position> all;
  for (const PlotCase& one : cases.cases) {
    if (const auto position = position_of(one)) all.push_back(*position);
  }
  if (all.empty()) return {};
  Picture picture;
  picture.title = "Roofline: operations per second by operations per byte";
  Panel& panel = picture.panels.emplace_back();
  Figure& figure = panel.figure;
  std::map<Roof, std::string> roofs;
  double from = INFINITY;
  double to = 0;
  double low = INFINITY;
  double high = 0;
  for (const Position& one : all) {
    roofs.emplace(one.roof, value_text(cases, *one.one, "precision"));
    const double knee = one.roof.compute / one.roof.reading;
    from = std::min({from, one.intensity / 2, knee / 4});
    to = std::max({to, one.intensity * 2, knee * 4});
    low = std::min(low, *one.rate.value / 2);
    high = std::max({high, one.roof.compute * 1.3, one.rate.high.value_or(*one.rate.value) * 1.1});
  }
  for (const auto& [roof, precision] : roofs) {
    figure.plot.curves.push_back(roof_curve(roof, from, to));
    figure.curves.push_back("peak " + precision);
    low = std::min(low, std::min(roof.compute, roof.reading * from));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    PlotCurve& curve = figure.plot.curves.emplace_back();
    curve.role = role_of_series(i);
    curve.has_line = false;
    curve.points = {point_of(*all[i].one->one, in_giga(all[i].rate), all[i].intensity)};
    figure.curves.emplace_back();  // the legend names it: its place is amid the axes
    const std::string name = case_name(cases, *all[i].one);
    figure.description +=
        fmt::format("{}: {:.3g} flop/s at {:.3g} flop/B. ", name, *all[i].rate.value, all[i].intensity);
    if (i < kNamedSeries) picture.legend.push_back({curve.role, curve.is_dashed, name});
  }
  figure.plot.x = make_axis({"operations per byte of weights (flop/B)", "", from, to, true, false});
  figure.plot.y = make_axis({"operations per second (Gflop/s)", "", low / kGiga, high / kGiga, true, false});
  figure.plot.y.has_grid = true;
  for (PlotCurve& curve : figure.plot.curves) cut_bars(curve, figure.plot.y);
  panel.width = 600;
  panel.height = 380;
  picture.names_lines = true;  // of the roofs
  if (all.size() > kNamedSeries) {
    picture.notes.push_back(fmt::format("{} of {} cases are grey and without a name; --where chooses fewer.",
                                        all.size() - kNamedSeries, all.size()));
  }
  picture.notes.push_back(
      fmt::format("Lines: the peaks measured on the run's machine, of reading memory (slanted) and of matrix products "
                  "(level). Bytes are those of the weights alone.{}",
                  marks_note(figure.plot.curves)));
  return {std::move(picture), ""};
}

}  // namespace transformeter
