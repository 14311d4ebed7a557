// Training runs with known figures: cases that carry a summary in place of samples.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/json.h"
#include "metrics/case_summary.h"
#include "schema/metric_names.h"
#include "schema/record.h"
#include "stats/replicates.h"

namespace transformeter {

struct KnownFigure {
  double value = 0;
  double half_width = 0.005;  // of the interval, relative to the value; negative: no interval
  std::size_t replicates = 3;
};

using KnownFigures = std::map<std::string, KnownFigure>;

inline Json training_settings(double batch_size) {
  return {{"scenario", "train"},
          {"model", "distilbert-base"},
          {"task", "sequence_classification"},
          {"data", "bundled"},
          {"batch_size", static_cast<int>(batch_size)},
          {"sequence_length", 128},
          {"precision", "fp32"},
          {"optimizer", "adamw"},
          {"learning_rate", 5e-5},
          {"gradient_accumulation", 1},
          {"gradient_checkpointing", "off"},
          {"batching", "padded"},
          {"threads", 2},
          {"device", "cpu"}};
}

inline CaseSummary summary_of(const KnownFigures& figures) {
  CaseSummary summary{kAnalysisVersion, "level\t0\n"};
  for (const auto& [name, figure] : figures) {
    std::string ends = "\t";
    auto kind = IntervalKind::kNone;
    if (figure.half_width >= 0) {
      const double half = figure.half_width * figure.value;
      ends = fmt::format("{}\t{}", figure.value - half, figure.value + half);
      kind = figure.replicates >= 3 ? IntervalKind::kBetweenReplicates : IntervalKind::kSingleWindow;
    }
    summary.document += fmt::format("metric\t{}\tmedian\t{}\t{}\t{}\t{}\tmeasured\t\n", metric_term(name).name,
                                    figure.value, ends, static_cast<int>(kind), figure.replicates);
  }
  return summary;
}

/// An ok case of the run; `settings` as training_settings, changed.
inline CaseRecord& add_training_case(RunRecord& run, Json settings, const KnownFigures& figures) {
  CaseRecord& one = run.cases.emplace_back();
  one.position = static_cast<int>(run.cases.size()) - 1;
  one.id = fmt::format("c{:02}", run.cases.size());
  one.plan_key = "plan" + one.id;
  one.requested = std::move(settings);
  one.status = Status::kOk;
  ReplicateRecord& replicate = one.replicates.emplace_back();
  replicate.started_at = "2026-11-21T01:54:54.000Z";
  one.summary = summary_of(figures);
  return one;
}

/// A word of the case's verdict that leaves it valid.
inline void add_note(CaseRecord& one, const std::string& name, const std::string& detail) {
  one.summary->document += fmt::format("note\t{}\t{}\n", name, detail);
}

/// One without figures.
inline CaseRecord& add_failed_training_case(RunRecord& run, Json settings, Status status, std::string reason) {
  CaseRecord& one = add_training_case(run, std::move(settings), {});
  one.status = status;
  one.status_reason = reason;
  one.replicates.back().status = status;
  one.replicates.back().status_reason = std::move(reason);
  return one;
}

/// Step time and rates of a case whose rows have `length` tokens, `padding` of them padding.
inline KnownFigures step_figures(double step_s, double examples, double length = 128, double padding = 0,
                                 double half_width = 0.005) {
  const double rate = examples / step_s;
  return {{"latency", {step_s, half_width}},
          {"throughput_samples", {rate, half_width}},
          {"throughput_processed_tokens", {rate * length, half_width}},
          {"throughput_useful_tokens", {rate * length * (1 - padding), half_width}},
          {"padding_share", {padding, -1}}};
}

inline RunRecord training_run() {
  RunRecord run;
  run.id = "20261122-101112-aaaaaa";
  run.name = "training";
  run.started_at = "2026-11-22T10:11:12.000Z";
  run.host = {{"fingerprint", "machine-a"}, {"cpu", {{"model", "Fake CPU 9000"}}}};
  return run;
}

}  // namespace transformeter
