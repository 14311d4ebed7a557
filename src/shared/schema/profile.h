// Where the time of forward passes, training steps or requests went: a tree of modules and operators with what each
// took, summed over the passes that were profiled. A worker makes it, the command reads tables and pictures off it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/event_counts.h"

namespace transformeter {

/// What a part of a model is for.
enum class ProfilePhase { kEmbedding, kAttention, kFeedForward, kNorm, kHead, kLoss };

struct ProfilePhaseName {
  ProfilePhase phase;
  std::string_view name;
};

/// In the order of the enumeration, which is that of a pass.
inline constexpr std::array kProfilePhaseNames{
    ProfilePhaseName{ProfilePhase::kEmbedding, "embedding"},
    ProfilePhaseName{ProfilePhase::kAttention, "attention"},
    ProfilePhaseName{ProfilePhase::kFeedForward, "feed_forward"},
    ProfilePhaseName{ProfilePhase::kNorm, "norm"},
    ProfilePhaseName{ProfilePhase::kHead, "head"},
    ProfilePhaseName{ProfilePhase::kLoss, "loss"},
};

constexpr std::string_view name_of(ProfilePhase phase) {
  return kProfilePhaseNames[static_cast<std::size_t>(phase)].name;
}
/// Nothing for a name that is none of them.
std::optional<ProfilePhase> profile_phase_from_name(std::string_view name);

/// The parts of a training step, whose backward passes stand under the modules of the forward ones, and of a request.
enum class ProfileStage { kData, kForward, kBackward, kOptimizer, kPrefill, kDecode };

struct ProfileStageName {
  ProfileStage stage;
  std::string_view name;
};

/// In the order of the enumeration, which is that of a step, and of a request.
inline constexpr std::array kProfileStageNames{
    ProfileStageName{ProfileStage::kData, "data"},         ProfileStageName{ProfileStage::kForward, "forward"},
    ProfileStageName{ProfileStage::kBackward, "backward"}, ProfileStageName{ProfileStage::kOptimizer, "optimizer"},
    ProfileStageName{ProfileStage::kPrefill, "prefill"},   ProfileStageName{ProfileStage::kDecode, "decode"},
};

constexpr std::string_view name_of(ProfileStage stage) {
  return kProfileStageNames[static_cast<std::size_t>(stage)].name;
}
/// Nothing for a name that is none of them.
std::optional<ProfileStage> profile_stage_from_name(std::string_view name);

enum class ProfileNodeKind {
  kPass,      // the root: whole forward passes, training steps or requests
  kModule,    // named as in the checkpoint
  kOperator,  // of LibTorch's dispatcher, or a kernel of ours
  kStreams,   // the time in which streams compute chunks; its self time is what they are idle
  kStage,     // of a training step or a request, named as a ProfileStage
};

/// "pass", "module", "operator", "streams", "stage".
std::string_view name_of(ProfileNodeKind kind);

/// Times and counts are those of all passes together. What runs on one of N streams counts 1/N of its time, so that all
/// self times add up to the wall-clock time of the root. On a GPU they are the GPU's: of the kernels that a node
/// launched, and the root's self time is what the GPU was idle.
struct ProfileNode {
  std::size_t parent = 0;  // its index, smaller than the node's own; the root's is 0
  ProfileNodeKind kind = ProfileNodeKind::kOperator;
  std::string name = {};
  std::optional<ProfilePhase> phase = {};
  std::int64_t calls = 0;
  double total_s = 0;
  double self_s = 0;           // less the children's total
  double flops = 0;            // of its own; 0: none, or not known
  double bytes = 0;            // read and written if nothing is in a cache; 0: not known
  double allocated_bytes = 0;  // by itself, freed again or not
  double host_s = 0;           // of its own on the host's clock, with a GPU alone; 0 without

  bool operator==(const ProfileNode&) const = default;
};

/// A kernel, or a copy or filling of memory, that a node launched.
struct ProfileKernel {
  std::size_t node = 0;  // whose self time holds it
  std::string name = {};
  std::int64_t calls = 0;
  double time_s = 0;  // while two run at once, that of the first

