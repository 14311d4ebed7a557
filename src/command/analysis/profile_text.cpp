// Medians say what the profiler costs; tables add up to the mean.
#include "analysis/profile_text.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/profile_counters.h"
#include "analysis/profile_tables.h"
#include "base/units.h"
#include "schema/settings.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

// What the times are, where they are not those of LibTorch's profiler.
std::string counters_fact(const Profile& profile) {
  return fmt::format(
      "times are {}'s own counters of graph nodes, in whole microseconds; it does not report memory by operator",
      profile.counted_by);
}

// Of a pass that is longer with the counters by more than a tenth.
std::optional<std::string> counting_fact(const Profile& profile) {
  const double with_s = median_of(profile.profiled_s).value_or(0);
  const double without_s = median_of(profile.unprofiled_s).value_or(0);
  if (without_s <= 0 || with_s < 1.1 * without_s) return std::nullopt;
  return fmt::format("counting takes about {} of a pass, mostly outside nodes: tables include it",
                     format_duration(with_s - without_s));
}

// Without the profiler, which makes the host slower and the GPU wait. Means, as the tables have them.
std::string gpu_fact(const Profile& profile, const char* unit) {
  const double busy_s = gpu_busy_s(profile).value_or(0);
  const double whole_s = unprofiled_mean_s(profile.unprofiled_s).value_or(0);
  std::string text = fmt::format("the GPU computes for {} of each {}", format_duration(busy_s), unit);
  if (whole_s > 0) text += fmt::format(", {:.0f} % of one without the profiler", 100 * busy_s / whole_s);
  return text + "; self and total times are the GPU's";
}

}  // namespace

const char* profiled_unit(const Json& requested) {
  if (is_train(requested)) return "step";
  return is_generate(requested) ? "request" : "pass";
}

std::vector<std::string> profile_facts(const Profile& profile, const Json& requested) {
  const char* unit = profiled_unit(requested);
  std::vector<std::string> facts{fmt::format("median {} a {} without the profiler, {} with it ({:.2f}x)",
                                             format_duration(median_of(profile.unprofiled_s).value_or(0)), unit,
                                             format_duration(median_of(profile.profiled_s).value_or(0)),
                                             slow_down_ratio(profile))};
  // Tables add up to the mean, which a single slow pass moves away from the median.
  if (const std::optional<Summary> timed = summarize(profile.profiled_s)) {
    facts.push_back(fmt::format("with it the mean of {} is {} ({} to {}); self times add up to {:.1f} % of that",
                                timed->n, format_duration(timed->mean), format_duration(timed->min),
                                format_duration(timed->max), 100 * self_time_ratio(profile)));
    if (const auto ratio = slow_pass_ratio(profile.profiled_s, profile.batches, requested)) {
      facts.push_back(
          fmt::format("some slow ones raise the mean, and so the tables, to {:.1f} times the median: profile "
                      "again on a quiet machine",
                      *ratio));
    }
  }
  if (!profile.counted_by.empty()) {
    facts.push_back(counters_fact(profile));
    if (const auto counting = counting_fact(profile)) facts.push_back(*counting);
  }
  if (profile.gpu) facts.push_back(gpu_fact(profile, unit));
  if (profile.batches > 1) {
    facts.push_back(fmt::format("of {} {} in turn; times that follow are their mean", profile.batches,
                                is_generate(requested) ? "prompts" : "batches"));
  }
  if (profile.streams > 1) {
    facts.push_back(
        fmt::format("{} streams: what runs on one counts 1/{} of its time", profile.streams, profile.streams));
  }
  if (profile.merged_spans > 0) {
    facts.push_back(
        fmt::format("{} calls were merged into their callers, since a profile holds a limited number of them",
                    profile.merged_spans));
  }
  return facts;
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

}  // namespace transformeter
