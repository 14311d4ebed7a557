// Forward passes, training steps or requests with the profiler and without, for a Profile.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/clock.h"
#include "device/device.h"
#include "machine/perf_events.h"
#include "model/node_counters.h"
#include "model/profile_scope.h"
#include "schema/case.h"
#include "schema/messages.h"
#include "schema/profile.h"

namespace transformeter {

/// What is profiled. A pass was warmed up, and is computed when `run` returns and the GPU has nothing left to do.
struct PassSource {
  std::function<void(std::size_t batch)> run;
  std::function<void()> end = [] {};  // after each pass; neither timed nor profiled
  std::size_t batches = 1;            // that passes go through in turn
  std::int64_t streams = 1;
  std::string_view scope = kPassScope;  // or kStepScope, kRequestScope
  Device* gpu = nullptr;                // null: the CPU
  /// The same passes by a graph of another library that counts its nodes; null: LibTorch's profiler records `run`.
  std::function<void(std::size_t batch)> run_node_counted = nullptr;
  NodeCounters* node_counters = nullptr;  // of `run_node_counted`
  PerfEvents* perf_events = nullptr;      // counted in passes of their own; null: the kernel's
  std::function<void(const Profiling&)> on_progress = [](const Profiling&) {};
};

/// Null for the CPU.
Device* gpu_of(Device& device);

/// Throws Error(kUnsupported) for memory where it is not recorded: on a GPU, and of an engine of another library.
void check_is_profiled(const Case& request, const Device& device, const ProfileOptions& options);

/// Half of the unprofiled passes come first and half last, so that what makes a machine slower meanwhile is not taken
/// for the profiler's cost. Events are counted in as many further passes, whose time is not used. Throws as
/// profile_with_kineto and NodeCounters::end.
Profile profile_passes(const PassSource& source, const ProfileOptions& options, const Clock& clock);

}  // namespace transformeter
