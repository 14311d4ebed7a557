// Parsing and quantiles.
#include "datasets/length_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

using Kind = LengthDistribution::Kind;

constexpr std::int64_t kLongest = 1048576;
constexpr const char* kForms = "fixed:N, uniform:MIN:MAX, normal:MEAN:DEVIATION:MIN:MAX or histogram:FILE";

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw refused_value("length_distribution", excerpt(text), fmt::format("{}; allowed forms: {}", why, kForms));
}

std::int64_t parse_length(std::string_view text, std::string_view part) {
  const auto length = parse_integer(part);
  if (!length || *length < kShortestText || *length > kLongest) {
    refuse(text, fmt::format("'{}' is not a length from {} to {}", excerpt(part), kShortestText, kLongest));
  }
  return *length;
}

double parse_parameter(std::string_view text, std::string_view part) {
  const auto value = parse_number(part);
  if (!value || !std::isfinite(*value) || *value < 0) {
    refuse(text, fmt::format("'{}' is not a number of at least 0", excerpt(part)));
  }
  return *value;
}

double normal_share(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// The quantile of the normal distribution between its bounds, each whole number standing for ± ½ around it.
std::int64_t normal_length(const LengthDistribution& distribution, double p) {
  if (distribution.deviation == 0) return std::llround(distribution.mean);
  const auto share_below = [&](double length) {
    return normal_share((length - distribution.mean) / distribution.deviation);
  };
  const double low = share_below(static_cast<double>(distribution.minimum) - 0.5);
  const double high = share_below(static_cast<double>(distribution.maximum) + 0.5);
  const double z = normal_quantile(low + p * (high - low));
  const double length =
      std::clamp(distribution.mean + distribution.deviation * z, static_cast<double>(distribution.minimum),
                 static_cast<double>(distribution.maximum));
  return std::llround(length);
}

std::int64_t length_at(const LengthDistribution& distribution, double p, const std::vector<std::int64_t>& sorted) {
  switch (distribution.kind) {
    case Kind::kFixed:
      return distribution.minimum;
    case Kind::kUniform: {
      const auto count = static_cast<double>(distribution.maximum - distribution.minimum + 1);
      return distribution.minimum + static_cast<std::int64_t>(p * count);
    }
    case Kind::kNormal:
      return normal_length(distribution, p);
    case Kind::kHistogram:
      return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size()))];
  }
  throw Error(ErrorKind::kInternal, "unknown kind of length distribution");
}

}  // namespace

std::optional<std::int64_t> LengthDistribution::shortest() const {
  if (kind == Kind::kHistogram) return std::nullopt;
  return kind == Kind::kNormal && deviation == 0 ? std::llround(mean) : minimum;
}

LengthDistribution parse_length_distribution(std::string_view text) {
  constexpr std::string_view kHistogram = "histogram:";
  LengthDistribution distribution;
  if (text.starts_with(kHistogram)) {
    distribution.kind = Kind::kHistogram;
    distribution.file = std::string(text.substr(kHistogram.size()));
    if (distribution.file.empty()) refuse(text, "the file is missing");
    return distribution;
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts[0] == "fixed" && parts.size() == 2) {
    distribution.minimum = distribution.maximum = parse_length(text, parts[1]);
    return distribution;
  }
  const bool is_normal = parts[0] == "normal" && parts.size() == 5;
  if (!is_normal && !(parts[0] == "uniform" && parts.size() == 3)) refuse(text, "it has none of the known forms");
  distribution.kind = is_normal ? Kind::kNormal : Kind::kUniform;
  distribution.minimum = parse_length(text, parts[parts.size() - 2]);
  distribution.maximum = parse_length(text, parts.back());
  if (distribution.minimum > distribution.maximum) refuse(text, "MIN is above MAX");
  if (!is_normal) return distribution;
  distribution.mean = parse_parameter(text, parts[1]);
  distribution.deviation = parse_parameter(text, parts[2]);
  const bool is_inside = distribution.mean >= static_cast<double>(distribution.minimum) &&
                         distribution.mean <= static_cast<double>(distribution.maximum);
  if (!is_inside) refuse(text, "MEAN is outside MIN and MAX");
  if (distribution.deviation > static_cast<double>(kLongest)) {
    refuse(text, fmt::format("DEVIATION is above {}: too wide for these bounds", kLongest));
  }
  return distribution;
}

std::vector<std::int64_t> lengths_of(const LengthDistribution& distribution, std::size_t count,
                                     std::vector<std::int64_t> file_lengths, std::uint64_t seed) {
  std::sort(file_lengths.begin(), file_lengths.end());
  if (distribution.kind == Kind::kHistogram && file_lengths.empty()) {
    throw Error(ErrorKind::kInternal, "a histogram without lengths");
  }
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    lengths.push_back(length_at(distribution, p, file_lengths));
  }
  RandomStream random(seed, "synthetic/lengths");
  shuffle(lengths, random);
  return lengths;
}

}  // namespace transformeter
