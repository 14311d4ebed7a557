// Which run a user means by an id, the beginning of one, a name, or nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/record.h"

namespace transformeter {

struct RunLabel {
  std::string id;
  std::string name;  // may be empty
  RunRole role = RunRole::kResult;
};

/// Position in `runs` (latest first) of the run meant: the first of results for an empty selector, else by id, by name
/// (the latest of that name), or by the beginning of an id. Throws Error(kBadInput), naming `where` the runs are, with
/// near names when it fits none, with the candidates when it begins several ids, and when there are no runs at all.
/// `noun` is what messages call them, and the command that makes them.
std::size_t select_run(const std::vector<RunLabel>& runs, std::string_view selector, std::string_view where,
                       std::string_view noun = "run");

}  // namespace transformeter
