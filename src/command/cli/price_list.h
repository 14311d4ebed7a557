// Prices of machines from a file, and what is wrong with them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cost.h"

namespace transformeter {

/// Reads YAML or JSON: {prices: [{machine, price_per_hour, currency, source, date}, ...]}, of which currency (USD),
/// source and date may be missing. Throws Error(kBadInput) as "FILE:LINE: …" for another form, an unknown key or
/// currency, a negative price, a date that is none, and a machine that is listed twice.
std::vector<Price> read_price_list(const std::filesystem::path& file);

/// The machine of that name. Throws Error(kBadInput) with the nearest name.
const Price& price_named(const std::vector<Price>& prices, std::string_view machine);

/// Throws Error(kBadInput) with the nearest code for one that ISO 4217 does not have.
std::string checked_currency(std::string_view code);

/// Of a price per hour as typed. Throws Error(kBadInput) for another text, and where it is not above 0.
double checked_price(std::string_view text);

/// Whether a date as YYYY-MM-DD is more than a year before `wall_s` (Unix seconds); nothing for no date.
std::optional<bool> is_outdated(std::string_view date, double wall_s);

}  // namespace transformeter