  bool operator==(const ProfileKernel&) const = default;
};

/// What the GPU ran.
struct ProfileGpu {
  std::vector<ProfileKernel> kernels = {};  // in the order of their first calls

  bool operator==(const ProfileGpu&) const = default;
};

struct MemoryPoint {
  double time_s = 0;     // since the pass began
  double bytes = 0;      // live
  double own_bytes = 0;  // of these, allocated in the pass

  bool operator==(const MemoryPoint&) const = default;
};

/// Blocks that a node allocated in the pass and that were not freed by its peak.
struct HeldMemory {
  std::size_t node = 0;
  std::int64_t blocks = 0;
  double bytes = 0;

  bool operator==(const HeldMemory&) const = default;
};

/// When a stage of the pass ran; stages that follow each other under one name are one.
struct StageTime {
  ProfileStage stage = ProfileStage::kForward;
  double begin_s = 0;  // since the pass began
  double end_s = 0;

  bool operator==(const StageTime&) const = default;
};

/// Memory of LibTorch's tensors over the pass with the highest peak.
struct ProfileMemory {
  double peak_bytes = 0;
  double peak_s = 0;                  // since the pass began
  double earlier_bytes = 0;           // of the peak, what was allocated before the pass: weights and the like
  std::vector<HeldMemory> held = {};  // the rest of the peak, the most bytes first
  /// Two to kMostMemoryPoints, in the order of time; of many, those of each stretch that are highest and last.
  std::vector<MemoryPoint> timeline = {};
  std::vector<StageTime> stages = {};  // of a training step or a request, at most kMostStageTimes

  bool operator==(const ProfileMemory&) const = default;
};

inline constexpr std::size_t kMostMemoryPoints = 1000;
inline constexpr std::size_t kMostStageTimes = 1000;

/// More nodes than that are counted with their parents, and more kernels not by name.
inline constexpr std::size_t kMostProfileNodes = 20'000;
inline constexpr std::size_t kMostProfileKernels = 20'000;
inline constexpr std::size_t kLongestProfileName = 200;

/// What is recorded beside times; each costs time.
struct ProfileOptions {
  bool work = true;                    // FLOPs and bytes, from the shapes of inputs
  bool memory = false;                 // allocations, and memory over time
  std::optional<std::int64_t> passes;  // to profile; nothing: those of a second, 5 to 20
  std::string trace_file;              // for the worker to write a trace of Chrome's format; empty: none

  bool operator==(const ProfileOptions&) const = default;
};

struct Profile {
  std::vector<ProfileNode> nodes;  // the root first
  std::int64_t passes = 0;         // profiled
  std::int64_t batches = 0;        // of the cycle, which they went through in turn
  std::int64_t streams = 1;
  std::int64_t merged_spans = 0;             // that had no room in the tree and count with their parents
  std::vector<double> unprofiled_s;          // latency of each pass without the profiler, half before and half after
  std::vector<double> profiled_s;            // with it
  std::optional<ProfileMemory> memory = {};  // where it was recorded
  std::optional<ProfileGpu> gpu = {};        // of a pass on a GPU
  /// Of the host, in passes without the profiler; nothing of a worker that does not count.
  std::optional<std::vector<EventCount>> counters = {};
  /// Of an engine of another library: its version, whose counters give times and calls; empty: LibTorch's profiler.
  std::string counted_by = {};

  bool operator==(const Profile&) const = default;
};

inline constexpr std::array<std::string_view, 3> kRecordWords{"none", "work", "memory"};
/// Sets `work` and `memory` by those words, "none" alone. Throws Error(kBadInput) for others.
void set_recorded(ProfileOptions& options, const std::vector<std::string>& words);

Json to_json(const ProfileOptions& options);
/// Throws Json::exception or Error(kProtocol) for a missing or mistyped field.
ProfileOptions profile_options_from_json(const Json& json);

Json to_json(const ProfileMemory& memory);
Json to_json(const Profile& profile);
/// Throws Json::exception or Error(kProtocol) for a missing or mistyped field, for nodes that are no tree or too many,
/// for negative numbers, and without a pass.
Profile profile_from_json(const Json& json);

}  // namespace transformeter
