// Rotary position embeddings (Su et al. 2021, arXiv:2104.09864) with the ways of stretching them beyond the length a
// model was trained on, as rope_parameters of Transformers names them.
#pragma once

#include <cstdint>
#include <vector>

namespace transformeter {

enum class RotaryScaling {
  kDefault,
  kLinear,    // positions divided by the factor
  kDynamic,   // a larger base beyond the trained length: "NTK-aware"
  kYarn,      // Peng et al. 2023, arXiv:2309.00071
  kLongRope,  // Ding et al. 2024, arXiv:2402.13753: a factor for each frequency
  kLlama3,    // low frequencies divided by the factor, high ones kept, a ramp between
};

struct RotarySpec {
  std::int64_t dimensions = 0;  // of a head; even
  double theta = 10000;
  RotaryScaling scaling = RotaryScaling::kDefault;
  double factor = 1;
  std::int64_t max_positions = 0;                   // of the model
  std::int64_t original_positions = 0;              // trained on before stretching: YaRN, LongRoPE, Llama 3
  double attention_factor = 1;                      // both cosine and sine are multiplied by it
  double beta_fast = 32, beta_slow = 1;             // YaRN: rotations between which the ramp lies
  bool truncate = true;                             // YaRN: the ramp's ends are whole dimensions
  double low_frequency_factor = 1;                  // Llama 3
  double high_frequency_factor = 4;                 // Llama 3
  std::vector<double> short_factors, long_factors;  // LongRoPE: one for each pair of dimensions

  bool operator==(const RotarySpec&) const = default;
};

/// Radians that each pair of dimensions turns per position, [dimensions / 2]. `tokens`: how long the sequence is, on
/// which dynamic scaling and LongRoPE depend.
std::vector<double> rotary_frequencies(const RotarySpec& spec, std::int64_t tokens);

/// Whether the frequencies of two lengths may differ.
bool depends_on_length(const RotarySpec& spec);

}  // namespace transformeter
