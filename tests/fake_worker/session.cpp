// One function per verb.
#include "fake_worker/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "fake_worker/cycle.h"
#include "fake_worker/fault.h"
#include "fake_worker/latency_source.h"
#include "fake_worker/measure_end.h"
#include "fake_worker/outputs.h"
#include "fake_worker/peaks.h"
#include "fake_worker/predictions.h"
#include "fake_worker/profiles.h"
#include "fake_worker/requests.h"
#include "fake_worker/scalars.h"
#include "schema/messages.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::int64_t kDefaultWarmup = 3;

Json default_capabilities() {
  return {{"values",
           {{"device", {"cpu"}},
            {"precision", {"fp32", "bf16"}},
            {"peak_precision", {"fp32", "bf16", "int8"}},
            {"attention", {"sdpa", "eager"}}}},
          {"native", {{"device", {"cpu"}}, {"precision", {"fp32"}}, {"peak_precision", {"fp32"}}}},
          {"reasons", {{"precision=fp16", "the fake worker has no fp16"}}},
          {"engines",
           {{"pytorch",
             {{"attention", "sdpa"},
              {"weights", "plain"},
              {"fusion", "none"},
              {"head_tokens", "all"},
              {"batching", "padded"},
              {"streams", 1},
              {"chunk_tokens", "none"},
              {"allocator", "glibc"},
              {"huge_pages", "system"}}}}}};
}

// Which of its case's workers this one is, from 0: each adds a byte to the case's file.
std::int64_t count_replicate(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::app) << '.';
  return static_cast<std::int64_t>(std::filesystem::file_size(folder / name)) - 1;
}

// What tells cases apart in the known truths: a setting that comes to the program later must not change their draws.
Json settings_of_draws(const Json& settings) {
  Json chosen = Json::object();
  for (const char* name : {"model", "task", "data", "batch_size", "sequence_length", "padding", "precision",
                           "prompt_length", "new_tokens"}) {
    if (settings.contains(name)) chosen[name] = settings.at(name);
  }
  return chosen;
}

class Session {
 public:
  Session(Channel channel, const Json& behaviour)
      : channel_(std::move(channel)), json_(behaviour), behaviour_(parse_behaviour(behaviour)) {}

  void serve() {
    if (struck_by(verb::kHello, 0)) return;
    send(to_message(Hello{"transformeter-fake-worker", "1", static_cast<int>(::getpid())}));
    Message request;
    while (channel_.receive(request, std::chrono::hours(24)) == Channel::Outcome::kMessage) {
      const std::string type = request.type();
      if (type == verb::kPrepare) read_settings(from_message<PrepareRequest>(request));
      // Inputs, peaks or evaluations so far; measure counts its samples itself.
      const std::int64_t count = type == verb::kPredict       ? predicted_
                                 : type == verb::kMeasurePeak ? peaks_
                                 : type == verb::kEvaluate    ? evaluated_
                                                              : 0;
      if (struck_by(type, count) || !answer(type, request)) return;
    }
  }

 private:
  // False when the session is over.
  bool answer(const std::string& type, const Message& request) {
    if (type == verb::kDescribe) {
      describe();
    } else if (type == verb::kPrepare) {
      send(to_message(Prepared{effective(), scalars_of(Stage::kPrepare, behaviour_.scalars)}));
    } else if (type == verb::kWarm) {
      warm(from_message<WarmRequest>(request));
    } else if (type == verb::kMeasure) {
      return measure(from_message<MeasureRequest>(request));
    } else if (type == verb::kEvaluate) {
      evaluate(from_message<EvaluateRequest>(request));
    } else if (type == verb::kPredict) {
      predict(from_message<PredictRequest>(request));
    } else if (type == verb::kProfile) {
      source();
      Profile profile = fake_profile(from_message<ProfileRequest>(request).options, behaviour_.gpu_profile);
      if (behaviour_.old_profile) profile.counters.reset();
      send(to_message(Profiled{std::move(profile)}));
    } else if (type == verb::kMeasurePeak) {
      const auto asked = from_message<MeasurePeakRequest>(request);
      send(to_message(PeakMeasured{fake_peak(asked.quantity, behaviour_.peaks)}));
      ++peaks_;
    } else if (type == verb::kTeardown) {
      send(bare_message(verb::kTornDown));
      return false;
    } else {
      throw Error(ErrorKind::kProtocol, fmt::format("unknown request '{}'", type));
    }
    return true;
  }

