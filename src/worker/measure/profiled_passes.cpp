// Three blocks of the same passes.
#include "measure/profiled_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "device/counting_allocator.h"
#include "engine/backends.h"
#include "measure/kineto_profiler.h"
#include "measure/memory_timeline.h"
#include "measure/span_tree.h"

namespace transformeter {
namespace {

constexpr std::int64_t kFewestPasses = 5;
constexpr std::int64_t kMostPasses = 20;
// Of passes that take longer than a second: the command waits for all without a word.
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
  if (is_backend(request.engine)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("engine {} cannot be profiled: it computes the whole pass outside LibTorch, whose profiler "
                            "sees a single call; use engine pytorch or fast",
                            request.engine));
  }
  if (options.memory && device.name() != "cpu") {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the memory of device {} cannot be recorded yet; leave memory out of --record, and "
                            "--memory-plot",
                            request.device));
  }
}

Profile profile_passes(const PassSource& source, const ProfileOptions& options, const Clock& clock) {
  Profile profile;
  const std::size_t batches = std::min(source.batches, kMostBatches);
  profile.streams = source.streams;
  const auto run_whole = [&](std::size_t pass) {
    source.run(pass % batches);
    if (source.gpu != nullptr) source.gpu->synchronize();
  };
  const auto timed = [&](std::size_t pass) {
    const Stopwatch watch(clock);
    run_whole(pass);
    const double seconds = watch.seconds();
    source.end();
    return seconds;
  };
  double first_round_s = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) first_round_s += timed(batch);
  profile.passes = options.passes.value_or(
      std::max(static_cast<std::int64_t>(batches), passes_in_a_second(first_round_s / static_cast<double>(batches))));
  profile.batches = std::min(profile.passes, static_cast<std::int64_t>(batches));
  const auto count = static_cast<std::size_t>(profile.passes);
  for (std::size_t pass = 0; pass < count; ++pass) profile.unprofiled_s.push_back(timed(pass));
  std::vector<double> live_bytes;  // before each pass
  std::vector<ProfiledSpan> spans = profile_with_kineto(options, source.gpu != nullptr, [&] {
    for (std::size_t pass = 0; pass < std::min(kWarmupPasses, count); ++pass) {
      const ModuleScope scope(kWarmupScope);
      run_whole(pass);
      source.end();
    }
    for (std::size_t pass = 0; pass < count; ++pass) {
      live_bytes.push_back(static_cast<double>(allocated_bytes()));
      const Stopwatch watch(clock);
      {
        const ModuleScope scope(source.scope);
        run_whole(pass);
      }
      profile.profiled_s.push_back(watch.seconds());
      source.end();
    }
  });
  for (std::size_t pass = 0; pass < count; ++pass) profile.unprofiled_s.push_back(timed(pass));
  SpanTree tree = build_span_tree(std::move(spans), {.streams = source.streams, .has_gpu = source.gpu != nullptr});
  if (options.memory) profile.memory = memory_over_time(tree, live_bytes);
  if (source.gpu != nullptr) profile.gpu = ProfileGpu{std::move(tree.kernels)};
  profile.nodes = std::move(tree.nodes);
  profile.merged_spans = tree.merged_spans;
  return profile;
}

}  // namespace transformeter
