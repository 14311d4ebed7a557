// How long synthetic texts are: a distribution by its formula, or the lengths of a file's own texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// Tokens of the shortest text: one between two special ones.
inline constexpr std::int64_t kShortestText = 3;

struct LengthDistribution {
  enum class Kind { kFixed, kUniform, kNormal, kHistogram };
  Kind kind = Kind::kFixed;
  std::int64_t minimum = 0;  // of a length, special tokens included; histograms have neither bound
  std::int64_t maximum = 0;
  double mean = 0;       // normal
  double deviation = 0;  // normal
  std::string file;      // histogram: a data file

  /// Of the lengths that are drawn, the least; nothing for a histogram, which depends on its file and the tokenizer.
  std::optional<std::int64_t> shortest() const;
};

/// "fixed:N", "uniform:MIN:MAX", "normal:MEAN:DEVIATION:MIN:MAX" or "histogram:FILE". Throws Error(kBadInput) with the
/// forms for anything else, for a length below 3 (one token between two special ones) or above 1,048,576, MIN above
/// MAX, and a normal distribution whose mean lies outside its bounds or whose deviation is negative
/// or above 1,048,576.
LengthDistribution parse_length_distribution(std::string_view text);

/// `count` lengths at the distribution's quantiles (i + ½) ÷ count, so that they follow it as closely as whole numbers
/// can, in an order drawn by the seed. A normal distribution is cut at its bounds, not piled up there. `file_lengths`:
/// the lengths of the histogram's texts, at least one; unused by others.
std::vector<std::int64_t> lengths_of(const LengthDistribution& distribution, std::size_t count,
                                     std::vector<std::int64_t> file_lengths, std::uint64_t seed);

}  // namespace transformeter
