// The smallest of a few times: what disturbs a call only makes it longer. On a busy machine every call may wait for a
// processor, and the scheduler's slices then look like steady times; so Linux's count of waits is read too.
#include "engine/kernel_trial.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/stopwatch.h"

namespace transformeter {
namespace {

constexpr int kFewestCalls = 3;          // of a candidate, however slow: one call may have been disturbed
constexpr int kMostRounds = 12;          // and as many again where times are unsteady
constexpr double kEnoughSeconds = 0.02;  // of one candidate's calls
constexpr double kHopeless = 1.5;        // times the fastest: not called again
constexpr double kFarBehind = 4;         // times the fastest: not called again once two long calls agree
constexpr double kLongSeconds = 0.1;     // of a call; what disturbs a shorter one may well take several times as long
constexpr double kLead = 1.03;           // that one needs over the usual one
constexpr double kSteady = 1.1;          // times the shortest: the same time again
constexpr int kFewestSteady = 2;         // calls of that time
constexpr double kMostWait = 0.05;       // of a call's time, of one thread: more may change which kernel is fastest
constexpr double kWakeSeconds = 50e-6;   // plus this, to wake the thread on a processor that is free
// Sums in another order differ by far less, and so does, in 16 bits, one rounding more; a wrong layout by far more.
constexpr double kProductTolerance = 1e-4, kNarrowTolerance = 1e-2;

using Call = std::function<at::Tensor()>;

// Rows from all over an output, few enough to be compared in double.
at::Tensor some_rows(const at::Tensor& output) {
  constexpr std::int64_t kMost = 256;
  const std::int64_t step = (output.size(0) + kMost - 1) / kMost;
  return output.slice(0, 0, output.size(0), step).to(at::kDouble);
}

double relative_difference(const at::Tensor& output, const at::Tensor& expected) {
  const double scale = expected.norm().item<double>();
  const double difference = (output - expected).norm().item<double>();
  return scale > 0 ? difference / scale : difference;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

class Trials {
 public:
  Trials(const std::vector<KernelCandidate>& candidates, double tolerance, const TrialMeters& meters)
      : meters_(meters), calls_(candidates.size()), times_(candidates.size()) {
    at::Tensor expected;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      trials_.push_back({std::string(candidates[i].name), 0, ""});
      try {
        calls_[i] = candidates[i].prepare();
        const Stopwatch watch(meters_.clock);
        const at::Tensor computed = calls_[i]();
        times_[i].first = watch.seconds();
        const at::Tensor output = some_rows(computed);
        if (i == 0) expected = output;
        const double difference = relative_difference(output, expected);
        // The first is right by definition, even where its outputs are no numbers.
        if (i > 0 && !(difference <= tolerance)) refuse(i, fmt::format("its outputs differ by {:.2g}", difference));
      } catch (const c10::Error& error) {
        if (i == 0) throw;
        fail(i, error.what_without_backtrace());
      } catch (const std::exception& error) {
        if (i == 0) throw;
        fail(i, error.what());
      }
    }
  }

  void run() {
    rounds(kFewestCalls, kEnoughSeconds);
    if (!is_steady()) rounds(2 * kFewestCalls, 2 * kEnoughSeconds);
  }

  bool is_steady() const {
    if (has_failed_) return false;
    const double best = fastest();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!calls_[i]) continue;
      const bool is_known =
          is_far_behind(times_[i], best) ? !times_[i].calls.front().has_waited : comes_again(times_[i]);
      if (!is_known) return false;
    }
    return true;
  }

  std::size_t choice(std::size_t usual) const {
    const double best = fastest();
    if (calls_[usual] && times_[usual].shortest <= kLead * best) return usual;
    std::size_t index = 0;
    while (!calls_[index] || times_[index].shortest > best) ++index;
    return index;
  }

  std::vector<KernelTrial> take() {
    for (std::size_t i = 0; i < calls_.size(); ++i) trials_[i].seconds = calls_[i] ? times_[i].shortest : 0;
    return std::move(trials_);
  }

