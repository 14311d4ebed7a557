// One price for all runs, or a machine for each.
#include "cli/price_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace transformeter {

std::vector<OptionDeclaration> PriceOptions::declarations() {
  return {{.names = {"--price-per-hour"},
           .target = &price_,
           .placeholder = "N",
           .help = "price of the machine; default: that of the run, or --machine"},
          {.names = {"--currency"},
           .target = &currency_,
           .placeholder = "CODE",
           .help = "currency of --price-per-hour, e.g. EUR; default: USD"},
          {.names = {"--machine"},
           .target = &machines_,
           .placeholder = "[RUN=]NAME",
           .help = "a machine of the price list, for all runs or for one; may be repeated"},
          {.names = {"--prices"},
           .target = &prices_file_,
           .placeholder = "FILE",
           .help = "price list, YAML or JSON; default: the bundled one"}};
}

std::vector<Price> PriceOptions::read_list(const std::filesystem::path& data_directory, double wall_s) const {
  std::vector<Price> prices =
      read_price_list(prices_file_.empty() ? data_directory / "prices.yaml" : std::filesystem::path(prices_file_));
  for (Price& price : prices) price.is_outdated = is_outdated(price.date, wall_s);
  return prices;
}

// The name of a run before a '=' is one of those that are read.
void PriceOptions::check(const std::vector<std::string>& runs, const std::vector<Price>& list) {
  if (currency_ && !price_) {
    throw Error(ErrorKind::kBadInput, "--currency needs --price-per-hour; a price list names its own currencies");
  }
  if (price_ && !machines_.empty()) {
    throw Error(ErrorKind::kBadInput, "--price-per-hour and --machine are two prices; give one of them");
  }
  if (price_) checked_ = Price{"", checked_price(*price_), checked_currency(currency_.value_or("USD")), "", ""};
  for (const std::string& text : machines_) {
    const std::size_t equals = text.rfind('=');
    const std::string run = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::string machine = equals == std::string::npos ? text : text.substr(equals + 1);
    if (!run.empty() && std::find(runs.begin(), runs.end(), run) == runs.end()) {
      throw refused_value("machine", text, fmt::format("'{}' is not among the runs that are given", run),
                          "Name the run as it was given.");
    }
    if (!machine_of_.emplace(run, price_named(list, machine)).second) {
      throw refused_value("machine", text,
                          run.empty() ? "there is one for all runs already" : "the run has one already");
    }
  }
}

const Price* PriceOptions::find_price(const std::string& run, const CaseRecord& record) {
  if (checked_) return &kept(*checked_);
  auto found = machine_of_.find(run);
  if (found == machine_of_.end()) found = machine_of_.find("");
  if (found != machine_of_.end()) return &kept(found->second);
  const Json own = record.requested.is_object() ? record.requested.value("price_per_hour", Json()) : Json();
  return own.is_number() ? &kept({"", own.get<double>(), "USD", "", ""}) : nullptr;
}

const Price& PriceOptions::price_of(const std::string& run, const CaseRecord& record) {
  if (const Price* price = find_price(run, record)) return *price;
  throw Error(ErrorKind::kBadInput,
              fmt::format("there is no price for {}; give --price-per-hour N, or --machine NAME of `transformeter cost "
                          "--list-prices`",
                          run.empty() ? "the run" : run));
}

const Price& PriceOptions::kept(Price price) {
  for (const Price& known : prices_) {
    if (known.machine == price.machine && known.per_hour == price.per_hour) return known;
  }
  return prices_.emplace_back(std::move(price));
}

}  // namespace transformeter
