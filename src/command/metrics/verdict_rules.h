// Whether a case can be believed: every reason and note with the figures behind it. docs/metrics.md says why each
// threshold is what it is.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"

namespace transformeter {

/// Half-widths, relative to the value: above the first a case is not converged, above the second the target is missed.
inline constexpr double kMaxHalfWidth = 0.10;
inline constexpr double kTargetHalfWidth = 0.02;
/// Range of the slices' times, relative to the shortest, from which on a drift is a fault.
inline constexpr double kMaxDriftRange = 0.10;
/// Processor seconds of other processes per second of the window, after the counter's resolution is taken off.
inline constexpr double kMaxForeignLoad = 0.05;
/// Share of the allowed processors' time from which on the worker and others get in each other's way.
inline constexpr double kMaxBusyShare = 0.95;
/// Time that the hypervisor took from the allowed processors, per second of the worker's own processor time.
inline constexpr double kMaxSteal = 0.02;
/// Time the worker's threads waited for a processor, per second of its own processor time.
inline constexpr double kMaxRunQueueWait = 0.02;
/// Share of the window that a CPU quota may hold the worker back.
inline constexpr double kMaxQuotaShare = 0.01;
/// Share of the window that page faults may take.
inline constexpr double kMaxFaultShare = 0.01;
/// Relative change of the processor's frequency over the window.
inline constexpr double kMaxFrequencyChange = 0.10;
/// A median sample shorter than so many steps of the clock is not measured.
inline constexpr double kMinClockSteps = 100;
/// The harness's cost is a fault when above both.
inline constexpr double kMaxHarnessCost = 1e-6;  // seconds
inline constexpr double kMaxHarnessShare = 0.001;

/// What the rules look at; the members borrow.
struct VerdictInput {
  const CaseRecord& the_case;
  const std::vector<const ReplicateRecord*>& replicates;  // those with status ok
  const std::vector<const ReplicateRecord*>& slices;      // what they measured, see metrics/slices.h
  const std::vector<SampleWindow>& windows;               // one for each of `slices`
  const std::vector<MetricRow>& metrics;
};

/// Reasons that come from the samples and their spread: not_converged, drift.
void judge_samples(const VerdictInput& input, Verdict& verdict);
/// Reasons that come from the machine and the clock, per slice. One counts if half of the slices have it, or if the
/// headline moves by more than its half-width without those; else it is the note disturbed_slices.
void judge_machine(const VerdictInput& input, Verdict& verdict);
/// single_window: too few slices, or too close together, to see the machine's slow changes of speed.
void judge_window(const VerdictInput& input, Verdict& verdict);
/// Reasons that come from what ran instead of what was asked, and from the outputs.
void judge_execution(const VerdictInput& input, Verdict& verdict);
void add_notes(const VerdictInput& input, Verdict& verdict);

/// Details of several replicates as one text: "replicate 0: ...; replicate 2: ..."; the prefix is left out when the
/// case has one replicate. Empty texts are skipped.
std::string join_details(const VerdictInput& input, const std::vector<std::string>& details);

/// Details of slices: "in 2 of 6 slices; the first: ...", or the only one's. Empty where all are.
std::string slices_text(const VerdictInput& input, const std::vector<std::string>& details);

/// The headline time of each slice, its median sample or mean cycle in seconds; NaN for a slice that has none.
std::vector<double> slice_times(const std::vector<SampleWindow>& windows);

/// The headline's relative half-width; nothing without an interval or where it is not defined. Over slices or
/// replicates half the interval's length: around the mean of their medians, it says nothing by where the median of all
/// samples lies in it. Else the larger side.
std::optional<double> headline_half_width(const std::vector<MetricRow>& metrics);

}  // namespace transformeter
