// Peaks that were measured beside other work: they are those of what was left of the machine.
#pragma once

#include <optional>
#include <string>

namespace transformeter {

/// `foreign_load`: processors that others kept busy meanwhile; nothing: nobody looked. Above what a valid case may have
/// (kMaxForeignLoad).
bool is_disturbed_peak(const std::optional<double>& foreign_load);

/// "measured while background load kept 1.25 CPUs busy".
std::string disturbance_text(double foreign_load);

}  // namespace transformeter
