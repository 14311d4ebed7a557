// Parsing and printing of durations, byte counts and other quantities.
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

struct Scale {
  std::string_view suffix;
  double factor;
};

// The number before the longest matching suffix, scaled; negative when the text is malformed.
template <std::size_t N>
double parse_scaled(std::string_view text, const std::array<Scale, N>& scales) {
  text = trim(text);
  const std::size_t digits = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, digits);
  const std::string_view suffix = digits == std::string_view::npos ? std::string_view() : trim(text.substr(digits));
  const auto value = parse_number(number);
  if (!value || !std::isfinite(*value)) return -1;
  for (const Scale& scale : scales) {
    if (scale.suffix == suffix) return *value * scale.factor;
  }
  return -1;
}

}  // namespace

Seconds parse_duration(std::string_view what, std::string_view text) {
  static constexpr std::array<Scale, 6> kScales{
      {{"", 1}, {"s", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}}};
  const double seconds = parse_scaled(text, kScales);
  if (!(seconds > 0) || seconds > 3.2e8) {
    throw bad_value(what, text, "a positive duration such as 150, 150s, 50us, 500ms, 3m or 1h");
  }
  return Seconds(seconds);
}

long long parse_bytes(std::string_view what, std::string_view text) {
  static constexpr std::array<Scale, 8> kScales{{{"", 1},
                                                 {"B", 1},
                                                 {"KiB", 1024.0},
                                                 {"MiB", 1048576.0},
                                                 {"GiB", 1073741824.0},
                                                 {"kB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9}}};
  const double bytes = parse_scaled(text, kScales);
  if (!(bytes >= 1) || bytes > 9e18) {
    throw bad_value(what, text, "a positive size such as 1073741824, 512MiB or 4GiB");
  }
  return static_cast<long long>(bytes);
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string format_duration(double seconds) {
  const double size = std::fabs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-6) return format_number(seconds * 1e9) + " ns";
  if (size < 1e-3) return format_number(seconds * 1e6) + " us";
  if (size < 1) return format_number(seconds * 1e3) + " ms";
  if (size < 600) return format_number(seconds) + " s";
  return format_number(seconds / 60) + " min";
}

std::string format_half_width(double share) {
  if (share > 1) return "± > 100 %";
  return fmt::format("± {:.{}f} %", share * 100, share < 0.001 ? 2 : 1);
}

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 5> kPrefixes{{"B", "KiB", "MiB", "GiB", "TiB"}};
  std::size_t prefix = 0;
  while (std::fabs(bytes) >= 1024 && prefix + 1 < kPrefixes.size()) {
    bytes /= 1024;
    ++prefix;
  }
  return fmt::format("{} {}", format_number(bytes), kPrefixes[prefix]);
}

PrefixedNumber with_decimal_prefix(double value) {
  static constexpr std::array<std::string_view, 6> kPrefixes{{"", "k", "M", "G", "T", "P"}};
  std::size_t prefix = 0;
  while (std::fabs(value) >= 1000 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return {value, kPrefixes[prefix]};
}

std::string format_quantity(double value, std::string_view unit) {
  if (unit == "s") return format_duration(value);
  if (unit == "bytes") return format_bytes(value);
  if (unit.empty() || unit == "ratio" || unit == "count") return format_number(value);
  return fmt::format("{} {}", format_number(value), unit);
}

}  // namespace transformeter
