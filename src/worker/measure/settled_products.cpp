#include "measure/settled_products.h"

#include <string>
#include <utility>

#include "device/runtime.h"
#include "machine/environment.h"

namespace transformeter {

KeptProducts kept_products(const Context& context) {
  EnvironmentOptions options;
  return {context.cache_directory, capture_environment(options, context.clock).at("fingerprint").get<std::string>(),
          kernels_text()};
}

void keep_tried(KeptProducts& kept, const std::vector<SettledProduct>& products, const Log& log) {
  std::vector<ProductChoice> tried;
  for (const SettledProduct& product : products) {
    if (!product.was_kept && !product.choice.trials.empty()) tried.push_back(product.choice);
  }
  kept.keep(tried, log);
}

Json trials_json(const std::vector<SettledProduct>& products) {
  Json list = Json::array();
  for (const SettledProduct& product : products) {
    if (product.choice.trials.empty()) continue;
    list.push_back(product.choice);
    list.back()["layers"] = product.layers;
    list.back()["kept"] = product.was_kept;
  }
  return list;
}

}  // namespace transformeter
