// Durations and quantities as people write and read them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace transformeter {

using Seconds = std::chrono::duration<double>;

/// "150", "150s", "2.5s", "500ms", "300us", "3m", "1h" to seconds; a bare number is seconds. Must be positive and
/// finite. Throws Error(kBadInput) that names `what`.
Seconds parse_duration(std::string_view what, std::string_view text);

/// "512", "512MiB", "4GiB", "100MB" to bytes. Must be positive. Throws Error(kBadInput) that names `what`.
long long parse_bytes(std::string_view what, std::string_view text);

/// Three significant digits and a prefix that fits: 0.00123 s is "1.23 ms".
std::string format_duration(double seconds);
/// Of a share: 0.019 is "± 1.9 %", 0.0004 "± 0.04 %", and more than the whole "± > 100 %".
std::string format_half_width(double share);
/// Binary prefixes: 1536 is "1.50 KiB".
std::string format_bytes(double bytes);
/// Three significant digits without exponent for the ranges met here: 1234.5 is "1235", 0.01234 is "0.0123".
std::string format_number(double value);
/// A number with the decimal prefix that fits: 1.5e9 is 1.5 and "G". Below 1,000 the prefix is empty.
struct PrefixedNumber {
  double number = 0;
  std::string_view prefix;
};
PrefixedNumber with_decimal_prefix(double value);
/// A value with its unit, choosing the form by the unit: "s" and "bytes" get prefixes, others the unit itself.
std::string format_quantity(double value, std::string_view unit);

}  // namespace transformeter
