// JSON helpers: the library is nlohmann::json; this adds the canonical form and errors in our own words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace transformeter {

using Json = nlohmann::json;

/// Keys sorted, no white space, numbers in their shortest round-trip form, invalid UTF-8 replaced: equal values give
/// equal bytes, so that keys can be hashed from it.
std::string canonical_json(const Json& value);

/// Throws Error(kBadInput) that names `what` and the byte where parsing stopped.
Json parse_json(std::string_view what, std::string_view text);

}  // namespace transformeter