  void describe() {
    Described described;
    described.capabilities =
        (behaviour_.capabilities.is_null() ? default_capabilities() : behaviour_.capabilities).get<Capabilities>();
    described.gives_outputs = behaviour_.outputs.inputs > 0;
    described.gives_profiles = behaviour_.profiles;
    described.build = {{"libtorch", "none"}, {"fake", true}};
    send(to_message(described));
  }

  void read_settings(const PrepareRequest& request) {
    settings_ = request.settings;
    behaviour_ = parse_behaviour(json_, settings_);
    std::uint64_t seed = derive_seed(behaviour_.seed, canonical_json(settings_of_draws(settings_)));
    if (behaviour_.vary) seed = derive_seed(seed, std::to_string(request.spawned_at_ns));
    if (!behaviour_.replicate_folder.empty()) {
      replicate_ = count_replicate(behaviour_.replicate_folder, sha256_hex(canonical_json(settings_)));
      seed = derive_seed(seed, fmt::format("replicate {}", *replicate_));
    }
    source_.emplace(behaviour_.latency, seed);
    requests_.reset();
    if (is_generate(settings_)) requests_.emplace(settings_, behaviour_.step, derive_seed(seed, "steps"));
    cycle_ = fake_cycle(settings_, behaviour_.cycle_batches);
    is_warm_ = false;
    sizes_ = relative_sizes(cycle_);
  }

  Json effective() const {
    Json result = settings_;
    const Json fixed = {{"precision", "fp32"}, {"device", "cpu"}, {"threads", 1}, {"memory_limit", nullptr}};
    for (const auto& [name, value] : fixed.items()) {
      if (!result.contains(name) || result[name] == "auto") result[name] = value;
    }
    result["weights_source"] = "none (fake worker)";
    result["cycle_batches"] = cycle_.size();
    result.merge_patch(behaviour_.effective);
    return result;
  }

  LatencySource& source() {
    if (!source_) throw Error(ErrorKind::kProtocol, "warm and measure come after prepare");
    return *source_;
  }

  std::vector<Series> empty_block() const {
    std::vector<Series> blocks =
        requests_ ? FakeRequests::empty_block() : std::vector<Series>{value_series("latency", {})};
    if (behaviour_.cpu_time_s > 0) blocks.push_back(value_series("sample_cpu_time", {}));
    return blocks;
  }

  // Adds the sample of batch `position` of the cycle, or of a request; returns its latency.
  double take_sample(std::size_t position, double start_s, std::uint32_t flags, std::vector<Series>& blocks) {
    if (behaviour_.pace_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(behaviour_.pace_s));
    const double seconds = source().next(sizes_[position]);
    if (behaviour_.cpu_time_s > 0) blocks.back().value.push_back(behaviour_.cpu_time_s);
    if (requests_) return requests_->take(seconds, start_s, flags, blocks);
    const FakeBatch& batch = cycle_[position];
    Series& block = blocks.front();
    block.value.push_back(seconds);
    block.start_s.push_back(start_s);
    block.index.push_back(static_cast<std::int64_t>(position));
    block.examples.push_back(batch.examples);
    block.useful_tokens.push_back(batch.useful_tokens);
    block.processed_tokens.push_back(batch.processed_tokens);
    block.flags.push_back(flags);
    return seconds;
  }

  Json kernels() const {
    if (requests_) return {{"attention_kernel_prefill", "fake"}, {"attention_kernel_decode", "fake"}};
    return {{"attention_kernel", behaviour_.effective.value("attention_kernel", Json("fake"))}};
  }

  std::int64_t usual_passes() const {
    if (behaviour_.warm_passes > 0) return behaviour_.warm_passes;
    return std::max(kDefaultWarmup, behaviour_.latency.warmup_samples);
  }

  // One sample, as of a worker that comes back to a case.
  void warm_again() {
    std::vector<Series> block = empty_block();
    const double time_s = take_sample(0, 0, kSampleWarmup, block);
    for (Series& series : block) {
      for (double& start : series.start_s) start -= time_s;
    }
    Warmed warmed;
    warmed.series = std::move(block);
    send(to_message(warmed));
  }

