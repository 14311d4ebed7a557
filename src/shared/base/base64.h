// Bytes as text, where JSON must carry them.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

/// RFC 4648's alphabet, padded, without line breaks.
std::string base64(std::string_view bytes);

}  // namespace transformeter
