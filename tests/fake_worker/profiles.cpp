// The smallest tree with a module and an operator.
#include "fake_worker/profiles.h"

#include "base/files.h"

namespace transformeter {

Profile fake_profile(const ProfileOptions& options, bool on_gpu) {
  Profile profile;
  profile.passes = options.passes.value_or(2);
  profile.batches = 1;
  const auto passes = static_cast<double>(profile.passes);
  profile.unprofiled_s.assign(static_cast<std::size_t>(2 * profile.passes), 0.010);
  profile.profiled_s.assign(static_cast<std::size_t>(profile.passes), 0.012);
  profile.nodes = {{.kind = ProfileNodeKind::kPass, .name = "forward pass", .calls = profile.passes},
                   {.kind = ProfileNodeKind::kModule,
                    .name = "model.layer.0.linear",
                    .phase = ProfilePhase::kHead,
                    .calls = profile.passes},
                   {.parent = 1, .name = "aten::addmm", .phase = ProfilePhase::kHead, .calls = profile.passes}};
  profile.nodes[0].total_s = 0.012 * passes;
  profile.nodes[0].self_s = 0.003 * passes;
  profile.nodes[1].total_s = profile.nodes[2].total_s = profile.nodes[2].self_s = 0.009 * passes;
  if (options.work) profile.nodes[2].flops = 8.1e8 * passes;
  if (options.memory) {
    profile.memory = ProfileMemory{.peak_bytes = 3 << 20,
                                   .peak_s = 0.004,
                                   .earlier_bytes = 1 << 20,
                                   .held = {{2, 1, 2 << 20}},
                                   .timeline = {{0, 1 << 20, 0}, {0.004, 3 << 20, 2 << 20}, {0.012, 1 << 20, 0}},
                                   .stages = {}};
  }
  if (on_gpu) {
    profile.gpu = ProfileGpu{{{2, "gemm_kernel<float>", profile.passes, profile.nodes[2].self_s}}};
    profile.nodes[2].host_s = 0.002 * passes;
  }
  profile.counters = {
      {.name = std::string(event_name::kCycles), .value = 3e7, .scaled_share = 0.25},
      {.name = std::string(event_name::kInstructions), .value = 6e7},
      {.name = std::string(event_name::kCacheMisses), .reason = "the processor had no counter free for it"},
      {.name = std::string(event_name::kTaskClock), .value = 0.015}};
  if (!options.trace_file.empty()) write_file_atomically(options.trace_file, "{\"traceEvents\": []}\n");
  return profile;
}

}  // namespace transformeter
