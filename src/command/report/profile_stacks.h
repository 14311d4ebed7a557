// A profile as stacks: the frames from a pass down to an operator, with the time that the innermost takes itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

/// A frame with all frames inside it; times are those of one pass.
struct StackFrame {
  std::string name;
  ProfileNodeKind kind = ProfileNodeKind::kOperator;
  std::optional<ProfilePhase> phase = {};
  double calls = 0;
  double total_s = 0;
  double self_s = 0;
  std::vector<StackFrame> inside = {};  // in the order of the pass
};

/// The whole pass. A module inside one of the same name is one with it.
StackFrame stack_frames(const Profile& profile);

/// A line for each stack, "forward pass;distilbert.embeddings;aten::add 1234" with nanoseconds: what flamegraph.pl,
/// speedscope and inferno read. Frames hold no ";" and no line break.
std::string collapsed_stacks(const Profile& profile);

}  // namespace transformeter
