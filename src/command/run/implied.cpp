// Memory grows with batch size and length, all else equal.
#include "run/implied.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr const char* kShape[] = {"batch_size",    "sequence_length", "audio_seconds",
                                  "prompt_length", "new_tokens",      "num_beams"};

// A setting that neither point has is as large in both.
bool is_as_large(const Json& value, const Json& other) {
  return value == other || (value.is_number() && other.is_number() && value > other);
}

}  // namespace

bool needs_more_memory(const Json& point, const Json& out_of_memory) {
  const auto without_shape = [](Json json) {
    for (const char* name : kShape) json.erase(name);
    return json;
  };
  return without_shape(point) == without_shape(out_of_memory) &&
         std::all_of(std::begin(kShape), std::end(kShape), [&](const char* name) {
           return is_as_large(point.value(name, Json()), out_of_memory.value(name, Json()));
         });
}

std::string implied_reason(const CaseRecord& out_of_memory) {
  std::string shape;
  for (const char* name : kShape) {
    const auto value = out_of_memory.requested.find(name);
    if (value == out_of_memory.requested.end()) continue;
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    shape += fmt::format("{}{} {}", shape.empty() ? "" : ", ", words, setting_text(*value));
  }
  return fmt::format("case {} ({}) ran out of memory", out_of_memory.id, shape);
}

}  // namespace transformeter
