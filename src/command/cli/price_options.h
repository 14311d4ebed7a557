// The options that name the price of a machine, and the price of each case by them.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/declaration.h"
#include "cli/price_list.h"
#include "schema/record.h"

namespace transformeter {

class PriceOptions {
 public:
  /// --price-per-hour, --currency, --machine and --prices; targets borrow from this.
  std::vector<OptionDeclaration> declarations();

  bool is_any_given() const { return price_ || currency_ || !machines_.empty() || !prices_file_.empty(); }

  /// The list of --prices, or the bundled one of that folder; `wall_s` (Unix seconds) tells which prices are outdated.
  std::vector<Price> read_list(const std::filesystem::path& data_directory, double wall_s) const;

  /// `runs` are the runs as they were given. Throws Error(kBadInput) for a bad price or currency, two prices, an
  /// unknown machine or one of another run, and --currency without a price.
  void check(const std::vector<std::string>& runs, const std::vector<Price>& list);

  /// Of a case of the run that was given so: --price-per-hour, --machine, else the price that it was run with; null
  /// where there is none. Needs check. Lives as long as this.
  const Price* find_price(const std::string& run, const CaseRecord& record);

  /// The same, but throws Error(kBadInput) where there is none.
  const Price& price_of(const std::string& run, const CaseRecord& record);

  /// Those that were found, each once.
  std::vector<Price> used_prices() const { return {prices_.begin(), prices_.end()}; }

 private:
  const Price& kept(Price price);

  std::optional<std::string> price_;
  std::optional<std::string> currency_;
  std::vector<std::string> machines_;
  std::string prices_file_;
  std::optional<Price> checked_;             // of --price-per-hour
  std::map<std::string, Price> machine_of_;  // of --machine, by run; "" for all
  std::deque<Price> prices_;
};

}  // namespace transformeter