  void warm(const WarmRequest& request) {
    source();
    if (std::exchange(is_warm_, true)) return warm_again();
    const std::int64_t count = std::max<std::int64_t>(1, request.count.value_or(usual_passes()));
    std::vector<Series> block = empty_block();
    double time_s = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t flags = kSampleWarmup | (i == 0 ? std::uint32_t{kSampleFirst} : 0U);
      time_s += take_sample(static_cast<std::size_t>(i) % cycle_.size(), time_s, flags, block);
    }
    for (Series& series : block) {
      for (double& start : series.start_s) start -= time_s;  // measuring begins at 0
    }
    Warmed warmed;
    warmed.effective = kernels();
    warmed.series = scalars_of(Stage::kWarm, behaviour_.scalars);
    const double first_s = block.at(requests_ ? 1 : 0).value.front();
    const auto add = [&](const char* name, double value) {
      if (!behaviour_.scalars.contains(name)) warmed.series.push_back(scalar_series(name, value));
    };
    add("first_forward", first_s);
    add("cold_start", first_s + 0.5);
    if (requests_) add("cache_bytes", requests_->cache_bytes());
    warmed.series.insert(warmed.series.begin(), std::make_move_iterator(block.begin()),
                         std::make_move_iterator(block.end()));
    warmed.cycle_batches = static_cast<std::int64_t>(cycle_.size());
    warmed.cycle_forecast_s = behaviour_.latency.mean_s * static_cast<double>(cycle_.size());
    send(to_message(warmed));
  }

  bool measure(const MeasureRequest& request) {
    source();
    const auto all = static_cast<std::int64_t>(cycle_.size());
    const std::int64_t batches = std::clamp<std::int64_t>(request.cycle_batches.value_or(all), 1, all);
    MeasureEnd end(behaviour_, request, batches);
    std::vector<Series> block = empty_block();
    double time_s = 0;
    for (std::int64_t i = 0; !end.reached(time_s); ++i) {
      const double seconds = take_sample(static_cast<std::size_t>(i % batches), time_s, 0, block);
      time_s += seconds;
      end.add(seconds, time_s, i % batches);
      ++measured_;
      const bool fault_due = due_fault(verb::kMeasure, measured_) != nullptr;
      if (fault_due || static_cast<std::int64_t>(block.front().value.size()) == behaviour_.block) {
        send(samples_message(std::exchange(block, empty_block())));
      }
      if (fault_due && struck_by(verb::kMeasure, measured_)) return false;
    }
    if (!block.front().value.empty()) send(samples_message(block));
    Measured measured;
    measured.stop_reason = end.reason();
    measured.series = scalars_of(Stage::kMeasure, behaviour_.scalars);
    add_work(measured.series, batches);
    if (!behaviour_.scalars.contains("window")) measured.series.push_back(scalar_series("window", time_s));
    send(to_message(measured));
    return true;
  }

  // Of batches; that of requests has no formula.
  void add_work(std::vector<Series>& series, std::int64_t batches) const {
    if (requests_) {
      std::erase_if(series, [](const Series& one) { return one.name == "weight_bytes_read"; });
      return;
    }
    for (Series& work : fake_work(cycle_, batches, behaviour_.scalars)) series.push_back(std::move(work));
  }

  void evaluate(const EvaluateRequest& request) {
    Evaluated evaluated{evaluated_series(behaviour_.scalars), std::nullopt};
    if (request.outputs) evaluated.outputs = fake_outputs(behaviour_.outputs, *request.outputs);
    ++evaluated_;
    send(to_message(evaluated));
  }

  void predict(const PredictRequest& request) {
    const Predicted predicted = fake_predictions(settings_.value("task", Task::kSequenceClassification), request);
    predicted_ += static_cast<std::int64_t>(predicted.predictions.size());
    send(to_message(predicted));
  }

  const Fault* due_fault(std::string_view at, std::int64_t samples) const {
    for (const Fault& fault : behaviour_.faults) {
      if (fault.at != at || fault.after_samples != samples) continue;
      const auto& only = fault.replicates;
      if (only.empty() || (replicate_ && std::find(only.begin(), only.end(), *replicate_) != only.end())) return &fault;
    }
    return nullptr;
  }

  // True when a fault ended the session.
  bool struck_by(std::string_view at, std::int64_t samples) {
    const Fault* fault = due_fault(at, samples);
    return fault != nullptr && commit_fault(*fault, channel_) == FaultOutcome::kEnd;
  }

  void send(const Message& message) { channel_.send(message.header, message.blob); }

  Channel channel_;
  Json json_;
  Behaviour behaviour_;
  Json settings_ = Json::object();
  std::optional<std::int64_t> replicate_;
  bool is_warm_ = false;
  std::int64_t predicted_ = 0;  // inputs answered so far
  std::int64_t evaluated_ = 0;  // requests answered
  std::int64_t measured_ = 0;   // samples of all slices
  std::int64_t peaks_ = 0;      // given so far
  std::optional<LatencySource> source_;
  std::optional<FakeRequests> requests_;  // of the scenario generate
  std::vector<FakeBatch> cycle_;
  std::vector<double> sizes_;
};

}  // namespace

void serve_fake_session(Channel channel, const Json& behaviour) {
  Session(std::move(channel), behaviour).serve();
}

}  // namespace transformeter
