// Affinities of one thread, by Linux's calls.
#include "engine/pinned_processors.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

std::vector<int> pinned_processors(int threads) {
  const char* const places = std::getenv("OMP_PLACES");
  const std::string text = places == nullptr ? "" : places;
  std::vector<int> processors;
  for (const std::string& place : split(text, ',')) {
    const bool is_braced = place.size() > 2 && place.front() == '{' && place.back() == '}';
    const auto processor = is_braced ? parse_integer(place.substr(1, place.size() - 2)) : std::nullopt;
    if (!processor || *processor < 0 || *processor >= CPU_SETSIZE) break;
    processors.push_back(static_cast<int>(*processor));
  }
  if (static_cast<int>(processors.size()) < threads) {
    throw Error(ErrorKind::kUnsupported, fmt::format("cannot pin {} threads to OMP_PLACES='{}'", threads, text));
  }
  processors.resize(static_cast<std::size_t>(threads));
  return processors;
}

AllProcessors::AllProcessors(const std::vector<int>& processors) {
  CPU_ZERO(&before_);
  if (processors.empty() || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int processor : processors) CPU_SET(processor, &all);
  is_changed_ = ::sched_setaffinity(0, sizeof all, &all) == 0;
}

AllProcessors::~AllProcessors() {
  if (is_changed_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace transformeter
