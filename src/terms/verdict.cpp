// The declared reasons and notes, each once; docs/metrics.md explains them and a test holds it to this list.
#include "terms/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

using enum VerdictLevel;

constexpr std::array kReasons{
    VerdictTerm{"not_converged", kDoubtful, "no steady window, a half-width above 10 %, or too few samples"},
    VerdictTerm{"drift", kDoubtful, "the samples' level changes while measuring"},
    VerdictTerm{"throttled", kDoubtful, "the processor, the GPU or the container's quota slowed the worker"},
    VerdictTerm{"foreign_load", kDoubtful, "other processes used the processor while measuring, or were on the GPU"},
    VerdictTerm{"preempted", kDoubtful, "the scheduler took the processor away often"},
    VerdictTerm{"major_faults", kDoubtful, "pages were read from disk while measuring"},
    VerdictTerm{"clock_unstable", kDoubtful,
                "the processor's frequency changed by more than 10 % while measuring, or the GPU's fell"},
    VerdictTerm{"timer_too_coarse", kInvalid, "a sample is too short for the clock"},
    VerdictTerm{"numerics", kInvalid,
                "outputs are not finite, or further from the reference than the precision explains"},
    VerdictTerm{"wrong_kernel", kInvalid, "another attention kernel ran than the one asked for"},
    VerdictTerm{"wrong_precision", kInvalid, "another precision ran than the one asked for"},
    VerdictTerm{"device_fallback", kInvalid, "another device ran than the one asked for"},
    VerdictTerm{"harness_overhead", kDoubtful, "the harness's own cost is above 0.1 % and 1 us of a sample"},
};

constexpr std::array kNotes{
    VerdictTerm{"seeded_weights", kValid, "weights are seeded random numbers: speed is real, answers are not"},
    VerdictTerm{"target_not_met", kValid,
                "the limit came before the target half-width; the row carries its half-width"},
    VerdictTerm{"fixed_samples", kValid, "warm-up or sample count was fixed by the user"},
    VerdictTerm{"autocorrelation_untested", kValid, "fewer than 20 samples: dependence between them is not tested"},
    VerdictTerm{"one_replicate", kValid, "one process: the interval holds no between-process variance"},
    VerdictTerm{"cycle_cut", kValid, "only a draw of the texts over their lengths was measured"},
    VerdictTerm{"limit_above_data", kValid, "the limit is above the number of texts: all of them were measured"},
    VerdictTerm{"truncated_texts", kValid, "texts longer than the model's position table were cut"},
    VerdictTerm{"repeated_texts", kValid, "the data had too little text for the shape and was used again"},
    VerdictTerm{"emulated_precision", kValid, "this processor has no instructions for the precision; it is emulated"},
    VerdictTerm{"settings_differ", kValid, "what ran differs from what was asked"},
    VerdictTerm{"noise_unknown", kValid, "noise counters could not be read here: what they watch went unseen"},
    VerdictTerm{"power_capped", kValid, "the GPU ran at its power limit: the figures are of that limit"},
    VerdictTerm{"compute_bound", kValid, "matrix products at the measured peak explain most of the time"},
    VerdictTerm{"memory_bound", kValid, "reading the weights at the measured bandwidth explains most of the time"},
    VerdictTerm{"launch_bound", kValid, "the device waits for the host, which hands over work nearly all of the time"},
    VerdictTerm{"device_bound", kValid,
                "on the device, and neither products nor reading weights explain half of the time"},
    VerdictTerm{"phases_exceed_latency", kValid,
                "the device's clock sums the phases up to more than the host's clock gives the whole"},
    VerdictTerm{"host_bound", kValid, "neither matrix products nor reading weights explain half of the time"},
    VerdictTerm{"disturbed_peaks", kValid, "the machine was busy with other work when its peaks were measured"},
    VerdictTerm{"peak_below_achieved", kValid,
                "the case was faster than the measured peak, so shares of that peak are missing: run "
                "`transformeter peaks --force` on a quiet machine"},
    VerdictTerm{"steps_skipped", kValid, "a training's steps changed no weight after one that did, or none did at all"},
    VerdictTerm{"not_compared", kValid, "the outputs could not be compared with a reference's"},
    VerdictTerm{"failed_replicates", kValid, "some replicates of this case did not finish"},
};

std::string_view declared(std::span<const VerdictTerm> terms, std::string_view name, VerdictLevel& level) {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const VerdictTerm& t) { return t.name == name; });
  if (found == terms.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("verdict term '{}' is not declared in src/terms/verdict.cpp", name));
  }
  level = std::max(level, found->level);
  return found->name;
}

}  // namespace

std::string_view name_of(VerdictLevel level) {
  switch (level) {
    case kValid:
      return "valid";
    case kDoubtful:
      return "doubtful";
    case kInvalid:
      return "invalid";
  }
  return "invalid";
}

std::span<const VerdictTerm> verdict_reasons() {
  return kReasons;
}
std::span<const VerdictTerm> verdict_notes() {
  return kNotes;
}

void Verdict::add_reason(std::string_view name, std::string detail) {
  reasons.push_back({std::string(declared(kReasons, name, level)), std::move(detail)});
}

void Verdict::add_note(std::string_view name, std::string detail) {
  notes.push_back({std::string(declared(kNotes, name, level)), std::move(detail)});
}

}  // namespace transformeter
