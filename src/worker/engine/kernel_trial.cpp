// The smallest of a few times: what disturbs a call only makes it longer.
#include "engine/kernel_trial.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/stopwatch.h"

namespace transformeter {
namespace {

constexpr int kFewestRounds = 2;
constexpr int kMostRounds = 12;
constexpr double kEnoughSeconds = 0.02;  // of one candidate's calls
constexpr double kHopeless = 1.5;        // times the fastest: not called again
constexpr double kLead = 1.03;           // that one needs over the usual one

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
      : clock_(clock), calls_(candidates.size()), spent_(candidates.size()) {
    at::Tensor expected;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      trials_.push_back({candidates[i].name, 0, ""});
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
    for (int round = 0; round < kMostRounds; ++round) {
      const double best = fastest();
      bool is_done = round >= kFewestRounds;
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (!calls_[i] || (round > 0 && trials_[i].seconds > kHopeless * best)) continue;
        if (round >= kFewestRounds && spent_[i] >= kEnoughSeconds) continue;
        time(i);
        is_done = false;
      }
      if (is_done) return;
    }
  }

  std::size_t choice(std::size_t usual) const {
    const double best = fastest();
    if (calls_[usual] && trials_[usual].seconds <= kLead * best) return usual;
    std::size_t index = 0;
    while (!calls_[index] || trials_[index].seconds > best) ++index;
    return index;
  }

  std::vector<KernelTrial> take() { return std::move(trials_); }

 private:
  void refuse(std::size_t index, std::string why) {
    trials_[index].refusal = std::move(why);
    calls_[index] = nullptr;
  }

  void time(std::size_t index) {
    const Stopwatch watch(clock_);
    calls_[index]();
    const double seconds = watch.seconds();
    double& least = trials_[index].seconds;
    least = spent_[index] == 0 ? seconds : std::min(least, seconds);
    spent_[index] += seconds;
  }

  double fastest() const {
    std::optional<double> least;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i] && spent_[i] > 0) least = std::min(least.value_or(trials_[i].seconds), trials_[i].seconds);
    }
    return least.value_or(0);
  }

  const Clock& clock_;
  std::vector<Call> calls_;  // null: left out
  std::vector<double> spent_;
  std::vector<KernelTrial> trials_;
};

}  // namespace

KernelChoice choose_kernel(const std::vector<KernelCandidate>& candidates, std::size_t usual, double tolerance,
                           const Clock& clock) {
  Trials trials(candidates, tolerance, clock);
  trials.run();
  const std::size_t index = trials.choice(usual);
  return {index, trials.take()};
}

}  // namespace transformeter
