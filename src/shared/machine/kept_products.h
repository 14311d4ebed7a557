// Choices of kernels that outlive the process that made them, one file for each machine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/product_choice.h"

namespace transformeter {

/// Choices by what computed them (libraries and their versions, instruction set).
using ProductsByRuntime = std::map<std::string, std::vector<ProductChoice>>;

/// Those of the machine with that fingerprint, the latest last. None where the file is missing, damaged, or of another
/// version.
ProductsByRuntime read_kept_products(const std::filesystem::path& cache, const std::string& fingerprint);

/// Those of one runtime on this machine.
class KeptProducts {
 public:
  /// `cache` empty: nothing is read or kept.
  KeptProducts(std::filesystem::path cache, std::string fingerprint, std::string runtime);

  /// Null where that size was not tried yet.
  const ProductChoice* find(const ProductSize& size) const;

  /// Adds steady choices to what is kept, also by others since this was made; the oldest go where there are more than
  /// 2,000 of a runtime. Returns why they could not be written, so that the next process tries again; none where they
  /// were, or where no choice is steady.
  std::optional<std::string> keep(const std::vector<ProductChoice>& choices);

 private:
  std::filesystem::path cache_;
  std::string fingerprint_;
  std::string runtime_;
  std::vector<ProductChoice> choices_;
};

}  // namespace transformeter
