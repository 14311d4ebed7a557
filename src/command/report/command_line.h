// The command that repeats a run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/record.h"

namespace transformeter {

/// "transformeter run --batch-size 1,8 --precision bf16": each stored setting whose origin is not "default", quoted for
/// a POSIX shell where needed. A value that holds a comma cannot stand in a flag's list; such a setting is followed by
/// "# ..." which says so.
std::string reproduce_command(const RunRecord& run);

/// The command that measures some cases of the run again, in so many processes each: reproduce_command, but what tells
/// the run's cases apart has only the values that these were asked for with. All combinations of these are measured. A
/// live comparison, whose processes are as many as it needs, is repeated with so many at the least. Into the store that
/// was read, whose file may not be the one that the run was measured into.
std::string measure_again_command(const RunRecord& run, const std::vector<const CaseRecord*>& cases,
                                  std::size_t replicates, const std::string& store);

/// "transformeter resume RUN --store STORE".
std::string resume_command(const std::string& run, const std::string& store);

/// `text` as one word of a POSIX shell on one line; text that a line cannot show as it is takes bash's
/// $'...' form.
std::string shell_word(std::string_view text);

}  // namespace transformeter
