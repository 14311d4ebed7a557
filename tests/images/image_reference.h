// The references that scripts/references/image_reference.py wrote, and digests to compare with them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "images/image.h"
#include "support/source_tree.h"

namespace transformeter {

inline std::filesystem::path image_data() {
  return source_directory() / "tests/data/images";
}

inline Json image_reference(const std::string& file) {
  return parse_json(file, read_file(image_data() / file));
}

inline std::string digest_of(const Image& image) {
  return sha256_hex({reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size()});
}

/// Of values as they lie in memory, which is little-endian on every machine that we build for.
inline std::string digest_of(std::span<const float> values) {
  return sha256_hex({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

inline ImageSize size_in(const Json& json) {
  return {json.at("height").get<std::int64_t>(), json.at("width").get<std::int64_t>()};
}

}  // namespace transformeter
