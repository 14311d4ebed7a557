// The error for an unknown model.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace transformeter {

/// What a model is asked for.
enum class ModelUse {
  kMeasurement,  // a preset will do
  kAnswers,      // those of a preset's random weights mean nothing
};

/// Says what `model` may be and names what it is likely to be a slip for: a folder or file beside it that holds a model
/// or, for measurements, one of `presets`.
Error unknown_model(const std::string& model, const std::vector<std::string>& presets, ModelUse use);

}  // namespace transformeter
