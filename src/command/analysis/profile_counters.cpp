// Figures as `perf stat` has them, so that the two can be compared.
#include "analysis/profile_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/profile_tables.h"
#include "base/units.h"
#include "schema/peak.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

std::optional<double> divided(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || !(*below > 0)) return std::nullopt;
  return *above / *below;
}

}  // namespace

std::vector<CounterFigure> counter_figures(const std::vector<EventCount>& events, std::optional<double> pass_s) {
  const auto count = [&](std::string_view name) {
    const EventCount* event = find_counted(events, name);
    return event == nullptr ? std::nullopt : event->value;
  };
  const std::optional<double> cycles = count(event_name::kCycles);
  const std::optional<double> instructions = count(event_name::kInstructions);
  const std::optional<double> kilo_instructions = instructions ? std::optional(*instructions / 1000) : std::nullopt;
  const std::optional<double> cpu_s = count(event_name::kTaskClock);
  std::vector<CounterFigure> figures;
  const auto add = [&](std::string_view name, std::string_view label, std::string_view event,
                       std::optional<double> value, const auto& text_of) {
    figures.push_back({name, label, event, value, value ? text_of(*value) : std::string()});
  };
  const auto share_of_cycles = [](double value) { return fmt::format("{:.2f} % of cycles", 100 * value); };
  add("cycles_per_s", "clock rate", event_name::kCycles, divided(cycles, cpu_s),
      [](double value) { return fmt::format("{:.2f} GHz", value / 1e9); });
  add("instructions_per_cycle", "instructions per cycle", event_name::kInstructions, divided(instructions, cycles),
      [](double value) { return fmt::format("{:.2f} per cycle", value); });
  add("cache_misses_per_1000_instructions", "rate of cache misses", event_name::kCacheMisses,
      divided(count(event_name::kCacheMisses), kilo_instructions),
      [](double value) { return fmt::format("{} per 1000 instructions", format_number(value)); });
  add("memory_read_bytes_per_s", "rate of reads (estimate)", event_name::kMemoryReadBytes,
      divided(count(event_name::kMemoryReadBytes), pass_s),
      [](double value) { return peak_rate_text(value, kReadBandwidthPeak); });
  add("branch_miss_ratio", "share of branch misses", event_name::kBranchMisses,
      divided(count(event_name::kBranchMisses), count(event_name::kBranches)),
      [](double value) { return fmt::format("{:.2f} % of branches", 100 * value); });
  add("stalled_frontend_ratio", "share of stalls (frontend)", event_name::kStalledCyclesFrontend,
      divided(count(event_name::kStalledCyclesFrontend), cycles), share_of_cycles);
  add("stalled_backend_ratio", "share of stalls (backend)", event_name::kStalledCyclesBackend,
      divided(count(event_name::kStalledCyclesBackend), cycles), share_of_cycles);
  add("busy_cpu_count", "busy CPUs", event_name::kTaskClock, divided(cpu_s, pass_s),
      [](double value) { return fmt::format("{:.2f} CPUs", value); });
  return figures;
}

std::optional<double> unprofiled_mean_s(const std::vector<double>& unprofiled_s) {
  const std::optional<Summary> timed = summarize(unprofiled_s);
  return timed ? std::optional(timed->mean) : std::nullopt;
}

std::string counter_label(std::string_view name) {
  if (name == event_name::kTaskClock) return "CPU time";
  if (name == event_name::kMemoryReadBytes) return "read from memory (estimate)";
  std::string label(name);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string counter_text(std::string_view name, double value) {
  if (name.ends_with("_bytes")) return format_bytes(value);
  if (name.ends_with("_s")) return format_duration(value);
  const PrefixedNumber prefixed = with_decimal_prefix(value);
  if (prefixed.prefix.empty()) return calls_number(value);
  return fmt::format("{} {}", format_number(prefixed.number), prefixed.prefix);
}

std::vector<ComparedCounter> compared_counters(const std::vector<EventCount>& before, std::optional<double> before_s,
                                               const std::vector<EventCount>& after, std::optional<double> after_s) {
  std::vector<ComparedCounter> rows;
  const auto change = [](double from, double to) { return from > 0 ? std::optional(to / from - 1) : std::nullopt; };
  for (const EventCount& event : after) {
    const EventCount* earlier = find_counted(before, event.name);
    if (!event.value || earlier == nullptr) continue;
    rows.push_back({counter_label(event.name), counter_text(event.name, *earlier->value),
                    counter_text(event.name, *event.value), change(*earlier->value, *event.value)});
  }
  const std::vector<CounterFigure> old_figures = counter_figures(before, before_s);
  const std::vector<CounterFigure> new_figures = counter_figures(after, after_s);
  for (std::size_t i = 0; i < new_figures.size(); ++i) {
    const CounterFigure& from = old_figures[i];
    const CounterFigure& to = new_figures[i];
    if (!from.value || !to.value) continue;
    rows.push_back({std::string(to.label), from.text, to.text, change(*from.value, *to.value)});
  }
  return rows;
}

}  // namespace transformeter
