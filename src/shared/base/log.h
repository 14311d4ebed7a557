// Messages to the person at the terminal; results never go through it.
#pragma once

#include <functional>
#include <string_view>

namespace transformeter {

enum class LogLevel { kInfo, kWarning };

/// Called with one line without its line break.
using Log = std::function<void(LogLevel, std::string_view)>;

}  // namespace transformeter
