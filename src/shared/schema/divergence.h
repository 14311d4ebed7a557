// The words that mark a diverged training: for a failed case the reason is stored, not the kind of its error.
#pragma once

#include <string_view>

namespace transformeter {

/// Precedes the loss in the reason of a case that ended because its loss or gradient was NaN or infinite.
inline constexpr std::string_view kDivergedLoss = "the loss is ";

}  // namespace transformeter
