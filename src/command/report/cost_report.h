// What cases cost, as a document, as JSON and as CSV.
#pragma once

#include <string>
#include <vector>

#include "analysis/cost.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// What is said of all of them.
struct CostReport {
  std::vector<Price> prices;            // those that are used
  std::vector<std::string> processors;  // of the hosts that measured the cases, as far as they are known
  CostOptions options;
  std::vector<CostGroup> groups;
};

/// What costs are of, said once: "price", "measured on", "prices older than a year".
struct CostFact {
  std::string name;
  std::string text;
  bool is_warning = false;
};
std::vector<CostFact> cost_facts(const CostReport& report);

/// The cheapest case of each group in a sentence, then all of them, with what a user weighs against the cost.
Document cost_document(const CostReport& report);

/// {machine, price_per_hour, currency, source, date, is_outdated}.
Json price_json(const Price& price);

/// {schema_version, prices, latency_p95_s, samples, groups}, as docs/cost.md describes it.
Json cost_json(const CostReport& report);

/// One row for each cost of each case, and one for a case without any.
std::string cost_csv(const CostReport& report);

}  // namespace transformeter
