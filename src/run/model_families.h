// Default sets of models, one for what a model is for.
#pragma once

#include <string>

namespace transformeter {

/// The models of "embedding" (encoders), "text_generation" (decoders) or both, as a comma list for the setting `model`.
/// Throws Error(kBadInput) for another family.
std::string models_of_families(const std::string& families);

}  // namespace transformeter
