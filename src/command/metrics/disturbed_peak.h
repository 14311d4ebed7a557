// Peaks that were measured while other processes used the machine are too low.
#pragma once

#include <optional>
#include <string>

namespace transformeter {

/// `foreign_load`: processors that others kept busy meanwhile; nothing: nobody looked, and the peak is taken as
/// undisturbed. True above kMaxForeignLoad, the most that a valid case may have.
bool is_disturbed_peak(const std::optional<double>& foreign_load);

/// "measured while background load kept 1.25 CPUs busy".
std::string disturbance_text(double foreign_load);

}  // namespace transformeter
