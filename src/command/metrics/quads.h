// Two cases that were measured side by side: their slices in two rounds that follow each other, A B and B A, are a
// quad, in which a machine that slowly changes its speed cancels.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"

namespace transformeter {

struct Quad {
  int process = 0;       // index of the replicate
  double log_ratio = 0;  // log(time of A ÷ time of B)
};

/// The rounds 2k and 2k + 1 of one replicate in which each case has one slice, in the order of processes and rounds.
std::vector<Quad> quads_of(const std::vector<SliceTime>& a, const std::vector<SliceTime>& b);

/// Time of A ÷ time of B: the median of the quads' log ratios. Nothing for no quad.
std::optional<double> median_ratio(const std::vector<Quad>& quads);

/// A value of one case ÷ another's, with its interval.
struct Quotient {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Time of A ÷ time of B of the quads up to the last planned look, with the interval of stats/paired.h, which holds
/// what differs within these processes; nothing for fewer than kFewestPairs quads.
std::optional<Quotient> quotient_over_quads(const std::vector<Quad>& quads);

/// The same with a 95 % t interval over the means of the processes, which also holds what differs between them; nothing
/// for fewer than three processes.
std::optional<Quotient> quotient_over_processes(const std::vector<Quad>& quads);

/// The same where processes are started until a comparison is decided: over the means of the processes up to the last
/// planned look, with the interval of stats/paired.h; nothing for fewer than kFewestPairs processes.
std::optional<Quotient> quotient_over_live_processes(const std::vector<Quad>& quads);

/// How many processes have quads.
std::size_t process_count(const std::vector<Quad>& quads);

/// A change below this share counts as none.
inline constexpr double kNoiseThreshold = 0.01;

/// How fast the second of two cases is, seen from the first.
enum class SpeedAnswer { kFaster, kSlower, kSame, kUndecided };

/// "faster", "slower", "same", "undecided".
std::string_view name_of(SpeedAnswer answer);

/// `speed_up`: time of the first ÷ time of the second. `faster` and `slower` need the interval beyond 1 and the
/// quotient beyond the noise threshold; `same` an interval inside ± the threshold.
SpeedAnswer answer_of(const Quotient& speed_up);

}  // namespace transformeter
