// Pictures that are panels of metrics along a setting: which metrics, and along what.
#include <algorithm>
#include <array>
#include <span>

#include "plots/metric_picture.h"
#include "plots/pictures.h"

namespace transformeter {
namespace {

constexpr std::array kSixPanel{"latency",
                               "cycle_time",
                               "time_to_first_token",
                               "throughput_samples",
                               "throughput_audio_seconds",
                               "throughput_decode_tokens",
                               "peak_rss_above_baseline",
                               "time_per_example",
                               "energy",
                               "speed_up",
                               "mfu",
                               "loss",
                               "throughput_useful_tokens",
                               "peak_allocated",
                               "accuracy",
                               "cold_start"};
constexpr std::array kMemory{
    "peak_rss",    "peak_rss_above_baseline", "peak_anonymous", "peak_allocated", "activation_bytes", "optimizer_bytes",
    "cache_bytes", "peak_reserved",           "weight_bytes",   "pss_at_end"};
constexpr std::array kPadding{"speed_up", "memory_saved", "tensor_memory_saved"};
constexpr std::array kPrecision{"latency",        "cycle_time",   "throughput_samples",
                                "peak_allocated", "weight_bytes", "divergence",
                                "accuracy",       "loss",         "speed_up"};
constexpr std::array kDevices{"latency",  "cycle_time", "throughput_samples", "peak_rss",   "peak_allocated", "energy",
                              "speed_up", "mfu",        "accuracy",           "divergence", "cold_start"};
constexpr std::array kEnergy{"energy", "energy_net", "energy_per_token"};
constexpr std::size_t kMostPanels = 6;

bool varies(const PlotCases& cases, const std::string& setting) {
  return std::find(cases.axes.begin(), cases.axes.end(), setting) != cases.axes.end();
}

std::vector<MetricChoice> with_values(const PlotCases& cases, std::span<const char* const> names) {
  std::vector<MetricChoice> choices;
  for (const char* name : names) {
    MetricChoice choice = metric_choice(name);
    if (choices.size() < kMostPanels && value_count(cases, choice) > 1) choices.push_back(std::move(choice));
  }
  return choices;
}

PictureAnswer panels(const PlotCases& cases, const std::string& x, std::span<const char* const> names,
                     const char* title) {
  const std::vector<MetricChoice> choices = with_values(cases, names);
  if (choices.empty()) return {std::nullopt, "two cases that have one of its metrics"};
  Picture picture = panels_along(cases, along_setting(cases, x, std::nullopt), choices, {});
  picture.title = std::string(title) + " by " + words_of(x);
  return {std::move(picture), ""};
}

PictureAnswer swept_panels(const PlotCases& cases, std::span<const char* const> names, const char* title) {
  const std::string x = default_x(cases);
  if (x.empty()) return {std::nullopt, "a setting that varies"};
  return panels(cases, x, names, title);
}

bool has_any(const PlotCases& cases, std::span<const char* const> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return value_count(cases, metric_choice(name)) > 0; });
}

}  // namespace

PictureAnswer six_panel_picture(const PlotCases& cases) {
  return swept_panels(cases, kSixPanel, "Overview");
}

PictureAnswer memory_picture(const PlotCases& cases) {
  return swept_panels(cases, kMemory, "Memory");
}

PictureAnswer padding_picture(const PlotCases& cases) {
  if (!varies(cases, "padding")) return {std::nullopt, "two values of padding"};
  if (!cases.has_baseline) return {std::nullopt, "a baseline"};
  if (with_values(cases, kPadding).empty()) check_has_values(cases, metric_choice(kPadding.front()));
  return panels(cases, "padding", kPadding, "Speed-up and memory saved");
}

PictureAnswer devices_picture(const PlotCases& cases) {
  if (!varies(cases, "device")) return {};
  return panels(cases, "device", kDevices, "Cost");
}

PictureAnswer energy_picture(const PlotCases& cases) {
  if (!has_any(cases, kEnergy)) return {};
  return swept_panels(cases, kEnergy, "Energy");
}

PictureAnswer precision_picture(const PlotCases& cases) {
  if (!varies(cases, "precision")) return {};
  return panels(cases, "precision", kPrecision, "Cost and accuracy");
}

}  // namespace transformeter
