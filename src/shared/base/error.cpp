// Wording of errors, so that all of them name the bad value, what is allowed, and a hint.
#include "base/error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace transformeter {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return "bad_input";
    case ErrorKind::kEnvironment:
      return "environment";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kUnsupportedShape:
      return "unsupported_shape";
    case ErrorKind::kOutOfMemory:
      return "out_of_memory";
    case ErrorKind::kProtocol:
      return "protocol";
    case ErrorKind::kTimeout:
      return "timeout";
    case ErrorKind::kInterrupted:
      return "interrupted";
    case ErrorKind::kDiverged:
      return "diverged";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "internal";
}

Error unknown_value(std::string_view what, std::string_view value, const std::vector<std::string>& allowed) {
  std::string message = fmt::format("{} '{}' is not known; allowed: {}.", what, value, fmt::join(allowed, ", "));
  if (const auto near = nearest(value, allowed)) message += fmt::format(" Did you mean '{}'?", *near);
  return Error(ErrorKind::kBadInput, message);
}

Error bad_value(std::string_view what, std::string_view value, std::string_view expected, std::string_view hint) {
  std::string message = fmt::format("{} '{}' is not valid; expected {}.", what, value, expected);
  if (!hint.empty()) message += fmt::format(" {}", hint);
  return Error(ErrorKind::kBadInput, message);
}

Error refused_value(std::string_view what, std::string_view value, std::string_view reason, std::string_view hint) {
  std::string message = fmt::format("{} '{}' is not valid: {}.", what, value, reason);
  if (!hint.empty()) message += fmt::format(" {}", hint);
  return Error(ErrorKind::kBadInput, message);
}

}  // namespace transformeter
