// The command that repeats a run.
#pragma once

#include <string>
#include <string_view>

#include "schema/record.h"

namespace transformeter {

/// "transformeter run --batch-size 1,8 --precision bf16": each stored setting whose origin is not "default", quoted for
/// a POSIX shell where needed. A value that holds a comma cannot stand in a flag's list; such a setting is followed by
/// "# ..." which says so.
std::string reproduce_command(const RunRecord& run);

/// `text` as one word of a POSIX shell on one line; text that a line cannot show as it is takes bash's
/// $'...' form.
std::string shell_word(std::string_view text);

}  // namespace transformeter
