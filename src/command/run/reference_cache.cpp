// Nothing of a file is believed before its hash fits.
#include "run/reference_cache.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "transformeter-reference";
constexpr int kVersion = 2;
constexpr std::size_t kLargestReference = std::size_t{64} << 20;

// Throws Error or Json::exception.
ReferenceOutputs parse_reference(const std::string& content, const std::string& key) {
  const std::size_t end = content.find('\n');
  if (end == std::string::npos) throw Error(ErrorKind::kBadInput, "the first line is missing");
  const Json head = parse_json("the first line", std::string_view(content).substr(0, end));
  std::string_view blob = std::string_view(content).substr(end + 1);
  const Json expected = {{"format", kFormat}, {"version", kVersion}, {"key", key}, {"sha256", sha256_hex(blob)}};
  for (const auto& [name, value] : expected.items()) {
    if (head.at(name) != value) throw Error(ErrorKind::kBadInput, fmt::format("its '{}' differs", name));
  }
  ReferenceOutputs reference{decode_outputs(head.at("outputs"), blob), controls_from(head.at("controls"))};
  if (!blob.empty()) throw Error(ErrorKind::kBadInput, fmt::format("{} trailing bytes", blob.size()));
  return reference;
}

}  // namespace

std::optional<ReferenceOutputs> ReferenceCache::load(const std::string& key) const {
  std::error_code code;
  if (folder_.empty() || !fs::exists(file_of(key), code)) return std::nullopt;
  std::string why;
  try {
    return parse_reference(read_file(file_of(key), kLargestReference), key);
  } catch (const Error& error) {
    why = error.what();
  } catch (const Json::exception& error) {
    why = error.what();
  }
  log_(LogLevel::kWarning,
       fmt::format("the cached reference '{}' is damaged and will be recomputed: {}", file_of(key).string(), why));
  return std::nullopt;
}

void ReferenceCache::store(const std::string& key, const ReferenceOutputs& reference) const {
  if (folder_.empty()) return;
  std::string blob;
  Json head = {{"format", kFormat},
               {"version", kVersion},
               {"key", key},
               {"controls", to_json(reference.controls)},
               {"outputs", encode_outputs(reference.outputs, blob)}};
  head["sha256"] = sha256_hex(blob);
  std::error_code code;
  fs::create_directories(folder_, code);  // where it fails, writing does, and says more
  try {
    write_file_atomically(file_of(key), canonical_json(head) + "\n" + blob);
  } catch (const Error& error) {
    log_(LogLevel::kWarning, fmt::format("cannot cache the reference for later runs: {}", error.what()));
  }
}

}  // namespace transformeter
