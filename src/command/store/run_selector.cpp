// An exact match beats a partial one: id, then name, then the beginning of an id.
#include "store/run_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr std::size_t kShown = 5;  // runs named in a message

std::string shown(const RunLabel& run) {
  return run.name.empty() ? run.id : fmt::format("{} ({})", run.id, run.name);
}

std::string shown(const std::vector<RunLabel>& runs) {
  std::string text;
  for (std::size_t i = 0; i < std::min(runs.size(), kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shown(runs[i]));
  }
  if (runs.size() > kShown) text += fmt::format(" and {} more", runs.size() - kShown);
  return text;
}

Error unknown_run(const std::vector<RunLabel>& runs, std::string_view selector, std::string_view where,
                  std::string_view noun) {
  std::vector<std::string> words;
  for (const RunLabel& run : runs) {
    if (!run.name.empty()) words.push_back(run.name);
    words.push_back(run.id);
  }
  const auto near = nearest(selector, words);
  return Error(ErrorKind::kBadInput,
               fmt::format("{0} '{1}' is not in '{2}'; {0}s there: {3}.{4}", noun, selector, where, shown(runs),
                           near ? fmt::format(" Did you mean '{}'?", *near) : ""));
}

// Of trials alone the latest of them.
std::size_t latest_result(const std::vector<RunLabel>& runs) {
  const auto result =
      std::find_if(runs.begin(), runs.end(), [](const RunLabel& run) { return run.role == RunRole::kResult; });
  return result == runs.end() ? 0 : static_cast<std::size_t>(result - runs.begin());
}

}  // namespace

std::size_t select_run(const std::vector<RunLabel>& runs, std::string_view selector, std::string_view where,
                       std::string_view noun) {
  if (runs.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{0}' contains no {1}s; create one with `transformeter {1} --store {0}`", where, noun));
  }
  if (selector.empty()) return latest_result(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].id == selector) return i;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].name == selector) return i;
  }
  std::vector<RunLabel> candidates;
  std::size_t last = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].id.starts_with(selector)) continue;
    candidates.push_back(runs[i]);
    last = i;
  }
  if (candidates.size() == 1) return last;
  if (candidates.empty()) throw unknown_run(runs, selector, where, noun);
  throw Error(ErrorKind::kBadInput,
              fmt::format("{} '{}' is ambiguous: {} ids in '{}' start with it: {}. Use more of the id.", noun, selector,
                          candidates.size(), where, shown(candidates)));
}

}  // namespace transformeter
