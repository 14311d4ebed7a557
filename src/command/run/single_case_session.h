// A session for a command with a single case: `auto` is resolved with the worker's capabilities, and failures become
// errors.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/context.h"
#include "base/json.h"
#include "run/launch_host.h"
#include "run/session.h"

namespace transformeter {

struct SingleCase {
  std::filesystem::path worker;
  Json settings;  // see schema/settings.h
  std::chrono::milliseconds worker_timeout{120'000};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
  LaunchHost launch_host = {};                   // for launch settings that need to know the machine
};

class SingleCaseSession {
 public:
  /// Starts the worker. The case is copied. Throws Error(kEnvironment).
  SingleCaseSession(const Context& context, const SingleCase& the_case);

  /// Settles the settings and prepares them. Throws Error(kUnsupported) for what the worker declares impossible, alone
  /// or together (a fine-tuning is held to what it declares of scenario train), and the worker's own fault. Returns the
  /// settings with what the worker read back.
  Json prepare();
  const Json& settings() const { return settings_; }

  Session& session() { return session_; }
  /// The answer, or the session's fault as an error, of the kind that the worker's own was.
  template <typename T>
  T answered(std::optional<T> answer) const {
    if (!answer) raise_fault();
    return std::move(*answer);
  }
  /// Lets the worker end, and throws its fault if it cannot.
  void end();

 private:
  [[noreturn]] void raise_fault() const;
  SessionOptions session_options(const SingleCase& the_case);

  Json settings_;
  std::optional<std::int64_t> memory_limit_;
  Session session_;
};

}  // namespace transformeter
