// An affinity mask is a thread's own, and threads inherit that of the one that starts them.
#include "engine/pinned_processors.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/placement.h"
#include "base/text.h"
#include "machine/cpu_list.h"

namespace transformeter {
namespace {

constexpr int kLargestProcessor = 1 << 16;  // more than any kernel knows

}  // namespace

std::vector<int> pinned_processors(int threads) {
  const char* const places = std::getenv("OMP_PLACES");
  const std::string text = places == nullptr ? "" : places;
  std::vector<int> processors;
  for (const std::string& place : split(text, ',')) {
    const bool is_braced = place.size() > 2 && place.front() == '{' && place.back() == '}';
    const auto processor = is_braced ? parse_integer(place.substr(1, place.size() - 2)) : std::nullopt;
    if (!processor || *processor < 0 || *processor > kLargestProcessor) break;
    processors.push_back(static_cast<int>(*processor));
  }
  if (static_cast<int>(processors.size()) < threads) {
    throw Error(ErrorKind::kUnsupported, fmt::format("cannot pin {} threads to OMP_PLACES='{}'", threads, text));
  }
  processors.resize(static_cast<std::size_t>(threads));
  return processors;
}

AllProcessors::AllProcessors(const std::vector<int>& processors) {
  const auto before = allowed_cpus();
  if (processors.empty() || !before) return;
  if (PlacementCalls({.cpus = processors, .memory = {}}).apply() == PlacementStep::kNone) before_ = *before;
}

AllProcessors::~AllProcessors() {
  PlacementCalls({.cpus = before_, .memory = {}}).apply();
}

}  // namespace transformeter
