// The one exception of the library: a kind, and a message with the bad value, what is allowed, and a hint.
// The library throws it and never exits, aborts or prints; only `main` maps kinds to exit codes.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

enum class ErrorKind {
  kBadInput,          // the user's value, plan, file or checkpoint: exit code 3
  kEnvironment,       // disk full, permission, missing program: exit code 3
  kUnsupported,       // a combination the engine declares impossible
  kUnsupportedShape,  // a shape beyond what the model can hold, as its position table
  kOutOfMemory,       // an allocation failed
  kProtocol,          // the other program broke the session protocol
  kTimeout,           // nothing came within the limit
  kInterrupted,       // the user asked to stop
  kDiverged,          // the training loss became NaN or infinite
  kInternal,          // our own mistake
};

std::string_view name_of(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// "WHAT 'VALUE' is not known; allowed: a, b, c. Did you mean 'b'?", for a value out of a fixed list.
Error unknown_value(std::string_view what, std::string_view value, const std::vector<std::string>& allowed);

/// "WHAT 'VALUE' is not valid; expected EXPECTED. HINT", where one can say what values are: "a whole number". An empty
/// hint is left out.
Error bad_value(std::string_view what, std::string_view value, std::string_view expected, std::string_view hint = "");

/// "WHAT 'VALUE' is not valid: REASON. HINT", where one can only say what is wrong with this value: "no such file".
Error refused_value(std::string_view what, std::string_view value, std::string_view reason, std::string_view hint = "");

}  // namespace transformeter
