#include "measure/settled_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "device/runtime.h"
#include "machine/environment.h"

namespace transformeter {

KeptProducts kept_products(const Context& context) {
  EnvironmentOptions options;
  return {context.cache_directory, capture_environment(options, context.clock).at("fingerprint").get<std::string>(),
          kernels_text()};
}

std::size_t tried_batch(const std::vector<std::int64_t>& tokens) {
  std::vector<std::size_t> places(tokens.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t left, std::size_t right) { return tokens[left] < tokens[right]; });
  return places.at(places.size() / 2);
}

ChosenProducts keep_tried(KeptProducts& kept, std::vector<SettledProduct> products, const Log& log) {
  std::vector<ProductChoice> tried;
  for (const SettledProduct& product : products) {
    if (!product.was_kept && !product.choice.trials.empty()) tried.push_back(product.choice);
  }
  ChosenProducts chosen{std::move(products), kept.keep(tried)};
  if (chosen.not_kept) {
    log(LogLevel::kWarning, fmt::format("choices of kernels are not kept: {}", *chosen.not_kept));
  }
  return chosen;
}

void add_trials(const ChosenProducts& chosen, Json& effective) {
  Json list = Json::array();
  for (const SettledProduct& product : chosen.products) {
    if (product.choice.trials.empty()) continue;
    list.push_back(product.choice);
    list.back()["layers"] = product.layers;
    list.back()["kept"] = product.was_kept;
  }
  if (!list.empty()) effective["linear_trials"] = std::move(list);
  if (chosen.not_kept) effective["trials_not_kept"] = *chosen.not_kept;
}

}  // namespace transformeter
