// Memory grows with batch size and length, all else equal.
#include "run/implied.h"

#include <fmt/format.h>

#include "terms/settings.h"

namespace transformeter {

bool needs_more_memory(const Json& point, const Json& out_of_memory) {
  const auto without_shape = [](Json json) {
    json.erase("batch_size");
    json.erase("sequence_length");
    return json;
  };
  if (without_shape(point) != without_shape(out_of_memory)) return false;
  if (point.at("batch_size") < out_of_memory.at("batch_size")) return false;
  const Json& length = point.at("sequence_length");
  const Json& other = out_of_memory.at("sequence_length");
  return length == other || (length.is_number() && other.is_number() && length > other);
}

std::string implied_reason(const CaseRecord& out_of_memory) {
  return fmt::format("case {} (batch size {}, sequence length {}) ran out of memory", out_of_memory.id,
                     setting_text(out_of_memory.requested.at("batch_size")),
                     setting_text(out_of_memory.requested.at("sequence_length")));
}

}  // namespace transformeter
