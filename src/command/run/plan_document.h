// The content of a plan file, read from YAML or JSON alike.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace transformeter {

struct PlanMember;

/// A value of a plan file. Nothing in a plan nests deeper than a baseline in a section of a pipeline's run, so that
/// hostile files stay small: what is deeper is known to be there, and dropped.
struct PlanNode {
  enum class Kind { kNull, kScalar, kList, kMap, kDropped };

  Kind kind = Kind::kNull;
  std::string text;                 // of a scalar, without its quotes
  std::vector<PlanNode> elements;   // of a list
  std::vector<PlanMember> members;  // of a map, in the file's order; a key may occur twice
};

struct PlanMember {
  std::string key;
  int line = 0;  // of the key, from 1
  PlanNode value;
};

/// Containers in this many others are dropped; the map of the whole file is in none.
inline constexpr int kMaxPlanDepth = 5;

inline constexpr std::size_t kLargestPlanBytes = 1 << 20;
/// Once aliases are resolved; without them a value takes two bytes.
inline constexpr std::size_t kMaxPlanValues = kLargestPlanBytes / 2;

/// A map with at least one member: of JSON where the file's name ends in ".json", else of YAML. Throws Error(kBadInput)
/// for a folder, a file that is larger than 1 MiB, not UTF-8, empty, in neither format or no map, for a key that is no
/// text, and for more than kMaxPlanValues values.
PlanNode read_plan_document(const std::filesystem::path& file);

/// "FILE:LINE: message", of the user's fault; line 0: unknown.
Error plan_error(const std::filesystem::path& file, int line, std::string_view message);

/// The value of the whole text, which is UTF-8. `file` is for errors, as read_plan_document() throws them.
PlanNode parse_yaml_plan(const std::filesystem::path& file, const std::string& text);
PlanNode parse_json_plan(const std::filesystem::path& file, std::string_view text);

}  // namespace transformeter
