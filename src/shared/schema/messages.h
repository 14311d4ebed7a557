// The verbs of a session and what each carries. The command asks, the worker answers:
//
//   (connect)  → hello
//   describe   → described        what the worker can do, and its libraries
//   prepare    → prepared         model, data and cycle are ready
//   forecast   → forecasted       memory that a case will take; before any prepare, any number of times
//   warm       → warmed           first result, warm-up samples, a forecast of the cycle's time
//   measure    → samples* measured        a window, or one slice; warm and measure may come again, as often as wanted
//   evaluate   → evaluating* evaluated   outputs checked, task score; outputs given back, to compare with a reference
//   profile    → profiling* profiled     where the time of passes goes; after warm, any number of times
//   predict    → predicted        answers to texts, in their order; after a prepare without data, any number of times
//   finetune   → finetuning* finetuned   steps, scores and checkpoints, live; after a prepare of the scenario
//                finetune
//   measure_peak → peak_measured  what the machine can do at most; any number of times, no prepare needed
//   teardown   → torn_down        and the worker exits with 0
//
// Any request may be answered by `failed` {status, reason}; the session ends then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "schema/capabilities.h"
#include "schema/channel.h"
#include "schema/finetune_options.h"
#include "schema/outputs.h"
#include "schema/peak.h"
#include "schema/prediction.h"
#include "schema/profile.h"
#include "schema/series.h"
#include "schema/status.h"