 private:
  struct TimedCall {
    double seconds = 0;
    bool has_waited = false;  // for a processor
  };
  struct Times {
    double first = 0;  // of the first call, which may also compile, allocate, or read weights from a file
    double shortest = std::numeric_limits<double>::infinity();
    double all = 0;
    std::vector<TimedCall> calls = {};  // after the first
  };

  static bool comes_again(const Times& times) {
    return std::ranges::count_if(times.calls, [&](const TimedCall& call) {
             return !call.has_waited && call.seconds <= kSteady * times.shortest;
           }) >= kFewestSteady;
  }

  // As where a processor has no instructions for bf16, and one call takes seconds.
  static bool is_far_behind(const Times& times, double best) {
    const double shortest = std::min(times.first, times.shortest);
    return !times.calls.empty() && shortest >= kLongSeconds && shortest > kFarBehind * best;
  }

  // Until each has so many calls and, if it may still win, `enough` seconds of them; at most kMostRounds more. One that
  // is far behind has one.
  void rounds(int fewest, double enough) {
    for (int round = 0; round < kMostRounds; ++round) {
      const double best = fastest();
      bool is_done = true;
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        const bool is_hopeless = times_[i].shortest > kHopeless * best;
        if (!calls_[i] || is_far_behind(times_[i], best)) continue;
        if (std::ssize(times_[i].calls) >= fewest && (is_hopeless || times_[i].all >= enough)) continue;
        time(i);
        is_done = false;
      }
      if (is_done) return;
    }
  }

  // It may be the moment's fault, as where memory is short.
  void fail(std::size_t index, std::string_view why) {
    refuse(index, first_line(why));
    has_failed_ = true;
  }

  void refuse(std::size_t index, std::string why) {
    trials_[index].refusal = std::move(why);
    calls_[index] = nullptr;
  }

  void time(std::size_t index) {
    const ThreadWaits waited_before = meters_.thread_waits();
    const Stopwatch watch(meters_.clock);
    calls_[index]();
    const double seconds = watch.seconds();
    const double waited_s = longest_wait_s(waited_before, meters_.thread_waits());
    Times& times = times_[index];
    times.calls.push_back({seconds, waited_s > kMostWait * seconds + kWakeSeconds});
    times.shortest = std::min(times.shortest, seconds);
    times.all += seconds;
  }

  double fastest() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i]) least = std::min(least, times_[i].shortest);
    }
    return least;
  }

  const TrialMeters& meters_;
  std::vector<Call> calls_;  // null: left out
  std::vector<Times> times_;
  std::vector<KernelTrial> trials_;
  bool has_failed_ = false;
};

}  // namespace

TrialMeters system_meters() {
  static const SystemClock kClock;
  return {kClock, [] { return thread_waits(); }};
}

KernelChoice choose_kernel(const std::vector<KernelCandidate>& candidates, std::size_t usual, double tolerance,
                           const TrialMeters& meters) {
  Trials trials(candidates, tolerance, meters);
  trials.run();
  const std::size_t index = trials.choice(usual);
  const bool is_steady = trials.is_steady();
  return {index, trials.take(), is_steady};
}

ProductChoice try_product(ProductSize size, const std::vector<KernelCandidate>& candidates, std::size_t usual,
                          const TrialMeters& meters) {
  ProductChoice product;
  product.size = std::move(size);
  product.tried_at = format_utc(meters.clock.wall_s());
  const double tolerance = product.size.precision == "fp32" ? kProductTolerance : kNarrowTolerance;
  KernelChoice choice = choose_kernel(candidates, usual, tolerance, meters);
  product.kernel = candidates.at(choice.index).name;
  product.trials = std::move(choice.trials);
  product.is_steady = choice.is_steady;
  return product;
}

at::Tensor trial_operand(std::int64_t rows, std::int64_t columns, c10::ScalarType type) {
  return at::linspace(-1, 1, rows * columns).view({rows, columns}).to(type);
}

}  // namespace transformeter
