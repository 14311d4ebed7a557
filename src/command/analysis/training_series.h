// The training cases of a run as series: cases that differ only in batch size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/training_finding.h"

namespace transformeter {

struct TrainingPoint {
  const AnalyzedCase* the_case = nullptr;
  double batch_size = 0;      // of a micro-batch
  double examples = 0;        // of a step: batch_size × gradient_accumulation, since steps that are measured are alike
  EvidenceFigure step_time;   // median of latency
  double size = 0;            // of a step, in TrainingSeries::size_unit
  EvidenceFigure throughput;  // metric TrainingSeries::rate
};

/// A case of the series that is excluded from the findings.
struct LeftOutCase {
  const AnalyzedCase* the_case = nullptr;
  double batch_size = 0;
  std::string why;  // see why_not_usable; or "it has no latency"
};

struct TrainingSeries {
  std::string device;                 // "cpu", "cuda:0"
  std::string settings;               // what its cases have in common, as "distilbert-base, t128, fp32, adamw"
  std::string rate;                   // "throughput_useful_tokens", else "throughput_samples"
  std::string size_unit;              // "token" (processed), else "example"
  std::vector<TrainingPoint> points;  // by batch size
  std::vector<LeftOutCase> left_out;  // by batch size
  std::vector<std::string> remarks;   // what a reader must know of the figures: intervals within processes, doubts
  std::string key_without_device;     // equal for series that differ in the device alone
};

/// Of the cases of scenario train, in the order of their first cases. Borrows `run`. A case whose batch_size is not a
/// number makes no series.
std::vector<TrainingSeries> training_series(const AnalyzedRun& run);

/// Why the case cannot be used: "out_of_memory: ...", "pending", "invalid (numerics)", "it has no throughput_samples";
/// empty for one that can be used.
std::string why_not_usable(const AnalyzedCase& the_case);

/// A setting as asked for; the device as the worker said where it did. Empty when the case has none.
std::string training_setting(const CaseRecord& the_case, const std::string& name);

/// The named settings as one text, omitting those that the case lacks.
std::string settings_text(const CaseRecord& the_case, const std::vector<std::string>& without);

/// "batch 8".
std::string batch_text(double batch_size);

/// The throughput, as "1024 token/s (1020 token/s to 1030 token/s) at batch 8".
std::string at_batch(const TrainingPoint& point);

}  // namespace transformeter
