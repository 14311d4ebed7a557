// The references that scripts/references/audio_reference.py wrote.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"

namespace transformeter {

inline std::filesystem::path audio_data() {
  return source_directory() / "tests/data/audio";
}

inline Json audio_reference(const std::string& file) {
  return parse_json(file, read_file(audio_data() / file));
}

/// Numbers of reference.f32, which `place` tells of; they lie in memory as in the file, little-endian.
inline std::vector<float> stored_values(const Json& place) {
  const std::string bytes = read_file(audio_data() / "reference.f32");
  std::vector<float> values(place.at("count").get<std::size_t>());
  std::memcpy(values.data(), bytes.data() + place.at("at").get<std::size_t>() * sizeof(float),
              values.size() * sizeof(float));
  return values;
}

/// Infinite where they differ in number.
inline double largest_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

}  // namespace transformeter
