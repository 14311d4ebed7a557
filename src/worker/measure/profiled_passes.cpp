// Blocks of the same passes: timed without the profiler, with it, without it again, and counted.
#include "measure/profiled_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_file.h"
#include "base/stopwatch.h"
#include "device/counting_allocator.h"
#include "engine/backends.h"
#include "machine/process_counters.h"
#include "measure/counted_tree.h"
#include "measure/kineto_profiler.h"
#include "measure/memory_timeline.h"
#include "measure/span_tree.h"

namespace transformeter {
namespace {

constexpr std::int64_t kFewestPasses = 5;
constexpr std::int64_t kMostPasses = 20;
// Of passes that take longer than a second.
constexpr std::int64_t kSlowPasses = 2;
// Of natural lengths: enough to be typical, few enough to be seen apart in a trace.
constexpr std::size_t kMostBatches = 8;
// With the profiler, whose own memory takes the places of larger blocks at first, which must then be found elsewhere.
constexpr std::size_t kWarmupPasses = 3;
constexpr std::string_view kWarmupScope = "warm-up of the profiler";

std::int64_t passes_in_a_second(double pass_s) {
  if (pass_s > 1) return kSlowPasses;
  const double fitting = pass_s > 0 ? std::floor(1 / pass_s) : static_cast<double>(kMostPasses);
  return static_cast<std::int64_t>(
      std::clamp(fitting, static_cast<double>(kFewestPasses), static_cast<double>(kMostPasses)));
}

}  // namespace

Device* gpu_of(Device& device) {
  return device.name() == "cpu" ? nullptr : &device;
}

void check_is_profiled(const Case& request, const Device& device, const ProfileOptions& options) {
  if (!options.memory) return;
  if (is_backend(request.engine)) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("engine {} has no memory by operator, which its library does not report; remove memory from "
                    "--record, and remove --memory-plot",
                    request.engine));
  }
  if (device.name() != "cpu") {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the memory of device {} cannot be recorded yet; remove memory from --record, and remove "
                            "--memory-plot",
                            request.device));
  }
}

namespace {

// The same passes, told of between them, where nothing is timed.
class Passes {
 public:
  Passes(const PassSource& source, std::size_t batches, const Clock& clock)
      : source_(source), batches_(batches), clock_(clock), told_(clock.now()) {}

  void expect(std::int64_t total) { progress_.total = total; }
  /// In seconds. `scope`: of the pass, for the profiler; empty: none.
  double run(std::size_t pass, std::string_view scope = "") {
    const double seconds = timed(source_.run, pass, scope);
    end();
    return seconds;
  }
  /// The same by the graph that counts its nodes.
  double run_node_counted(std::size_t pass) {
    const double seconds = timed(source_.run_node_counted, pass, "");
    end();
    return seconds;
  }
  /// Without the profiler and with events counted, which takes time of its own.
  void run_with_events(std::size_t pass, ProcessCounters& counters) {
    counters.start();
    timed(source_.run, pass, "");
    counters.stop();
    end();
  }

 private:
  static constexpr std::chrono::seconds kProgressPeriod{1};

  void end() {
    source_.end();
    ++progress_.passes;
    if (clock_.now() - told_ >= kProgressPeriod) {
      source_.on_progress(progress_);
      told_ = clock_.now();
    }
  }

  double timed(const std::function<void(std::size_t batch)>& work, std::size_t pass,
               std::string_view scope_name) const {
    const Stopwatch watch(clock_);
    {
      const ModuleScope scope(scope_name);
      work(pass % batches_);
      if (source_.gpu != nullptr) source_.gpu->synchronize();
    }
    return watch.seconds();
  }

