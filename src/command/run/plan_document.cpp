// What both formats have in common: limits, and that a plan is a map.
#include "run/plan_document.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr const char* kExampleSetting = "e.g. 'batch_size: [1, 8]'";

std::string checked_plan_text(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) {
    throw Error(ErrorKind::kBadInput, fmt::format("plan '{}' is a folder, not a YAML or JSON file", file.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (!code && size > kLargestPlanBytes) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("plan '{}' has {} bytes; at most {} are allowed", file.string(), size, kLargestPlanBytes));
  }
  std::string text = read_file(file, kLargestPlanBytes);
  if (const auto offset = first_invalid_utf8(text)) {
    throw Error(ErrorKind::kBadInput, fmt::format("plan '{}' is not valid UTF-8 at byte {}", file.string(), *offset));
  }
  return text;
}

}  // namespace

Error plan_error(const std::filesystem::path& file, int line, std::string_view message) {
  const std::string place = line == 0 ? file.string() : fmt::format("{}:{}", file.string(), line);
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", place, message));
}

PlanNode read_plan_document(const std::filesystem::path& file) {
  const std::string text = checked_plan_text(file);
  PlanNode document = file.extension() == ".json" ? parse_json_plan(file, text) : parse_yaml_plan(file, text);
  if (document.kind == PlanNode::Kind::kNull || (document.kind == PlanNode::Kind::kMap && document.members.empty())) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("plan '{}' is empty; it needs at least one setting, {}", file.string(), kExampleSetting));
  }
  if (document.kind != PlanNode::Kind::kMap) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("plan '{}' must be a map of settings, {}", file.string(), kExampleSetting));
  }
  return document;
}

}  // namespace transformeter
