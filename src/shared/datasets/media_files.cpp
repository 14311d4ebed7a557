#include "datasets/media_files.h"

#include <algorithm>
#include <string>

#include "base/lower_case.h"

namespace transformeter {
namespace {

bool has_ending(const std::filesystem::path& file, std::span<const std::string_view> endings) {
  const std::string ending = lower_case(file.extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

bool is_named_as(const std::filesystem::path& file, const MediaFiles& kind) {
  return has_ending(file, kind.endings);
}

bool is_named_as_other(const std::filesystem::path& file, const MediaFiles& kind) {
  return has_ending(file, kind.other);
}

}  // namespace transformeter
