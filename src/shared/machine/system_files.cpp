// Reading /proc and /sys: absence is normal there (containers, virtual machines, other architectures).
#include "machine/system_files.h"

#include <algorithm>
#include <system_error>

#include "base/files.h"
#include "base/text.h"

namespace transformeter {

std::string SystemFiles::process_file(pid_t pid, std::string_view name) const {
  return "proc/" + (pid == 0 ? std::string("self") : std::to_string(pid)) + "/" + std::string(name);
}

bool SystemFiles::exists(std::string_view relative) const {
  std::error_code ignored;
  return std::filesystem::exists(path(relative), ignored);
}

std::optional<std::string> SystemFiles::text(std::string_view relative) const {
  const std::string content = read_file_or_empty(path(relative));
  const std::string_view trimmed = trim(content);
  if (trimmed.empty()) return std::nullopt;
  return std::string(trimmed);
}

std::optional<long long> SystemFiles::integer(std::string_view relative) const {
  const auto content = text(relative);
  return content ? parse_integer(*content) : std::nullopt;
}

std::vector<std::string> SystemFiles::list(std::string_view relative) const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path(relative), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> field_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.substr(0, key.size()) != key) continue;
    const std::string_view rest = line.substr(key.size());
    // /proc/cpuinfo writes "model name\t: x", /proc/meminfo "MemTotal:  x", cpu.stat "nr_throttled x", os-release
    // "ID=x".
    const std::string_view bare = trim(rest);
    if (!bare.empty() && (bare.front() == ':' || bare.front() == '=')) return std::string(trim(bare.substr(1)));
    // A colon further on means that the key goes on: "model" is not the key of "model name : x".
    const bool spaced = !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
    if (spaced && rest.find(':') == std::string_view::npos) return std::string(bare);
  }
  return std::nullopt;
}

std::optional<long long> count_field(std::string_view text, std::string_view key) {
  const auto field = field_of(text, key);
  return field ? parse_integer(*field) : std::nullopt;
}

std::optional<long long> bytes_field(std::string_view text, std::string_view key) {
  constexpr std::string_view kUnit = " kB";
  const auto field = field_of(text, key);
  if (!field || field->size() <= kUnit.size() || !field->ends_with(kUnit)) return std::nullopt;
  const auto kibibytes = parse_integer(trim(std::string_view(*field).substr(0, field->size() - kUnit.size())));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

}  // namespace transformeter
