// References kept as files, so that a later run needs no worker to make them again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/log.h"
#include "metrics/negative_controls.h"
#include "schema/outputs.h"

namespace transformeter {

/// What a reference worker computed, and how far wrong models lie from it.
struct ReferenceOutputs {
  Outputs outputs;
  NegativeControls controls;

  bool operator==(const ReferenceOutputs&) const = default;
};

/// One file for each key: a line of JSON {format, version, key, controls, outputs, sha256}, then the bytes of the
/// outputs. Safe for several programs at once: a file appears whole. May be emptied at any time.
class ReferenceCache {
 public:
  /// Without a folder nothing is kept.
  ReferenceCache(std::filesystem::path folder, Log log) : folder_(std::move(folder)), log_(std::move(log)) {}

  /// Nothing when there is no such file; a damaged one is logged and ignored.
  std::optional<ReferenceOutputs> load(const std::string& key) const;
  /// A failed write is only logged, since a cache must not make a run fail.
  void store(const std::string& key, const ReferenceOutputs& reference) const;

 private:
  std::filesystem::path file_of(const std::string& key) const { return folder_ / (key + ".reference"); }

  std::filesystem::path folder_;
  Log log_;
};

}  // namespace transformeter
