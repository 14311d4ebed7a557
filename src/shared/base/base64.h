// Bytes as text, where JSON must carry them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transformeter {

/// RFC 4648's alphabet, padded, without line breaks.
std::string base64(std::string_view bytes);

/// The bytes that base64 (RFC 4648, padded) stands for; nothing for anything else.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace transformeter
