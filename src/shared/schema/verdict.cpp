// The declared reasons and notes, each once; docs/metrics.md explains them and a test holds it to this list.
#include "schema/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

using enum VerdictLevel;

constexpr std::string_view kLongerSamples =
    "raise --batch-size or --sequence-length (--prompt-length with --scenario generate)";

constexpr std::array kReasons{
    VerdictTerm{
        "single_window", kDoubtful,
        "measured in one window, or in slices that are too few or too close: the interval may miss the machine's "
        "slow changes of speed",
        "leave --slices, --samples, --cycles and --time-limit at their defaults, raise --time-budget, or use "
        "--replicates 3"},
    VerdictTerm{"not_converged", kDoubtful,
                "no steady state, an interval too wide (half-width above 10 %), or too few samples",
                "raise --samples, --cycles or --time-budget if you set them, else --time-limit; or use --replicates 5"},
    VerdictTerm{
        "drift", kDoubtful, "samples keep getting slower or faster during the measurement",
        "let the machine settle, or raise --time-budget if you set it, else --time-limit; `transformeter doctor` "
        "shows what limits it"},
    VerdictTerm{"throttled", kDoubtful, "the CPU, the GPU or the container's CPU quota was throttled",
                "let the machine cool down, or raise the container's CPU quota"},
    VerdictTerm{"foreign_load", kDoubtful,
                "background load: other processes took CPU time from the worker, or used the GPU",
                "stop other programs and start a new run"},
    VerdictTerm{"preempted", kDoubtful, "the scheduler often took the CPU away from the worker",
                "stop other programs, or use no more --threads than there are idle cores"},
    VerdictTerm{"stolen", kDoubtful, "the hypervisor took CPU time from the worker for other guests",
                "use a machine with dedicated CPUs, or start a new run when the host is less busy"},
    VerdictTerm{"major_faults", kDoubtful, "pages were read from disk during the measurement",
                "free memory and start a new run"},
    VerdictTerm{
        "clock_unstable", kDoubtful,
        "the CPU frequency changed by more than 10 % during the measurement, or the GPU clock dropped",
        "set the CPU frequency governor to performance (`transformeter doctor` shows how); lock the GPU's clocks or "
        "let it cool down"},
    VerdictTerm{"timer_too_coarse", kInvalid, "samples are too short for the clock's resolution", kLongerSamples},
    VerdictTerm{"numerics", kInvalid,
                "outputs are NaN or infinite, or differ from the reference by more than the precision explains",
                "use another --precision, --engine or --attention"},
    VerdictTerm{"wrong_kernel", kInvalid, "a different attention kernel ran than requested", "use another --attention"},
    VerdictTerm{"wrong_precision", kInvalid, "a different precision ran than requested", "use another --precision"},
    VerdictTerm{"device_fallback", kInvalid, "a different device ran than requested",
                "use another --device; `transformeter doctor` shows which there are"},
    VerdictTerm{"harness_overhead", kDoubtful, "the harness adds more than 0.1 % and 1 us to each sample",
                kLongerSamples},
};

constexpr std::array kNotes{
    VerdictTerm{"seeded_weights", kValid, "seeded random weights: the speed is real, the answers are not"},
    VerdictTerm{"target_not_met", kValid,
                "the time limit was reached before the target precision; the interval shows what was reached"},
    VerdictTerm{"unfinished", kValid, "a process measured fewer slices than planned; they count like those of others"},
    VerdictTerm{"fixed_samples", kValid, "the user fixed the warm-up or the sample count"},
    VerdictTerm{"autocorrelation_untested", kValid, "fewer than 20 samples: too few to test for autocorrelation"},
    VerdictTerm{"one_replicate", kValid, "one process: the interval does not cover variance between processes"},
    VerdictTerm{"blank_texts", kValid, "of blank texts the special tokens alone were measured"},
    VerdictTerm{"cycle_cut", kValid, "only a sample of the data was measured"},
    VerdictTerm{"limit_above_data", kValid, "--limit exceeds the number of examples: all of them were measured"},
    VerdictTerm{"labels_by_position", kValid,
                "the data's classes, in their order, were taken for the model's, which have no names"},
    VerdictTerm{"other_classes", kValid, "answers were not scored: the data's classes are not the model's"},
    VerdictTerm{"truncated_texts", kValid, "texts longer than the maximum length were truncated"},
    VerdictTerm{"repeated_texts", kValid, "the data set had too little text for the batches, so texts were repeated"},
    VerdictTerm{"emulated_precision", kValid, "this CPU has no instructions for the precision; it is emulated"},
    VerdictTerm{"settings_differ", kValid, "a setting that ran differs from the one requested"},
    VerdictTerm{"noise_unknown", kValid,
                "some noise counters could not be read here, so such disturbances go undetected"},
    VerdictTerm{"power_capped", kValid, "the GPU ran at its power limit, and the results reflect it"},
    VerdictTerm{"compute_bound", kValid,
                "compute-bound: matrix products at the measured peak account for most of the time"},
    VerdictTerm{"memory_bound", kValid,
                "memory-bound: reading the weights at the measured bandwidth accounts for most of the time"},
    VerdictTerm{"launch_bound", kValid,
                "launch-bound: the host spends nearly all of the time launching work on the device"},
    VerdictTerm{
        "device_bound", kValid,
        "device-bound: the time is spent on the device, less than half of it on matrix products or reading weights"},
    VerdictTerm{"phases_exceed_latency", kValid,
                "the phases, timed by the device, add up to more than the latency timed by the host"},
    VerdictTerm{"host_bound", kValid,
                "host-bound: neither matrix products nor reading weights account for half of the time"},
    VerdictTerm{"disturbed_peaks", kValid, "there was background load while this machine's peaks were measured"},
    VerdictTerm{"peak_below_achieved", kValid,
                "the case was faster than the measured peak, so its shares of that peak are missing: run "
                "`transformeter peaks --force` on a quiet machine"},
    VerdictTerm{"steps_skipped", kValid,
                "training steps were skipped after the loss scale had settled, or all of them were"},
    VerdictTerm{"not_compared", kValid, "the outputs were not compared with a reference"},
    VerdictTerm{"numerics_untestable", kValid,
                "the comparison with the reference proves little: a wrong model might pass it too"},
    VerdictTerm{"drift", kValid, "samples or slices get slower or faster; the interval holds it"},
    VerdictTerm{"foreign_load", kValid, "other processes used the worker's CPUs, but there was room for both"},
    VerdictTerm{"disturbed_slices", kValid,
                "some slices were disturbed: fewer than half, and without them the result is the same"},
    VerdictTerm{"failed_replicates", kValid, "some replicates of this case failed"},
};

std::string_view declared(std::span<const VerdictTerm> terms, std::string_view name, VerdictLevel& level) {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const VerdictTerm& t) { return t.name == name; });
  if (found == terms.end()) {
    throw Error(ErrorKind::kInternal,
                fmt::format("verdict term '{}' is not declared in src/shared/schema/verdict.cpp", name));
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