  const PassSource& source_;
  std::size_t batches_;
  const Clock& clock_;
  Clock::TimePoint told_;
  Profiling progress_;
};

// What was recorded of the passes, to be made a tree of when all of them have run.
struct Recording {
  std::vector<ProfiledSpan> spans;
  std::vector<double> live_bytes;  // before each pass
};

Recording record(const PassSource& source, const ProfileOptions& options, std::size_t warmup, Passes& passes,
                 Profile& profile) {
  Recording recording;
  recording.spans = profile_with_kineto(options, source.gpu != nullptr, [&] {
    for (std::size_t pass = 0; pass < warmup; ++pass) passes.run(pass, kWarmupScope);
    for (std::int64_t pass = 0; pass < profile.passes; ++pass) {
      recording.live_bytes.push_back(static_cast<double>(allocated_bytes()));
      profile.profiled_s.push_back(passes.run(static_cast<std::size_t>(pass), source.scope));
    }
  });
  return recording;
}

void add_tree(Recording recording, const PassSource& source, const ProfileOptions& options, Profile& profile) {
  SpanTree tree =
      build_span_tree(std::move(recording.spans), {.streams = source.streams, .has_gpu = source.gpu != nullptr});
  if (options.memory) profile.memory = memory_over_time(tree, recording.live_bytes);
  if (source.gpu != nullptr) profile.gpu = ProfileGpu{std::move(tree.kernels)};
  profile.nodes = std::move(tree.nodes);
  profile.merged_spans = tree.merged_spans;
}

void count_nodes(const PassSource& source, std::size_t warmup, Passes& passes, Profile& profile) {
  for (std::size_t pass = 0; pass < warmup; ++pass) passes.run_node_counted(pass);
  source.node_counters->begin();
  for (std::int64_t pass = 0; pass < profile.passes; ++pass) {
    profile.profiled_s.push_back(passes.run_node_counted(static_cast<std::size_t>(pass)));
  }
}

void add_counted_tree(const PassSource& source, const ProfileOptions& options, Profile& profile) {
  NodeCounts counts = source.node_counters->end();
  if (!options.work) {
    for (CountedNode& node : counts.nodes) node.flops = node.bytes = 0;
  }
  CountedTree tree = counted_tree(counts, profile.profiled_s);
  profile.counted_by = std::move(counts.library);
  profile.nodes = std::move(tree.nodes);
  profile.merged_spans = tree.merged_calls;
  if (!options.trace_file.empty()) write_json_file(options.trace_file, mean_pass_trace(profile.nodes, profile.passes));
}

}  // namespace

Profile profile_passes(const PassSource& source, const ProfileOptions& options, const Clock& clock) {
  Profile profile;
  const bool counts_nodes = source.node_counters != nullptr;
  const std::size_t batches = std::min(source.batches, kMostBatches);
  profile.streams = source.streams;
  Passes passes(source, batches, clock);
  double first_round_s = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) first_round_s += passes.run(batch);
  profile.passes = options.passes.value_or(
      std::max(static_cast<std::int64_t>(batches), passes_in_a_second(first_round_s / static_cast<double>(batches))));
  profile.batches = std::min(profile.passes, static_cast<std::int64_t>(batches));
  const auto count = static_cast<std::size_t>(profile.passes);
  // A graph of its own has run none of the batches yet.
  const std::size_t warmup = std::min(counts_nodes ? std::max(kWarmupPasses, batches) : kWarmupPasses, count);
  const std::size_t timed_passes = batches + 3 * count + warmup;
  passes.expect(static_cast<std::int64_t>(timed_passes + count));
  const auto run_unprofiled = [&] {
    for (std::size_t pass = 0; pass < count; ++pass) profile.unprofiled_s.push_back(passes.run(pass));
  };
  run_unprofiled();
  Recording recording;
  if (counts_nodes) {
    count_nodes(source, warmup, passes, profile);
  } else {
    recording = record(source, options, warmup, passes, profile);
  }
  run_unprofiled();
  // Opened only now: they would slow down timed passes, and the threads of the pass are there.
  KernelPerfEvents kernel_events;
  ProcessCounters counters(source.perf_events != nullptr ? *source.perf_events : kernel_events);
  if (counters.counts_any()) {
    for (std::size_t pass = 0; pass < count; ++pass) passes.run_with_events(pass, counters);
  } else {
    passes.expect(static_cast<std::int64_t>(timed_passes));
  }
  profile.counters = counters.mean_counts(profile.passes);
  if (counts_nodes) {
    add_counted_tree(source, options, profile);
  } else {
    add_tree(std::move(recording), source, options, profile);
  }
  return profile;
}

}  // namespace transformeter
