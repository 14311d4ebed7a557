// {"version": 3, "runtimes": {RUNTIME: [choice]}}; changed under a lock, for workers may end their trials at once.
#include "machine/kept_products.h"

#include <algorithm>
#include <utility>

#include "base/kept_file.h"

namespace transformeter {
namespace {

constexpr int kVersion = 3;  // 2: choices name their precision; 3: and whether weights stay as they are
constexpr std::size_t kMostChoices = 2000;

std::filesystem::path file_of(const std::filesystem::path& cache, const std::string& fingerprint) {
  return cache / "products" / (fingerprint + ".json");
}

ProductsByRuntime products_in(const Json& file) {
  try {
    return file.is_null() ? ProductsByRuntime() : file.at("runtimes").get<ProductsByRuntime>();
  } catch (const Json::exception&) {
    return {};
  }
}

void replace_or_add(std::vector<ProductChoice>& all, const ProductChoice& one) {
  std::erase_if(all, [&](const ProductChoice& other) { return other.size == one.size; });
  all.push_back(one);
}

}  // namespace

ProductsByRuntime read_kept_products(const std::filesystem::path& cache, const std::string& fingerprint) {
  if (cache.empty()) return {};
  return products_in(read_kept_file(file_of(cache, fingerprint), kVersion));
}

KeptProducts::KeptProducts(std::filesystem::path cache, std::string fingerprint, std::string runtime)
    : cache_(std::move(cache)), fingerprint_(std::move(fingerprint)), runtime_(std::move(runtime)) {
  ProductsByRuntime all = read_kept_products(cache_, fingerprint_);
  choices_ = std::move(all[runtime_]);
}

const ProductChoice* KeptProducts::find(const ProductSize& size) const {
  const auto found =
      std::find_if(choices_.begin(), choices_.end(), [&](const ProductChoice& one) { return one.size == size; });
  return found == choices_.end() ? nullptr : &*found;
}

std::optional<std::string> KeptProducts::keep(const std::vector<ProductChoice>& choices) {
  const bool any = std::any_of(choices.begin(), choices.end(), [](const ProductChoice& one) { return one.is_steady; });
  if (!any) return std::nullopt;
  if (cache_.empty()) return "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set";
  return change_kept_file(file_of(cache_, fingerprint_), kVersion, [&](const Json& present) -> Json {
    ProductsByRuntime all = products_in(present);
    choices_ = std::move(all[runtime_]);
    for (const ProductChoice& one : choices) {
      if (one.is_steady) replace_or_add(choices_, one);
    }
    if (choices_.size() > kMostChoices) choices_.erase(choices_.begin(), choices_.end() - kMostChoices);
    all[runtime_] = choices_;
    return {{"runtimes", all}};
  });
}

}  // namespace transformeter
