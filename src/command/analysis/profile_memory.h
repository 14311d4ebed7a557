// What the peak of a pass's memory is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

/// Blocks of one place that were live at the peak. A place is a module with numbers of layers as "*", and the outermost
/// operator in it: "aten::linear", not the "aten::empty" inside.
struct HeldRow {
  std::optional<ProfileStage> stage;
  std::string module;         // or kOutsideModules
  std::string operator_name;  // or kOutsideOperators
  std::int64_t blocks = 0;
  double bytes = 0;
};

/// The most bytes first; nothing where memory was not recorded. With ProfileMemory::earlier_bytes they add up to the
/// peak.
std::vector<HeldRow> held_rows(const Profile& profile);

/// "forward: m.layer.*.lin, aten::linear", without what lies outside.
std::string held_name(const HeldRow& row);

/// "peak of 412 MiB at 34.2 ms of 40.1 ms, in the forward pass with the highest of 20; 253 MiB from before";
/// of a profile with memory.
std::string memory_text(const Profile& profile);

}  // namespace transformeter
