// {"version": 1, "runtimes": {RUNTIME: [choice]}}; changed under a lock, for workers may end their trials at once.
#include "machine/kept_products.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "base/file_lock.h"
#include "base/files.h"
#include "base/json_file.h"

namespace transformeter {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMostChoices = 2000;

std::filesystem::path file_of(const std::filesystem::path& cache, const std::string& fingerprint) {
  return cache / "products" / (fingerprint + ".json");
}

void replace_or_add(std::vector<ProductChoice>& all, const ProductChoice& one) {
  std::erase_if(all, [&](const ProductChoice& other) { return other.size == one.size; });
  all.push_back(one);
}

}  // namespace

ProductsByRuntime read_kept_products(const std::filesystem::path& cache, const std::string& fingerprint) {
  if (cache.empty()) return {};
  const Json file = json_or_discarded(read_file_or_empty(file_of(cache, fingerprint)));
  try {
    if (file.is_discarded() || file.at("version") != kVersion) return {};
    return file.at("runtimes").get<ProductsByRuntime>();
  } catch (const Json::exception&) {
    return {};
  }
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
  const std::filesystem::path path = file_of(cache_, fingerprint_);
  try {
    std::error_code code;  // the lock says what is wrong
    std::filesystem::create_directories(path.parent_path(), code);
    const FileLock lock(path.string() + ".lock", nullptr);
    ProductsByRuntime all = read_kept_products(cache_, fingerprint_);
    choices_ = std::move(all[runtime_]);
    for (const ProductChoice& one : choices) {
      if (one.is_steady) replace_or_add(choices_, one);
    }
    if (choices_.size() > kMostChoices) choices_.erase(choices_.begin(), choices_.end() - kMostChoices);
    all[runtime_] = choices_;
    write_json_file(path, {{"version", kVersion}, {"runtimes", all}});
  } catch (const std::exception& error) {  // a cache is worth no case
    return error.what();
  }
  return std::nullopt;
}

}  // namespace transformeter
