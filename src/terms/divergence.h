// The words by which a training that diverged is known: of a failed case its reason is stored, not the kind of its
// error.
#pragma once

#include <string_view>

namespace transformeter {

/// What comes before the loss in the reason of a case that ended since its loss, or its gradient, was no number.
inline constexpr std::string_view kDivergedLoss = "the loss is ";

}  // namespace transformeter
