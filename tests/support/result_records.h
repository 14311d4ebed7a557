// Runs with known samples, for the tests of what reads results.
#pragma once

#include <string>
#include <vector>

#include "schema/record.h"

namespace transformeter {

inline const std::string kHostileText =
    "<script>alert(1)</script>|a,\"b\"\n`c` %s {} \x1b[31m *d* \xD7\xA9\xE2\x80\xAE";

inline Json requested_of(int batch, const Json& length, const std::string& precision) {
  return {{"model", "distilbert-base"}, {"task", "sequence_classification"}, {"data", "bundled"},
          {"batch_size", batch},        {"sequence_length", length},         {"precision", precision},
          {"attention", "sdpa"}};
}

inline CaseRecord planned_case(int position, Json requested) {
  CaseRecord one;
  one.id = "c0" + std::to_string(position + 1);
  one.position = position;
  one.plan_key = "plan" + std::to_string(position);
  one.requested = std::move(requested);
  return one;
}

/// `count` samples that alternate between level ± 0.5 %, one batch per cycle, after one warm-up sample.
inline ReplicateRecord steady_replicate(int index, double level_s, int batch, int count = 60) {
  ReplicateRecord replicate;
  replicate.index = index;
  replicate.started_at = "2026-11-21T01:53:54.123Z";
  Series latency;
  latency.name = "latency";
  latency.unit = "s";
  double start = -2 * level_s;
  for (int i = -1; i < count; ++i) {
    // A fixed pattern without trend and without correlation between neighbours to speak of.
    const double wave = ((i * 7 + 3) % 11 - 5) / 1000.0;
    latency.value.push_back(i < 0 ? 2 * level_s : level_s * (1 + wave));
    latency.start_s.push_back(start);
    start += latency.value.back();
    latency.index.push_back(0);
    latency.examples.push_back(batch);
    latency.useful_tokens.push_back(batch * 100);
    latency.processed_tokens.push_back(batch * 128);
    latency.flags.push_back(i < 0 ? kSampleWarmup | kSampleFirst : 0U);
  }
  replicate.series.push_back(std::move(latency));
  replicate.series.push_back(scalar_series("peak_rss", 512.0 * 1024 * 1024));
  replicate.series.push_back(scalar_series("peak_allocated", 6.0 * 1024 * 1024));
  return replicate;
}

inline CaseRecord measured_case(int position, Json requested, std::vector<double> levels_s) {
  CaseRecord one = planned_case(position, std::move(requested));
  one.key = "key" + std::to_string(position);
  one.workload_key = "workload-" + canonical_json(one.requested["batch_size"]);
  one.status = Status::kOk;
  one.effective = {{"model", {{"family", "distilbert"}, {"weights", "seeded random, seed 0"}, {"trained", false}}},
                   {"threads", 2},
                   {"cycle_batches", 1}};
  one.launch = {{"environment", {{"OMP_NUM_THREADS", "2"}}}};
  for (std::size_t i = 0; i < levels_s.size(); ++i) {
    one.replicates.push_back(
        steady_replicate(static_cast<int>(i), levels_s[i], one.requested["batch_size"].get<int>()));
  }
  return one;
}

/// Two measured cases, a pending, an unsupported and a crashed one.
inline RunRecord mixed_run() {
  RunRecord run;
  run.id = "20261121-015354-3fa9c1";
  run.name = "nightly";
  run.started_at = "2026-11-21T01:53:54.000Z";
  run.host = {
      {"cpu", {{"model", "Fake CPU 9000"}}}, {"topology", {{"core_count", 2}}}, {"worker", {{"libtorch", "2.15.0"}}}};
  run.settings = {{"batch_size", {{"values", {1, 8}}, {"origin", "flag"}}},
                  {"precision", {{"values", {"fp32", "bf16", "fp16"}}, {"origin", "plan a.yaml:3"}}},
                  {"seed", {{"values", {0}}, {"origin", "default"}}}};
  run.cases.push_back(measured_case(0, requested_of(8, 128, "fp32"), {0.2}));
  run.cases.push_back(measured_case(1, requested_of(8, 128, "bf16"), {0.1}));
  run.cases.push_back(planned_case(2, requested_of(1, "natural", "fp32")));
  run.cases.push_back(planned_case(3, requested_of(1, 128, "fp16")));
  run.cases.back().status = Status::kUnsupported;
  run.cases.back().status_reason = "precision fp16: no CPU kernel";
  run.cases.push_back(planned_case(4, requested_of(1, 128, "fp32")));
  run.cases.back().status = Status::kCrashed;
  run.cases.back().status_reason = "the worker died by SIGSEGV";
  ReplicateRecord crashed;
  crashed.started_at = "2026-11-21T01:54:54.000Z";
  crashed.status = Status::kCrashed;
  crashed.status_reason = "the worker died by SIGSEGV";
  run.cases.back().replicates.push_back(crashed);
  return run;
}

/// The same host and settings with a name, which is a part of its id, and these cases.
inline RunRecord run_of(const std::string& name, std::vector<CaseRecord> cases) {
  RunRecord run = mixed_run();
  run.id = "20261121-015354-" + name;
  run.name = name;
  run.cases = std::move(cases);
  return run;
}

}  // namespace transformeter
