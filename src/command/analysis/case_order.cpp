// Sorts by one tuple of ranks per case.
#include "analysis/case_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "schema/settings.h"

namespace transformeter {
namespace {

// Length before batch: batches of one length are compared more often than lengths of one batch.
std::vector<std::string> settings_in_order() {
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) {
    if (term.group == SettingGroup::kRun || term.name == "sequence_length") continue;
    if (term.name == "batch_size") names.emplace_back("sequence_length");
    names.emplace_back(term.name);
  }
  return names;
}

struct Rank {
  bool is_word = false;
  double number = 0;
};

}  // namespace

std::vector<std::size_t> reading_order(const std::vector<CaseRecord>& cases) {
  std::vector<std::vector<Rank>> ranks(cases.size());
  for (const std::string& name : settings_in_order()) {
    std::map<std::string, double> words;  // to the order of their first appearance
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Json value = cases[i].requested.value(name, Json());
      if (value.is_number()) {
        ranks[i].push_back({false, value.get<double>()});
      } else {
        const double next = static_cast<double>(words.size());
        ranks[i].push_back({true, words.emplace(canonical_json(value), next).first->second});
      }
    }
  }
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return std::lexicographical_compare(
        ranks[left].begin(), ranks[left].end(), ranks[right].begin(), ranks[right].end(),
        [](const Rank& a, const Rank& b) { return a.is_word != b.is_word ? b.is_word : a.number < b.number; });
  });
  return order;
}

}  // namespace transformeter
