// What a program hands down instead of singletons: clock, log and paths.
#pragma once

#include <filesystem>

#include "base/clock.h"
#include "base/log.h"

namespace transformeter {

struct Context {
  const Clock& clock;                       // outlives the context
  Log log;                                  // never empty
  std::filesystem::path program_directory;  // where the running program lies
  std::filesystem::path data_directory;     // bundled texts and vocabularies
  std::filesystem::path cache_directory{};  // for what can be made again; empty: nothing is kept
};

}  // namespace transformeter
