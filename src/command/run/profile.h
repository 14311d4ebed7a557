// Profiles a case with one worker that loads the model once.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/context.h"
#include "base/json.h"
#include "run/launch_host.h"
#include "schema/messages.h"
#include "schema/profile.h"

namespace transformeter {

struct ProfileJob {
  std::filesystem::path worker;
  Json settings;  // of a forward case, see schema/settings.h
  LaunchHost launch_host;
  ProfileOptions options;       // without the name of a trace's file
  std::filesystem::path trace;  // where to put the trace; empty: none. It appears whole, or not at all
  std::optional<std::int64_t> warmup;
  std::chrono::milliseconds worker_timeout{120'000};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
  std::function<void(const Profiling&)> on_progress = [](const Profiling&) {};
};

struct ProfiledCase {
  Json effective;  // settings, and what the worker read back
  Profile profile;
};

/// prepare → warm → profile. Throws what SingleCaseSession throws, and Error(kEnvironment) where the trace cannot be
/// put in its place.
ProfiledCase profile_case(const Context& context, const ProfileJob& job);

}  // namespace transformeter
