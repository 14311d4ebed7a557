// Probabilities from a model's scores.
#pragma once

#include <span>
#include <vector>

namespace transformeter {

/// exp(xᵢ) ÷ Σ exp(xⱼ), computed in double with the largest score taken off first; empty for no scores.
std::vector<double> softmax(std::span<const float> scores);
std::vector<double> softmax(std::span<const double> scores);

}  // namespace transformeter
