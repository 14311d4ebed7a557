// One map for each machine; every fault has its line.
#include "cli/price_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "run/plan_document.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kKeys{"machine", "price_per_hour", "currency", "source", "date"};

// Codes of ISO 4217 that are in use.
const std::vector<std::string>& currency_codes() {
  static const std::vector<std::string> kCodes{
      "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF", "BMD",
      "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP",
      "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP",
      "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD",
      "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD",
      "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN",
      "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB",
      "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL",
      "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES",
      "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG"};
  return kCodes;
}

// Nothing for a text that is not a date of the calendar.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  constexpr std::size_t kLength = 10;  // 2026-11-28
  if (text.size() != kLength || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = parse_integer(text.substr(0, 4));
  const auto month = parse_integer(text.substr(5, 2));
  const auto day = parse_integer(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

void set_value(Price& price, const PlanMember& member) {
  if (member.value.kind != PlanNode::Kind::kScalar || trim(member.value.text).empty()) {
    throw bad_value(member.key, "", "a single value");
  }
  const std::string text(trim(member.value.text));
  if (member.key == "machine") {
    price.machine = text;
  } else if (member.key == "price_per_hour") {
    price.per_hour = checked_price(text);
  } else if (member.key == "currency") {
    price.currency = checked_currency(text);
  } else if (member.key == "source") {
    price.source = text;
  } else if (member.key == "date") {
    if (!day_of(text)) throw bad_value("date", text, "a day, YYYY-MM-DD");
    price.date = text;
  } else {
    throw unknown_value("key", member.key, kKeys);
  }
}

Price price_of(const fs::path& file, const PlanNode& node, int line) {
  if (node.kind != PlanNode::Kind::kMap)
    throw plan_error(file, line, "prices holds something that is no map of a machine's price");
  Price price;
  bool has_price = false;
  for (const PlanMember& member : node.members) {
    try {
      set_value(price, member);
    } catch (const Error& error) {
      throw plan_error(file, member.line, error.what());
    }
    const auto is_same = [&](const PlanMember& other) { return &other < &member && other.key == member.key; };
    if (std::any_of(node.members.begin(), node.members.end(), is_same)) {
      throw plan_error(file, member.line, fmt::format("{} is given twice", member.key));
    }
    has_price = has_price || member.key == "price_per_hour";
  }
  const int first = node.members.empty() ? line : node.members.front().line;
  if (price.machine.empty()) throw plan_error(file, first, "a price has no machine");
  if (!has_price) throw plan_error(file, first, fmt::format("machine '{}' has no price_per_hour", price.machine));
  return price;
}

}  // namespace

std::vector<Price> read_price_list(const fs::path& file) {
  const PlanNode document = read_plan_document(file);
  std::vector<Price> prices;
  for (const PlanMember& member : document.members) {
    if (member.key != "prices")
      throw plan_error(file, member.line, unknown_value("key", member.key, {"prices"}).what());
    if (member.value.kind != PlanNode::Kind::kList) throw plan_error(file, member.line, "prices is no list");
    for (const PlanNode& node : member.value.elements) {
      Price price = price_of(file, node, member.line);
      for (const Price& known : prices) {
        if (known.machine == price.machine) {
          throw plan_error(file, node.members.front().line, fmt::format("machine '{}' is listed twice", price.machine));
        }
      }
      prices.push_back(std::move(price));
    }
  }
  if (prices.empty()) throw plan_error(file, 0, "it lists no prices");
  return prices;
}

const Price& price_named(const std::vector<Price>& prices, std::string_view machine) {
  const auto found =
      std::find_if(prices.begin(), prices.end(), [&](const Price& one) { return one.machine == machine; });
  if (found != prices.end()) return *found;
  std::vector<std::string> names;
  for (const Price& one : prices) names.push_back(one.machine);
  throw unknown_value("machine", machine, names);
}

std::string checked_currency(std::string_view code) {
  const std::vector<std::string>& codes = currency_codes();
  if (std::find(codes.begin(), codes.end(), code) != codes.end()) return std::string(code);
  const auto near = nearest(code, codes);
  throw bad_value("currency", code, "a code of ISO 4217, e.g. USD or EUR",
                  near ? fmt::format("Did you mean '{}'?", *near) : "");
}

double checked_price(std::string_view text) {
  const auto price = parse_number(text);
  constexpr double kMost = 1e9;  // figures beyond it would lose their meaning
  if (!price || !(*price > 0) || !(*price <= kMost)) {
    throw bad_value("price per hour", text, "a number above 0, at most 1000000000");
  }
  return *price;
}

std::optional<bool> is_outdated(std::string_view date, double wall_s) {
  const auto day = day_of(date);
  if (!day) return std::nullopt;
  constexpr double kYearS = 365.0 * 24 * 3600;
  const double then_s = std::chrono::duration<double>(day->time_since_epoch()).count();
  return wall_s - then_s > kYearS;
}

}  // namespace transformeter
