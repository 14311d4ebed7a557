// Baselines: names for selections of stored cases, kept in a store's file beside the runs. They are this file's own, no
// part of an export or a merge.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "store/store.h"

namespace transformeter {

struct BaselineRecord {
  std::string name;
  std::string run;     // id
  std::string where;   // "engine=fast,precision=fp32"; empty: all of its cases
  std::string set_at;  // ISO 8601, UTC
};

/// Errors and threads as Store.
class BaselineStore {
 public:
  virtual ~BaselineStore() = default;

  /// In place of one of that name.
  virtual void keep(const BaselineRecord& record) = 0;
  /// False when there is none of that name.
  virtual bool remove(std::string_view name) = 0;
  /// By name.
  virtual std::vector<BaselineRecord> list() = 0;

  std::optional<BaselineRecord> find(std::string_view name);
};

/// Errors and `log` as open_store's.
std::unique_ptr<BaselineStore> open_baseline_store(const std::filesystem::path& path, StoreMode mode,
                                                   const Log& log = {});

}  // namespace transformeter
