// Canonical dumping and parsing with our own errors.
#include "base/json.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {

std::string canonical_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view what, std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} is not valid JSON (at byte {}): {}", what, error.byte, std::string_view(error.what())));
  } catch (const Json::exception& error) {  // a number beyond double's range is no parse_error
    throw Error(ErrorKind::kBadInput, fmt::format("{} is not valid JSON: {}", what, std::string_view(error.what())));
  }
}

}  // namespace transformeter