namespace transformeter {

namespace verb {
inline constexpr const char* kHello = "hello";
inline constexpr const char* kDescribe = "describe";
inline constexpr const char* kDescribed = "described";
inline constexpr const char* kPrepare = "prepare";
inline constexpr const char* kPrepared = "prepared";
inline constexpr const char* kForecast = "forecast";
inline constexpr const char* kForecasted = "forecasted";
inline constexpr const char* kWarm = "warm";
inline constexpr const char* kWarmed = "warmed";
inline constexpr const char* kMeasure = "measure";
inline constexpr const char* kSamples = "samples";
inline constexpr const char* kMeasured = "measured";
inline constexpr const char* kEvaluate = "evaluate";
inline constexpr const char* kEvaluating = "evaluating";
inline constexpr const char* kEvaluated = "evaluated";
inline constexpr const char* kProfile = "profile";
inline constexpr const char* kProfiling = "profiling";
inline constexpr const char* kProfiled = "profiled";
inline constexpr const char* kPredict = "predict";
inline constexpr const char* kPredicted = "predicted";
inline constexpr const char* kFineTune = "finetune";
inline constexpr const char* kFineTuning = "finetuning";
inline constexpr const char* kFineTuned = "finetuned";
inline constexpr const char* kMeasurePeak = "measure_peak";
inline constexpr const char* kPeakMeasured = "peak_measured";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kTeardown = "teardown";
inline constexpr const char* kTornDown = "torn_down";
}  // namespace verb

struct Hello {
  std::string program;  // "transformeter-worker"
  std::string version;
  int pid = 0;
};

struct Described {
  Capabilities capabilities;
  Json build = Json::object();         // library versions, instruction set, as read from the libraries
  Json architectures = Json::array();  // families that only this worker has, see spec/foreign_architecture.h
  bool gives_outputs = false;          // as `evaluate` may ask for them
  bool gives_profiles = false;         // knows `profile`
  bool gives_forecasts = false;        // knows `forecast`; a worker of an earlier version does not say
};

struct PrepareRequest {
  Json settings = Json::object();  // the case as requested, see schema/settings.h; never "auto" for a precision.
                                   // Without "data" no cycle is made: for predict
  std::int64_t spawned_at_ns = 0;  // steady clock when the worker was started; the same clock on one machine
  std::optional<std::int64_t> memory_limit_bytes;
  std::vector<int> own_pids;  // whose processor time is not background load
};

struct Prepared {
  Json effective = Json::object();  // what was read back: model, data, precision, threads, cycle
  std::vector<Series> series;       // load_time, tokenize_time, baseline_rss, peak_rss_load, weight_bytes
};

struct ForecastRequest {
  Json settings = Json::object();  // as PrepareRequest's
};

/// As effective.memory_forecast in docs/results.md, of a training {peak_bytes, weight_bytes, gradient_bytes,
/// optimizer_bytes, activation_bytes}; or {reason} where there is no forecast or the case cannot run.
struct Forecasted {
  Json memory = Json::object();
};

/// The second time and later the worker comes back to a case that it has measured: it warms up shortly, whatever the
/// count, and its answer holds the samples alone.
struct WarmRequest {
  std::optional<std::int64_t> count;  // nothing: the first pass only, the rest is found from the data
};

struct Warmed {
  Json effective = Json::object();  // the attention kernel that ran
  std::vector<Series> series;       // latency (flagged warm-up), first_forward, cold_start
  double cycle_forecast_s = 0;      // of a full cycle, from the time per processed token so far
  std::int64_t cycle_batches = 0;   // K of the full cycle
};

struct MeasureRequest {
  std::int64_t slice = 0;                      // which one of the case's in this process
  std::int64_t slices = 1;                     // 1: one window, until the stopping rule holds; more: this slice ends
                                               // after `limit_s` with the unit, or the cycle, that is under way
  std::optional<std::int64_t> exactly;         // fixed count of batches
  double limit_s = 30;                         // of measuring
  bool limit_is_hard = false;                  // the plan's own limit: not stretched to 10 samples
  std::optional<std::int64_t> cycle_batches;   // K as cut by the command: that of cycle_examples
  std::optional<std::int64_t> cycle_examples;  // examples of the cut cycle; the same for every batch size
};

struct Measured {
  std::string stop_reason;  // "target_met", "limit_reached", "count_reached", "slice_done"
  Json effective = Json::object();
  std::vector<Series> series;  // memory, noise and harness scalars
};

struct EvaluateRequest {
  bool score = true;  // false: outputs are only checked, for replicates after the one that was scored
  std::optional<OutputRequest> outputs;  // those to give back
};

/// Sent at most once a second while the whole data set is scored.
struct Evaluating {
  std::int64_t evaluated = 0;  // examples so far
  std::int64_t total = 0;
};

struct Evaluated {
  std::vector<Series> series;      // non_finite_outputs, and those of scores
  std::optional<Outputs> outputs;  // those asked for, as far as the cycle has them
};

struct ProfileRequest {
  ProfileOptions options;
};

/// Sent at most once a second.
struct Profiling {
  std::int64_t passes = 0;  // run so far, with the profiler and without
  std::int64_t total = 0;   // 0: not known yet
};

struct Profiled {
  Profile profile;
};

struct PredictRequest {
  std::vector<PredictionInput> inputs;
  PredictionOptions options;
};

/// An input that cannot be answered, which is the input's fault; the session goes on.
struct RefusedInput {
  std::size_t index = 0;  // in the request
  std::string reason;
};

struct Predicted {
  std::vector<Prediction> predictions;  // of all inputs, or of those before the refused one
  std::optional<RefusedInput> refused;
};

struct FineTuneRequest {
  FineTuneOptions options;
};

/// What happened, see docs/finetune.md. One comes whenever a part of a step, a batch of an evaluation, a file of a
/// checkpoint or a part of loading is over and the last is seconds ago: a single such part may be silent for longer.
struct FineTuningEvent {
  Json event = Json::object();
};

struct FineTuned {
  Json summary = Json::object();
};

struct MeasurePeakRequest {
  std::string quantity;  // see schema/peak.h
  std::string device;
  std::vector<int> own_pids;  // as PrepareRequest's
};

struct PeakMeasured {
  Peak peak;
};

struct Failed {
  Status status = Status::kFailed;
  std::string reason;
  std::optional<ErrorKind> kind = {};  // of the worker's Error; nothing: the status is all that is known
};

// Each has to_message / from_message; a message that lacks a field or has the wrong type is Error(kProtocol).
Message to_message(const Hello& hello);
Message to_message(const Described& described);
Message to_message(const PrepareRequest& request);
Message to_message(const Prepared& prepared);
Message to_message(const ForecastRequest& request);
Message to_message(const Forecasted& forecasted);
Message to_message(const WarmRequest& request);
Message to_message(const Warmed& warmed);
Message to_message(const MeasureRequest& request);
Message to_message(const Measured& measured);
Message to_message(const EvaluateRequest& request);
Message to_message(const Evaluating& evaluating);
Message to_message(const Evaluated& evaluated);
Message to_message(const ProfileRequest& request);
Message to_message(const Profiling& profiling);
Message to_message(const Profiled& profiled);
Message to_message(const PredictRequest& request);
Message to_message(const Predicted& predicted);
Message to_message(const FineTuneRequest& request);
Message to_message(const FineTuningEvent& progress);
Message to_message(const FineTuned& finetuned);
Message to_message(const MeasurePeakRequest& request);
Message to_message(const PeakMeasured& measured);
Message to_message(const Failed& failed);
Message samples_message(const std::vector<Series>& block);
/// A request or reply without content: describe, teardown and torn_down.
Message bare_message(const char* type);

template <typename T>
T from_message(const Message& message);

}  // namespace transformeter
