// The smallest of a few times: what disturbs a call only makes it longer.
#include "engine/kernel_trial.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "base/stopwatch.h"

namespace transformeter {
namespace {

constexpr int kFewestRounds = 2;
constexpr int kMostRounds = 12;          // and as many again where times are unsteady
constexpr double kEnoughSeconds = 0.02;  // of one candidate's calls
constexpr double kHopeless = 1.5;        // times the fastest: not called again
constexpr double kLead = 1.03;           // that one needs over the usual one
constexpr double kSteady = 1.1;          // times the shortest: the same time again

using Call = std::function<at::Tensor()>;

double relative_difference(const at::Tensor& output, const at::Tensor& expected) {
  const at::Tensor exact = expected.to(at::kDouble);
  const double scale = exact.norm().item<double>();
  const double difference = (output.to(at::kDouble) - exact).norm().item<double>();
  return scale > 0 ? difference / scale : difference;
}

class Trials {
 public:
  Trials(const std::vector<KernelCandidate>& candidates, double tolerance, const Clock& clock)
      : clock_(clock), calls_(candidates.size()), times_(candidates.size()) {
    at::Tensor expected;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      trials_.push_back({std::string(candidates[i].name), 0, ""});
      try {
        calls_[i] = candidates[i].prepare();
        const at::Tensor output = calls_[i]();  // the first call, which may compile or allocate
        if (i == 0) expected = output;
        const double difference = relative_difference(output, expected);
        if (!(difference <= tolerance)) refuse(i, fmt::format("its outputs differ by {:.2g}", difference));
      } catch (const std::exception& error) {
        if (i == 0) throw;
        refuse(i, error.what());
      }
    }
  }

  void run() {
    rounds(kEnoughSeconds);
    if (!is_steady()) rounds(2 * kEnoughSeconds);
  }

  bool is_steady() const {
    const double best = fastest();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!calls_[i] || times_[i].shortest > kHopeless * best) continue;
      if (times_[i].second > kSteady * times_[i].shortest) return false;
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
  struct Times {
    double shortest = std::numeric_limits<double>::infinity();
    double second = std::numeric_limits<double>::infinity();
    double all = 0;
    int calls = 0;
  };

  // Until each has `enough` seconds of calls, or kMostRounds more.
  void rounds(double enough) {
    for (int round = 0; round < kMostRounds; ++round) {
      const double best = fastest();
      bool is_done = true;
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (!calls_[i] || (times_[i].calls > 0 && times_[i].shortest > kHopeless * best)) continue;
        if (times_[i].calls >= kFewestRounds && times_[i].all >= enough) continue;
        time(i);
        is_done = false;
      }
      if (is_done) return;
    }
  }

  void refuse(std::size_t index, std::string why) {
    trials_[index].refusal = std::move(why);
    calls_[index] = nullptr;
  }

  void time(std::size_t index) {
    const Stopwatch watch(clock_);
    calls_[index]();
    const double seconds = watch.seconds();
    Times& times = times_[index];
    times.second = std::min(times.second, std::max(seconds, times.shortest));
    times.shortest = std::min(times.shortest, seconds);
    times.all += seconds;
    ++times.calls;
  }

  double fastest() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i]) least = std::min(least, times_[i].shortest);
    }
    return least;
  }

  const Clock& clock_;
  std::vector<Call> calls_;  // null: left out
  std::vector<Times> times_;
  std::vector<KernelTrial> trials_;
};

}  // namespace

KernelChoice choose_kernel(const std::vector<KernelCandidate>& candidates, std::size_t usual, double tolerance,
                           const Clock& clock) {
  Trials trials(candidates, tolerance, clock);
  trials.run();
  const std::size_t index = trials.choice(usual);
  const bool is_steady = trials.is_steady();
  return {index, trials.take(), is_steady};
}

}  // namespace transformeter
