// Default sets of models, one for what a model is for.
#pragma once

#include <string>
#include <vector>

namespace transformeter {

/// "embedding" (encoders), "text_generation" (decoders), "text2text_generation" (encoders with a decoder), "vision",
/// "audio", "multimodal", and "all" of them.
std::vector<std::string> model_families();

/// The models of a comma list of families, as a comma list for the setting `model`. Throws Error(kBadInput) for an
/// unknown family, and for "all" beside another.
std::string models_of_families(const std::string& families);

}  // namespace transformeter
